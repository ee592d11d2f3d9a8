package contract

import (
	"fmt"

	"github.com/idemgen/idemgen/openapi/diag"
)

// reportUndecided reports what is neither in fields nor in ignored, each part once: an object without any decision
// inside it is one part.
func (o *operation) reportUndecided() {
	if o.choice.all {
		return
	}
	if o.tree != nil {
		places, _ := o.openBelow(o.tree.root)
		for _, p := range places {
			o.undecided(p.text, p.pos)
		}
	}
	for _, p := range o.params {
		if p.mustDecide() && p.text != o.choice.key && o.choice.decided[p.text].decision == undecided {
			o.undecided(p.text, p.pos)
		}
	}
}

func (o *operation) undecided(text string, pos diag.Pos) {
	o.found.Add(diag.Diagnostic{
		Pos: o.fieldsPos(), Code: diag.FieldUndecided,
		Message: text + " is neither in fields nor in ignored",
		Hint:    fmt.Sprintf("fields:  [%s]   # another value is another command\nignored: [%s]   # another value is the same command", text, text),
		Related: []diag.Related{{Pos: pos, Message: "declared here"}},
	})
}

// openBelow lists the undecided parts at and below p. whole says that nothing below p is decided, so that p stands for all of it.
func (o *operation) openBelow(p *place) (places []*place, whole bool) {
	o.visits++
	if o.leftOut(p, undecided) || o.choice.decided[p.text].decision != undecided || o.tooLarge(p, o.visits) {
		return nil, false
	}
	children := o.childrenOf(p)
	whole = true
	counted := 0
	for _, c := range children {
		if c.readOnly || c.text == o.choice.key {
			continue
		}
		counted++
		below, all := o.openBelow(c)
		places = append(places, below...)
		whole = whole && all
	}
	if counted == 0 || whole && p.parent != nil {
		return []*place{p}, true
	}
	return places, whole
}

// childrenOf lists the places one level below p that can be decided upon.
func (o *operation) childrenOf(p *place) []*place {
	var out []*place
	if o.choice.asked[p.text].as != 0 {
		return nil
	}
	switch p.kind() {
	case objectKind, mapKind:
		for _, m := range o.tree.members(p) {
			out = append(out, m.place)
		}
		if p.kind() == mapKind {
			out = append(out, o.tree.value(p))
		}
	case arrayKind:
		return o.childrenOf(o.tree.elem(p))
	case scalarKind, genericKind:
	}
	return out
}
