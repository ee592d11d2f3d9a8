// Package memstore keeps records in memory: for tests, for demonstrations, and as the naive twin that the other stores are
// compared with. Its code is a mutex and a map, so that a reader can see that it is right.
//
// # Usage
//
//	store := memstore.New()
//	engine, err := paymentsidem.NewEngine(store, scope, idem.Options{})
//
// and in a handler, where a database would be written to:
//
//	ex.Tx().OnCommit(func() { payments.add(p) })
//
// Inside a phase of a leased operation the phase's transaction is used in the same way.
//
// # Guarantees
//
//   - One claim for each key at a time. A claim in flight is visible to others as idem.StateInFlight.
//   - An effect given to OnCommit runs when the transaction commits and never when it does not.
//   - Effects run in the order in which they were given, in the goroutine that commits, before the key shows its outcome and
//     before the response is sent; no other transaction's effects run between them.
//   - A completion that rolls the handler's writes back drops every effect that was given until then.
//   - Nobody takes a lease over while the effects of one of its phases run.
//   - Using a transaction after it was settled panics; settling it twice is idem.ErrSettled.
//
// # Not included
//
// Nothing outlives the process, and expired records stay in memory until Sweep, or until their key is claimed again.
//
// The invisible invariant: a record that is not expired stands in every place that its claim names. One in flight belongs to
// exactly one open Held, or has a lease.
package memstore
