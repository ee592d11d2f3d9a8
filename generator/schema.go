package generator

import "github.com/idemgen/idemgen/openapi"

// AnnotationSchema gives the JSON Schema of an operation's annotation.
func AnnotationSchema() ([]byte, error) { return openapi.AnnotationSchema() }

// DocumentSchema gives the JSON Schema of the annotations that stand in OpenAPI documents and overlays under the name extension; empty means
// x-idempotency. The rest of a document is free.
func DocumentSchema(extension string) ([]byte, error) { return openapi.DocumentSchema(extension) }
