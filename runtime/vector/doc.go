// Package vector is the test vectors of a contract as data: requests, and what the contract must make of them. They stand in the lock for
// reviewers, run in the test of every generated package, and can be given to clients in other languages.
//
// # Usage
//
//	for _, f := range vector.Check(vectors, "/accounts/{accountId}/payments", fingerprint) {
//		t.Errorf("%s: %s", f.Vector, f.Text)
//	}
//
// # A vector
//
// A vector without Like, Unlike and Refused has a whole request, its canonical text and its digest. Any other begins with the request of an
// earlier one, which it names, and changes it: Request replaces the body, its type, the query, and path values and headers by their names; then Set
// puts JSON texts into the body; then Remove takes parts away. Like says that the result is the same command, Unlike that it is another one, Refused
// that it has no canonical text.
//
// Paths are written as in an annotation (body.lines[].sku, body["odd.name"]), except that [] is the first element of the array. A path of Set
// ends in a member that may be missing; everything above it is there. Remove takes body, body.MEMBER, query.NAME and header.NAME.
//
// Where a body counts through a view of the program, Request.View stands in its place: the vector begins behind the program's function.
//
// # Guarantees
//
// The order of vectors decides nothing but which ones can be named. What is wrong with a vector is an error that names it, never a panic.
//
// # Not included
//
// Making vectors, and their text in the lock: that is the generator's.
//
// The invisible invariant: a body is changed as text, so the bytes that a vector does not name stay as they are.
package vector
