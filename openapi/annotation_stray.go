package openapi

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// stray warns of members of the annotation that stand beside it, as members of the operation: wrong indentation, or what was meant
// to complete a short form. OpenAPI has no member of such a name, and nobody else says that it is not read.
func (l *loading) stray(w *written) {
	names := memberNames(newBlock(w.node.s, &diag.List{}, &yaml.Node{}, onOperation).known())
	for key := range entries(w.node.node) {
		if slices.Contains(names, key.Value) {
			l.report(place{s: w.node.s, node: key}, diag.AnnotationSpelled, "",
				"%s stands beside %s and is not read: it is a member of the annotation", quoteText(key.Value), l.extension)
		}
	}
}
