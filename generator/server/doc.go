// Package server reads the server that a team generates with oapi-codegen or ogen: the interface that its business code implements, exactly as
// the compiler sees it.
//
// # Usage
//
//	pkg, found, err := server.Load(server.Query{Pattern: "./internal/api", Document: "payments.yaml"})
//	methods, more := pkg.Match(operations)
//
// [Find] looks for the one server that was generated from a document, so that nobody has to name it.
//
// # Guarantees
//
//   - Signatures come from the compiled package, not from what a generator would probably write: type names, imports and their names are its own.
//   - No method is guessed. One belongs to an operation by the route in its comment, or, where it has none, by a name that is the operationId's
//     apart from case and punctuation; whatever else is a diagnostic at the annotation.
//   - Only export data is read, so that a server of any size takes a fraction of a second beside what the compiler has in its cache.
//
// # Not included
//
// Code is not written here: package gogen takes the [Package]. Servers of fiber and iris are refused, since they do not speak net/http and
// nothing can be wrapped around them.
//
// Invariant: this package alone imports golang.org/x/tools outside of tests and runs the go command; it writes nothing.
package server
