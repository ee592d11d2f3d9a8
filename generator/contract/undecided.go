package contract

import (
	"slices"

	"github.com/idemgen/idemgen/openapi/diag"
)

// reportUndecided reports what is neither in fields nor in ignored, each part once: an object without any decision
// inside it is one part.
func (o *operation) reportUndecided() {
	if o.choice.all {
		return
	}
	if o.tree != nil {
		reported := map[string]bool{} // a member of several branches is one part
		for _, p := range o.openBelow(o.tree.root) {
			if !reported[p.plain] {
				o.undecided(p.plain, p.pos)
			}
			reported[p.plain] = true
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
		Hint:    "- " + yamlText(text, blockText) + "   # in fields: another value is another command; in ignored: it is the same one",
		Related: []diag.Related{{Pos: pos, Message: "declared here"}},
	})
}

// openBelow lists the undecided parts at and below p. It follows decisions only: where there is none below, p stands for all of it.
func (o *operation) openBelow(p *place) []*place {
	if o.leftOut(p, undecided) || o.choice.decided[p.plain].decision != undecided {
		return nil
	}
	if p.parent != nil && !o.choice.above[p.plain] {
		return []*place{p}
	}
	var open []*place
	parts := 0
	for _, c := range o.childrenOf(p) {
		if !c.readOnly && c.plain != o.choice.key {
			parts++
			open = append(open, o.openBelow(c)...)
		}
	}
	if parts == 0 || o.wholeBranch(p) {
		return []*place{p}
	}
	return open
}

// wholeBranch reports whether p is a union of which some values have no parts: nobody has decided upon those who decided upon the parts.
func (o *operation) wholeBranch(p *place) bool {
	return p.kind() == unionKind && o.choice.asked[p.plain].as == 0 &&
		slices.ContainsFunc(o.tree.kindsOf(p, nil), func(b *place) bool { return len(o.childrenOf(b)) == 0 })
}

// childrenOf lists the places one level below p that can be decided upon.
func (o *operation) childrenOf(p *place) []*place {
	var out []*place
	if o.choice.asked[p.plain].as != 0 {
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
	case unionKind:
		for _, b := range o.tree.kindsOf(p, nil) {
			out = append(out, o.childrenOf(b)...)
		}
	case scalarKind, genericKind, recursionKind, fileKind:
	}
	return out
}
