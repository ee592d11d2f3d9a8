// Package model explores the protocols as small state machines, over every interleaving: three requests that claim, run, crash,
// lose answers, come again and complete, beside a database that keeps transactions and rows, a sweeper, and clocks that run out
// whenever it hurts.
//
// # Usage
//
//	result, violation := model.Transactional(model.Setting{}).Explore()
//	if violation != nil {
//		t.Fatal(violation) // with the shortest way to it
//	}
//
// # What is checked in every state
//
//   - At most one effect in the life of a record, and no two answers.
//   - Who was told of a success has its effect, who was told of a refusal or of nothing has none.
//   - Nobody was told of another command's outcome.
//   - Leased: no lease is taken that has not run out, and the provider charges once.
//
// When nothing happens any more one last request comes: it must be answered, so nothing is stuck. And every state must lead there.
//
// # Guarantees
//
// What a request does with what it finds is asked of idem.Decide and idem.ConditionOf, the table that the engine and the stores
// ask. Each setting with a flaw must be refuted: that is how one knows that the exploration sees anything.
//
// # Not included
//
// Bytes: commands are numbers. Isolation levels above read committed, under which PostgreSQL refuses more.
//
// The invariant that is otherwise invisible: a state is a comparable value and holds everything that matters for what comes next,
// so equal states are explored once.
package model
