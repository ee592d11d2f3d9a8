// Package config reads idemgen.yaml, which holds what a team wants fixed: its documents and how they are generated, how much findings weigh,
// and which are accepted.
//
// # Usage
//
//	c, found, err := config.Open("", documents) // nil where there is none
//	documents = c.DocumentsOr(documents)
//	c.Configure(&options, documents, flags.Changed)
//
// # Members
//
// The tables in members.go say what the file may have, how it is read, and what editors are told of it: [Schema] is made of them.
//
// # Guarantees
//
// Decoding is strict: whatever is not known is an error at its place. Paths in the file are relative to its folder and have forward slashes,
// so the same file gives the same result on every machine and in every working folder. What a flag says goes before what the file says.
//
// # Not included
//
// Flags themselves, and what a finding weighs: that is package lint's.
//
// This package reads idemgen.yaml alone and writes nothing.
package config
