// Package propose guesses what the annotation of an operation could be, from its names, its schemas and what the generator makes of
// them, and writes the guess with its reasons as YAML.
//
// # Usage
//
//	draft := propose.New(candidate, operation, contract) // of an operation that was read as if an empty annotation stood at it
//	lines := draft.Lines("x-idempotency")
//
// # Guarantees
//
// A guess is made by a rule with a name, a comment beside the line gives its reason, and one that the document alone cannot settle is
// marked `undecided:`. Nothing wider than the narrow default is proposed without that mark, apart from parameters that only shape the
// answer, and from amounts of money. The text is a function of the operation; the document's examples are never looked at.
//
// # Not included
//
// Whether the generator takes the guess: package generator compiles it, and calls Refuse and LeaveOut with what it was told.
//
// This package reads and writes no files.
package propose
