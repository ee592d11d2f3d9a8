// Package trace reads traces: stories of what actors do to a store, step by step, with what each of them gets. They are the state
// machine's tests, in words that can be read beside its tables.
//
//	# The attempt before a takeover is fenced.
//	alice leases k                -> ours
//	clock +30s
//	bob   leases k                -> in flight, lease over: take over
//	bob   takes  k                -> attempt 2 after in flight
//	alice settles k completed 201 -> fenced
//
// # The language
//
// A line is a step, or empty. What follows a # is a comment. A step has an actor, a verb with what it asks for, an arrow and the
// result; Verbs lists them. Words with blanks or other odd characters are quoted as in Go. An actor remembers, for each key, the
// transaction, the attempt or the phase that it has open and what it found there last.
//
//	clock +DURATION    turns the store's clock, which stands still otherwise
//	include NAME       does the steps of another trace first
//
// # Usage
//
//	steps, err := trace.Parse("claim.trace", text)
//
// # Guarantees
//
// A step that was read is well formed: its verb is known and has every argument, durations, numbers and states are such, no option
// is unknown or given twice. An error says file, line and column, and what would be right there.
//
// # Not included
//
// The package runs nothing; storetest does. The invariant that is otherwise invisible: it reads no files and knows no store.
package trace
