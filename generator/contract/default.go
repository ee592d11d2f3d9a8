package contract

import (
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// materialise gives the canonical text of the schema's default at p: what a request that sends it would lead to.
func (o *operation) materialise(p *place, n *Node) string {
	text, err := canonicalText(n, p.merged.defaultText)
	if err != nil {
		o.badDefault(o.choice.asked[p.text].pos, p.text, p.pos, err)
	}
	return text
}

// paramDefault is materialise for a parameter.
func (o *operation) paramDefault(p *param, c canon.Param) string {
	n := &Node{Kind: LeafNode, As: c.As, Field: -1}
	if c.Array != 0 {
		n = &Node{Kind: ArrayNode, Array: c.Array, Field: -1, Elem: n}
	}
	text, err := canonicalText(n, p.merged.defaultText)
	if err != nil {
		o.badDefault(o.choice.asked[p.text].pos, p.text, p.pos, err)
	}
	return text
}

func (o *operation) badDefault(pos diag.Pos, text string, declared diag.Pos, cause error) {
	reason := cause.Error()
	if refusal := (*canon.Refusal)(nil); errors.As(cause, &refusal) {
		reason = refusal.Reason
	}
	o.found.Add(diag.Diagnostic{Pos: pos, Code: diag.DefaultMisfit, Message: fmt.Sprintf("the default of %s could not be sent: %s", text, reason),
		Related: []diag.Related{{Pos: declared, Message: "declared here"}}})
}
