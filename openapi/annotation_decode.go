package openapi

import (
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// decodeAnnotation reads the block of one operation as written: nothing is inherited and nothing is defaulted.
// n is the value of the extension. Everything that is wrong with it goes to ds.
func decodeAnnotation(s *source, n *yaml.Node, ds *diag.List) Annotation {
	return Annotation{Pos: s.pos(n)}
}

// decodePathDefaults reads the block of a path item: defaults for the operations below, opting nothing in.
func decodePathDefaults(s *source, n *yaml.Node, ds *diag.List) Annotation {
	return Annotation{Pos: s.pos(n)}
}

// decodeDefaults reads the block at the document's root: defaults for every operation, and in `operations`
// the blocks of operations by operationId, for those that live in another file.
func decodeDefaults(s *source, n *yaml.Node, ds *diag.List) (defaults Annotation, operations map[string]Annotation) {
	return Annotation{Pos: s.pos(n)}, nil
}
