// Package generator turns annotated OpenAPI documents into files: it loads a document, builds its contracts, emits the Go
// package and the lock, and then either writes them or compares them with what is on disk.
//
// # Usage
//
//	plan, findings, err := generator.Prepare([]string{"payments.yaml"}, generator.Options{})
//	if err != nil || findings.HasErrors() {
//		… // print them; nothing was written
//	}
//	changes, err := plan.Write()
//
// [Plan.Check] compares instead of writing; [Lint] stops before emitting. [Propose] guesses annotations where there are none.
//
// # Guarantees
//
//   - Everything is decided in memory before anything is written. Files are staged beside their places and renamed: a failure
//     leaves each file as it was or complete and new.
//   - A file that is current keeps its modification time.
//   - Only files that begin with idemgen's own line are replaced or deleted. A proposal in place is the exception: it adds lines to the
//     documents themselves, and nothing else of them moves.
//   - The bytes are a function of documents, overlays, options, the tool's version and the lock: not of the working folder, the
//     time, the user or the machine.
//
// # Not included
//
// Flags, streams, colours and exit codes: they are the command's.
//
// # Invariant
//
// This package never prints and never opens a connection. It starts git, to see what is released, and through package server the go command. An error that it returns means that the job
// could not be done; whatever is wrong with the user's documents is a diagnostic.
package generator
