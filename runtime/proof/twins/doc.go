// Package twins compares the stores with each other: the store in memory, whose code is plain to see, and PostgreSQL's. Random
// calls with a clock that both share must give the same answers, whatever states, expiries, leases, scopes and business keys they
// go through.
//
// # Usage
//
//	go test ./runtime/proof/twins                          # a hundred sequences of calls
//	go test ./runtime/proof/twins -rapid.checks=10000
//
// # Guarantees
//
// A sequence that gives two answers is shortened before it is shown.
//
// # Not included
//
// Calls at the same time; what each store does when it cannot be reached. How long a lease still lasts, to the microsecond.
//
// The invariant that is otherwise invisible: stores choose tokens only in Due; a token is therefore a pair here, one for each
// store.
package twins
