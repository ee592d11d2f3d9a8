// Package history checks what clients saw for linearizability: that there is an order of their requests, one after the other and
// none moved out of the time in which it was under way, in which every answer is right.
//
// # Usage
//
//	id := recorder.Begin(history.Call{Key: key, Command: amount, ID: call})
//	answer, err := client.Send(ctx, order)
//	recorder.End(id, history.AnswerOf(answer, err))
//	…
//	err = history.Check(recorder.Operations(), time.Minute)
//
// # Guarantees
//
// A key is a register that is written once: absent, then bound to a command, then done with one run's answer. A run's answer fits
// a key that was not done; a replay, one that is done with that very run; a mismatch, one that belongs to another command. A
// request that got no answer may have done all of its work, some or none.
//
// A history that could not be decided in the time given is an error, not a pass.
//
// # Not included
//
// Expiry: a key lives for ever here. In-flight answers: they leave nothing behind and fit everything.
//
// The invariant that is otherwise invisible: times are only compared, so any counter does that all clients share.
package history
