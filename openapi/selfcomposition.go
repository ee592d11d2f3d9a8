package openapi

import (
	"slices"

	"github.com/idemgen/idemgen/openapi/diag"
)

// composition is one step from a schema to one that it is composed of.
type composition struct {
	from *Schema
	list *[]*Schema // AllOf, OneOf or AnyOf of from
	at   int
}

func (e composition) all() bool   { return e.list == &e.from.AllOf }
func (e composition) to() *Schema { return (*e.list)[e.at] }

// breakSelfComposition takes the cycles of allOf, oneOf and anyOf out of the schemas of ops, so that whoever merges or chooses
// comes to an end. Cycles through properties, items and additional members stay: they are recursive schemas.
//
// One kind of cycle is common and has a meaning: a base lists its variants in oneOf, each variant names the base in allOf.
// As part of a variant the base stands without its list. Every other cycle is reported.
func breakSelfComposition(ops []*Operation, ds *diag.List) {
	const passes = 100 // each takes out at least one cycle for every place that leads back; no real document needs three
	for range passes {
		w := &compositionWalk{ds: ds, done: map[*Schema]bool{}, open: map[*Schema]int{}}
		for _, op := range ops {
			w.operation(op)
		}
		if !w.changed {
			return
		}
	}
	// What is left would be followed for ever: cut it wherever it leads back.
	w := &compositionWalk{ds: ds, done: map[*Schema]bool{}, open: map[*Schema]int{}, cutAll: true}
	for _, op := range ops {
		w.operation(op)
	}
}

type compositionWalk struct {
	ds      *diag.List
	done    map[*Schema]bool
	open    map[*Schema]int // place on the way
	way     []composition
	cutAll  bool
	changed bool
}

func (w *compositionWalk) operation(op *Operation) {
	for _, p := range op.Parameters {
		w.visit(p.Schema)
	}
	if op.Body != nil {
		for _, m := range op.Body.Media {
			w.visit(m.Schema)
		}
	}
}

// visit follows composition on the way, and everything else from a fresh start.
func (w *compositionWalk) visit(s *Schema) {
	if s == nil || w.done[s] {
		return
	}
	if _, open := w.open[s]; open {
		return
	}
	w.open[s] = len(w.way)
	for _, list := range []*[]*Schema{&s.AllOf, &s.OneOf, &s.AnyOf} {
		for i := 0; i < len(*list); i++ {
			step := composition{from: s, list: list, at: i}
			start, leadsBack := w.open[step.to()]
			if !leadsBack {
				w.way = append(w.way, step)
				w.visit(step.to())
				w.way = w.way[:len(w.way)-1]
				continue
			}
			w.changed = true
			if w.cutAll || !unrollBase(append(slices.Clone(w.way[start:]), step)) {
				w.ds.Add(consistsOfItself(step.to()))
				*list = slices.Delete(slices.Clone(*list), i, i+1)
				i--
			}
		}
	}
	delete(w.open, s)
	w.done[s] = true
	w.beside(s)
}

// beside visits what s holds rather than is. It has its own way: a cycle through it is recursion, which has a meaning.
func (w *compositionWalk) beside(s *Schema) {
	inner := &compositionWalk{ds: w.ds, done: w.done, open: map[*Schema]int{}, cutAll: w.cutAll}
	for _, p := range s.Properties {
		inner.visit(p.Schema)
	}
	inner.visit(s.Items)
	inner.visit(s.Additional.Schema)
	if s.Discriminator != nil {
		for _, b := range s.Discriminator.Mapping {
			inner.visit(b.Schema)
		}
	}
	w.changed = w.changed || inner.changed
}

// unrollBase breaks a cycle in which a variant reaches, through allOf alone, the base that lists it. The variant gets copies
// of what stands on that way, the base's copy without its list. It reports whether the cycle is of that kind.
func unrollBase(cycle []composition) bool {
	listed := slices.IndexFunc(cycle, func(e composition) bool { return !e.all() })
	if listed < 0 {
		return false
	}
	cycle = slices.Concat(cycle[listed+1:], cycle[:listed+1]) // from the variant to the base, then the step back
	up, back := cycle[:len(cycle)-1], cycle[len(cycle)-1]
	if len(up) == 0 || slices.ContainsFunc(up, func(e composition) bool { return !e.all() }) {
		return false
	}
	below := *back.from
	below.OneOf, below.AnyOf, below.Discriminator = nil, nil, nil
	for i := len(up) - 1; i > 0; i-- {
		above := *up[i].from
		above.AllOf = slices.Clone(above.AllOf)
		above.AllOf[up[i].at] = ptr(below)
		below = above
	}
	variant := up[0]
	*variant.list = slices.Clone(*variant.list)
	(*variant.list)[variant.at] = ptr(below)
	return true
}

func ptr(s Schema) *Schema { return &s }
