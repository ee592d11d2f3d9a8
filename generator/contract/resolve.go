package contract

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// found is what a field path leads to.
type found struct {
	hits []hit // at least one
	// partial says that some branches of unions do not declare the path.
	partial bool
	union   *place // the first one on the way
	steps   int
}

// hit is one place that a path leads to.
type hit struct {
	place *place
	// rest are the steps inside a value that counts as a whole, or once more inside a recursive one: nothing can be selected there.
	rest []openapi.Segment
	// entry says that the rest names a single entry of the map at place.
	entry bool
}

// miss says where a field path leaves what is declared.
type miss struct {
	near string   // the path as it was probably meant
	have []string // what is declared there, when nothing is near
}

// maxSteps bounds the way of one path through unions in each other.
const maxSteps = 20_000

// resolve follows a path through the body, in unions through every branch.
func (t *tree) resolve(path openapi.FieldPath) (found, *miss) {
	var f found
	missed := t.follow(t.root, path, 0, &f)
	if len(f.hits) == 0 {
		return f, missed
	}
	f.partial = f.partial || missed != nil
	return f, nil
}

// follow adds what path leads to from p on, of which its first at steps lead to p. It gives the miss of a branch in which it leads nowhere.
func (t *tree) follow(p *place, path openapi.FieldPath, at int, f *found) *miss {
	if f.steps++; f.steps > maxSteps {
		return &miss{}
	}
	if at == len(path.Segments) {
		f.hits = append(f.hits, hit{place: p})
		return nil
	}
	step := path.Segments[at]
	switch p.kind() {
	case unionKind:
		return t.followBranches(p, path, at, f)
	case genericKind, recursionKind:
		return t.inside(p, path.Segments[at:], f)
	case scalarKind, objectKind, mapKind, arrayKind, fileKind:
	}
	next := t.step(p, step)
	switch {
	case next != nil:
		return t.follow(next, path, at+1, f)
	case p.kind() == mapKind && step.Kind == openapi.SegName:
		f.hits = append(f.hits, hit{place: p, rest: path.Segments[at:], entry: true})
		return nil
	}
	return t.explain(p, path, at)
}

func (t *tree) followBranches(p *place, path openapi.FieldPath, at int, f *found) *miss {
	if f.union == nil {
		f.union = p
	}
	var missed *miss
	for _, b := range t.branches(p) {
		if m := t.follow(b, path, at, f); m != nil {
			missed = missed.or(m)
		}
	}
	return missed
}

// or joins what two branches have to say: a near spelling, else all that they declare.
func (m *miss) or(other *miss) *miss {
	switch {
	case m == nil || m.near == "" && other.near != "":
		return other
	case m.near != "":
		return m
	}
	all := slices.Concat(m.have, other.have)
	slices.Sort(all)
	return &miss{have: slices.Compact(all)}
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

// inside follows steps through a value that counts as a whole, a union mostly, or once more through a recursive one.
func (t *tree) inside(p *place, rest []openapi.Segment, f *found) *miss {
	fits, branches := t.fits(p.merged, rest, map[visit]bool{})
	if fits == 0 {
		return &miss{}
	}
	if fits < branches {
		f.partial = true
		if f.union == nil {
			f.union = p
		}
	}
	f.hits = append(f.hits, hit{place: p, rest: rest})
	return nil
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
