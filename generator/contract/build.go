package contract

import (
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Options say how contracts are built.
type Options struct {
	Base    string // file name of the document without its extension
	Package string // empty: derived from Base
	// SkipUnsupported turns operations that cannot be generated yet into warnings and leaves them out.
	SkipUnsupported bool
	// Lock is what the lock file held; nil when there is none. It pins names and gives version numbers.
	Lock *Lock
}

// Build makes the contracts of doc. Everything that is wrong is in the list, all at once; with errors in it the API must not be emitted.
func Build(doc *openapi.Document, opts Options) (*API, diag.List) {
	panic("contract: Build is built in this slice")
}
