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
	const passes = 100 // real documents need two; after that every step that leads back is cut
	for pass := 0; ; pass++ {
		w := &compositionWalk{ds: ds, done: map[*Schema]bool{}, open: map[*Schema]int{}, cutAll: pass >= passes}
		for _, op := range ops {
			w.operation(op)
		}
		if !w.changed {
			return
		}
	}
}

type compositionWalk struct {
	ds      *diag.List
	queue   []*Schema // to be visited, each from a fresh start
	done    map[*Schema]bool
	open    map[*Schema]int // place on the way
	way     []composition
	cutAll  bool
	changed bool
}

func (w *compositionWalk) operation(op *Operation) {
	for _, p := range op.Parameters {
		w.queue = append(w.queue, p.Schema)
	}
	if op.Body != nil {
		for _, m := range op.Body.Media {
			w.queue = append(w.queue, m.Schema)
		}
	}
	for len(w.queue) > 0 {
		s := w.queue[0]
		w.queue = w.queue[1:]
		w.visit(s)
	}
}

// visit follows composition on the way; what s holds rather than is waits in the queue.
func (w *compositionWalk) visit(s *Schema) {
	if s == nil || w.done[s] {
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

func (w *compositionWalk) beside(s *Schema) {
	for _, p := range s.Properties {
		w.queue = append(w.queue, p.Schema)
	}
	w.queue = append(w.queue, s.Items, s.Additional.Schema)
	if s.Discriminator != nil {
		for _, b := range s.Discriminator.Mapping {
			w.queue = append(w.queue, b.Schema)
		}
	}
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
