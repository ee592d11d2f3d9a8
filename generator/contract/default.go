package contract

import (
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// defaulted is a member whose schema default stands for it when it is absent.
type defaulted struct {
	place  *place
	in     *Node
	member int // of in
	rule   *rule
}

// materialiseAll gives each member the canonical text of its schema's default: what a request that sends it would lead to. It waits
// until all nodes are made, since a default may be of a kind that stands above it; those inside of others come first.
func (o *operation) materialiseAll() {
	text := func(d defaulted) (string, error) {
		return canonicalText(d.in.Members[d.member].Node, d.place.merged.defaultText)
	}
	for _, d := range o.defaults {
		t, err := text(d)
		if err != nil {
			o.badDefault(o.choice.asked[d.place.plain].pos, d.place.plain, d.place.pos, err)
		}
		d.in.Members[d.member].Default, d.rule.defaultText = t, t
	}
	for _, d := range o.defaults {
		if t, err := text(d); err == nil && t != d.rule.defaultText {
			o.badDefault(o.choice.asked[d.place.plain].pos, d.place.plain, d.place.pos, errEndless)
		}
	}
}

// errEndless: an absent member means the default, in which the same member is absent.
var errEndless = errors.New("it lacks what it is the default of, so it has no end")

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
