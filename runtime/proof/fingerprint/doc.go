// Package fingerprint holds what proves the runtime's canonical form: a contract written by hand in the style of generated code,
// bodies for it, oracles (two independent RFC 8785 libraries), metamorphic tests, the comparison of the scanner with canon's reference
// interpreter, and the benchmark in bench.
//
// # Usage
//
//	go test ./runtime/proof/fingerprint
//	go test ./runtime/proof/fingerprint -run '^$' -fuzz '^FuzzDifferentialMultipart$' -fuzzminimizetime 1x
//	go run ./runtime/proof/fingerprint/bench
//
// [Compare] holds any fingerprint function, a generated one too, against the interpreter on one request:
//
//	err := fingerprint.Compare(contract, paymentsidem.FingerprintCreatePayment, request)
//
// # Guarantees
//
// The scanner and the interpreter share no code. They are compared on requests that are near to valid, JSON, forms, multipart bodies, texts and
// bytes, under contracts that together have every kind of value, normaliser, policy, default, null rule and parameter: what is accepted, what is
// refused, every byte of the canonical text, the digest. Of JSON bodies the place of a refusal is compared too; the faults of others are met in
// different orders. A [Driver] makes the calls that generated code makes, and tests with spoiled contracts show that a fault in it is found. The
// packages of golden/pipeline are compared themselves, from their documents to their digests.
//
// The published RFC 8785 vectors are read from shared/vectors/jcs beside the workspace. Where that folder is absent the tests that need
// it are skipped and say so; all others run everywhere.
//
// # Not included
//
// Rules of single normalisers and places of refusals: tables in package canon test those.
package fingerprint
