package contract

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// hit is what a field path leads to.
type hit struct {
	place *place
	// rest are the steps inside a generic place, where nothing can be selected.
	rest []openapi.Segment
	// partial says that only some branches of a union have the rest.
	partial bool
	// entry says that the rest names a single entry of the map at place.
	entry bool
}

// miss says where a field path leaves what is declared.
type miss struct {
	near string   // the path as it was probably meant
	have []string // what is declared there, when nothing is near
}

// resolve follows a path through the body.
func (t *tree) resolve(path openapi.FieldPath) (hit, *miss) {
	p := t.root
	for i, step := range path.Segments {
		if p.kind() == genericKind {
			return t.inside(p, path.Segments[i:])
		}
		next := t.step(p, step)
		if next == nil && p.kind() == mapKind && step.Kind == openapi.SegName {
			return hit{place: p, rest: path.Segments[i:], entry: true}, nil
		}
		if next == nil {
			return hit{}, t.explain(p, path, i)
		}
		p = next
	}
	return hit{place: p}, nil
}

func (t *tree) step(p *place, step openapi.Segment) *place {
	k := p.kind()
	switch {
	case step.Kind == openapi.SegElement && k == arrayKind:
		return t.elem(p)
	case step.Kind == openapi.SegWildcard && k == mapKind:
		return t.value(p)
	case step.Kind == openapi.SegName && (k == objectKind || k == mapKind):
		for _, m := range t.members(p) {
			if m.name == step.Name {
				return m.place
			}
		}
	}
	return nil
}

// inside follows steps through a generic place: the branches of a union, or one more turn of a recursive schema.
func (t *tree) inside(p *place, rest []openapi.Segment) (hit, *miss) {
	fits, branches := t.fits(p.merged, rest, map[visit]bool{})
	if fits == 0 {
		return hit{}, &miss{}
	}
	return hit{place: p, rest: rest, partial: fits < branches}, nil
}

// visit is one schema met with a number of steps to go.
type visit struct {
	merged *merged
	steps  int
}

// fits counts the branches that declare the steps, and all of them. What allows anything fits.
// What was seen before counts once: unions may contain themselves, and each other many times over.
func (t *tree) fits(m *merged, steps []openapi.Segment, seen map[visit]bool) (fits, branches int) {
	if len(steps) == 0 {
		return 1, 1
	}
	v := visit{m, len(steps)}
	if seen[v] {
		return 0, 0
	}
	seen[v] = true
	if next, ok := declared(m, steps[0]); ok {
		return t.fits(t.merger.merge(next), steps[1:], seen)
	}
	if len(m.branches) > 0 {
		for _, branch := range m.branches {
			one, all := t.fits(t.merger.merge(schemaList(branch)), steps, seen)
			fits, branches = fits+one, branches+all
		}
		return fits, branches
	}
	if len(m.types) == 0 || m.kind == genericKind && m.reason == freeForm {
		return 1, 1
	}
	return 0, 1
}

// declared gives the schemas one step below m.
func declared(m *merged, step openapi.Segment) ([]*openapi.Schema, bool) {
	switch step.Kind {
	case openapi.SegElement:
		return m.items, len(m.items) > 0
	case openapi.SegWildcard:
		return m.entries, len(m.entries) > 0
	case openapi.SegName:
		for _, p := range m.props {
			if p.name == step.Name {
				return p.schemas, true
			}
		}
	}
	return nil, false
}

// explain finds what may have been meant by the step of path that p does not have.
func (t *tree) explain(p *place, path openapi.FieldPath, at int) *miss {
	repaired := func(steps ...openapi.Segment) string {
		out := path
		out.Segments = slices.Concat(path.Segments[:at], steps)
		return out.String()
	}
	step, rest := path.Segments[at], path.Segments[at:]
	switch k := p.kind(); {
	case k == arrayKind && step.Kind == openapi.SegName:
		return &miss{near: repaired(append([]openapi.Segment{{Kind: openapi.SegElement}}, rest...)...)}
	case k == arrayKind && step.Kind == openapi.SegWildcard:
		return &miss{near: repaired(append([]openapi.Segment{{Kind: openapi.SegElement}}, rest[1:]...)...)}
	case k == mapKind && (len(p.merged.props) == 0 || step.Kind == openapi.SegElement):
		return &miss{near: repaired(append([]openapi.Segment{{Kind: openapi.SegWildcard}}, rest[1:]...)...)}
	case step.Kind == openapi.SegElement || step.Kind == openapi.SegWildcard:
		return &miss{near: repaired()}
	}
	var names []string
	for _, m := range p.merged.props {
		names = append(names, m.name)
	}
	if near, ok := diag.Nearest(step.Name, names); ok {
		return &miss{near: repaired(append([]openapi.Segment{{Kind: openapi.SegName, Name: near}}, rest[1:]...)...)}
	}
	out := &miss{}
	for _, name := range names {
		out.have = append(out.have, repaired(openapi.Segment{Kind: openapi.SegName, Name: name}))
	}
	return out
}

// report makes the diagnostic of a path that leads nowhere.
func (m *miss) report(path openapi.FieldPath) diag.Diagnostic {
	const most = 8
	d := diag.Diagnostic{Pos: path.Pos, Code: diag.PathUnknown, Message: path.String() + " is not declared"}
	switch {
	case m.near != "":
		d.Hint = m.near
	case len(m.have) > most:
		d.Hint = strings.Join(append(m.have[:most:most], "…"), "\n")
	default:
		d.Hint = strings.Join(m.have, "\n")
	}
	return d
}
