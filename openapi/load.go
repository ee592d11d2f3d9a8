package openapi

import "github.com/idemgen/idemgen/openapi/diag"

// Options say how a document is read.
type Options struct {
	// Overlays are OpenAPI Overlay 1.0 files, applied in order.
	Overlays []string
	// Extension is the annotation's name. Empty means x-idempotency.
	Extension string
	// Webhooks allows annotations below `webhooks`.
	Webhooks bool
}

// Load reads the document in file with all that it refers to, and gives its annotated operations resolved.
// Everything that is wrong with the document is in the list, all at once; the document is nil when nothing could be made of it.
// The error says that the job could not be done at all: a file that cannot be read.
func Load(file string, opts Options) (*Document, diag.List, error) {
	panic("openapi: Load is built in this slice")
}
