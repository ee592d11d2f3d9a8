// Package control holds stores that are wrong on purpose, as they are written by hand again and again. Every proof runs on them
// too and must find them out: one that finds nothing wrong anywhere proves nothing.
//
// # Usage
//
//	engine, err := idem.NewEngine(control.ReadThenWrite(pool), contract, scope, idem.Options{})
//
// # Guarantees
//
// Each control has one mistake. All else is as it should be, the answers of a single client included: without concurrency and
// without crashes nothing is wrong with them.
//
// The invariant that is otherwise invisible: controls keep their records in pgstore's table, so that the same checks read them.
package control
