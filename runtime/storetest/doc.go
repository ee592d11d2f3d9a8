// Package storetest is the conformance suite of stores: what every idem.Store must do, tried on the store that is given, and what
// it must do beyond that when it leases, sweeps, erases and resolves.
//
// # Usage
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, newStore, storetest.Effects[pgx.Tx]{Write: insertRow, Count: countRows})
//	}
//
// Effects say how a handler of that store writes and how committed writes are counted, because the suite checks effects, not
// only states: a store that answers rightly and writes twice fails. A store that lacks an optional interface is run with that said:
//
//	storetest.Run(t, newStore, effects, storetest.Leasing, storetest.Resolving)
//
// Then the cases and traces of these are skipped, and show as skipped. A store whose database has one writer lacks ConcurrentTransactions:
// cases leave out what they do beside an open transaction, and those that are about that are skipped. What time does is tried with a clock that newStore is given.
//
// Traces (testdata/*.trace) are stories of several actors, step by step with every result; package trace has their language. All
// stores must tell them in the same words. Agree thinks further ones up, and holds two stores against each other.
//
// # Guarantees
//
// Each case runs as a subtest on a store of its own. No case needs more than a few seconds, and none depends on the order of
// goroutines: where a race has several right endings, all of them pass and every other one fails.
//
// # Not included
//
// What only one store has: its errors, round trips, crash behaviour. Those are tested beside the store.
//
// The invariant that is otherwise invisible: the suite knows a store by its methods alone, so it can be run on stores that are
// written elsewhere. It must not be imported by code that is not a test.
package storetest
