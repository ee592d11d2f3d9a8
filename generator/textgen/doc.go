// Package textgen writes what people read about an API's idempotency: a Markdown sheet for those who call it,
// and the document itself with what its viewers and client generators have to know.
//
// # Usage
//
//	sheet, err := textgen.Markdown(doc, api)
//	text, left, err := textgen.Enrich(doc, api, openapiText)
//
// # Guarantees
//
//   - The bytes depend on the document and the contracts alone.
//   - What a document says, names included, comes out as text: it cannot end a table, a code span or a code block, begin a heading, or
//     become markup or a link. Characters that show nothing, or turn the direction of writing, are spelled out.
//   - Values in examples are made of types. What a document gives as an example is not read.
//   - What a document declares stays as it is, byte for byte, but for the end of descriptions; enriching twice changes nothing.
//   - The codes are those of runtime/idem, and tests hold the statuses to it.
//
// # Not included
//
// What an operation does and what its own answers mean: the document says so itself.
//
// # Invariant
//
// A hole of a template takes a value of the type markdown, and only escape.go makes one of a text that it does not know.
package textgen
