// Package openapi reads an OpenAPI document and gives the operations that carry x-idempotency, resolved: no reference is left to
// follow, every part knows the place it was written at, and no type of another library shows.
//
// # Usage
//
//	doc, findings, err := openapi.Load("openapi.yaml", openapi.Options{Overlays: []string{"idempotency.overlay.yaml"}})
//
// The error says that a file could not be read. Everything that is wrong with the document is in the findings, all at once.
//
// # How a document is read
//
//  1. The root file is parsed to nodes that know their places; YAML and JSON each by their own rules. Overlays change the nodes.
//  2. Annotated operations are looked for below paths, in other files too where a path item is a $ref.
//  3. The document is reduced to these operations and to the schemas that their parameters and bodies reach. Faults elsewhere
//     in the document stop nobody.
//  4. kin-openapi loads the reduced document. What it would lose is read from the nodes: order, places, the digits of numbers.
//
// A [Text] is one file that is edited member by member; what is not edited keeps its bytes.
//
// # Guarantees
//
// 3.0, 3.1 and 3.2, several files, JSON and YAML. A shared schema is one pointer, a recursive one a cycle of pointers through a
// property, an item or an additional member, never through allOf, oneOf and anyOf alone. The result depends on the files alone,
// never on the order of a map. A file may have 64 MiB, 1000 levels of nesting, and 500,000 values made by YAML aliases.
//
// # Not included
//
// Validation of what is not needed, Swagger 2.0, $dynamicRef, $id, and the network: a $ref is a path relative to its file.
// That path may leave the root document's folder: repositories share files in a folder beside it.
//
// This package is the only one that imports kin-openapi, it reads files and never writes one, and it opens no connection.
package openapi
