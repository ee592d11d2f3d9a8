// Package gogen writes the Go package that a team links into its server: one file for what the operations share and one for each
// annotated operation, with its descriptor, its fingerprint function, its command type and its net/http handler.
//
// # Usage
//
//	files, err := gogen.Generate(api, "payments.yaml")
//
//	binding, err := gogen.GenerateBinding(api, gogen.Binding{Server: pkg, …}, "payments.yaml")
//
// The contract decides everything, names included; this package only spells it as Go.
//
// # Guarantees
//
//   - The files are gofmt and vet clean and import the standard library, idem and canon alone, always under these names.
//   - They are a function of the API and the document's name: no dates, no tool version, no folder, no map order.
//   - Text of the document ends in comments, through one helper (comment.go), or in quoted literals; it never becomes code or a directive.
//   - Nothing broken is given out: identifiers and indexes are checked first (check.go), and what does not parse is an error that
//     names the contract.
//   - The wrapper of an operation (descriptor, fingerprint function, decoder, handler) has at most 60 lines, whatever its size.
//
// # Not included
//
// Everything that is written to disk. What a binding is for, package server has read.
//
// Invariant: this package never reads or writes files, and no other package imports jennifer.
package gogen
