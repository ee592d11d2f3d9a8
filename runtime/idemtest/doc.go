// Package idemtest is what the tests of generated packages, and of programs that use them, stand on.
//
// # Usage
//
// Every generated package has a test that holds its fingerprint functions to the vectors of the lock:
//
//	idemtest.Vectors(t, &CreatePaymentOperation, vectorsCreatePayment)
//
// # Guarantees
//
// A fault names the vector, the canonical text that was wanted and the one that was seen. What holds is silent. Nothing is read, written or
// started, so the tests need no folder, no database and next to no time.
//
// # Not included
//
// Tests of stores: those are package storetest's.
//
// The invariant that is otherwise invisible: only tests import this package, and it needs the standard library and the runtime alone, so that
// it adds no requirement to anybody's module.
package idemtest
