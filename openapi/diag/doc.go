// Package diag is how idemgen talks about what is wrong with a document: a place, a code, a sentence, and what to write instead.
//
// # Usage
//
// Whoever finds something adds it to a [List]; whoever holds the list decides how it is printed.
//
//	var ds diag.List
//	ds.Add(diag.Diagnostic{Pos: pos, Code: diag.RefMissing, Message: "…", Hint: "…"})
//	err := diag.TextPrinter{Read: os.ReadFile}.Print(os.Stderr, ds.All())
//
// # Guarantees
//
// The order of [List.All] depends on the findings alone, never on the order in which they were found. Codes are never reused
// for another meaning. Text that comes from a document reaches a terminal without its control characters.
//
// # Not included
//
// Knowledge of OpenAPI, exit codes, and the choice between streams.
//
// This package never reads or writes files: excerpts come from a function that the caller passes.
package diag
