package contract

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

// field adds what changes the value of one field.
func (m *vectorMaker) field(s *spot) {
	kind := ""
	switch s.node.Kind {
	case canon.LeafNode:
		v := variantsOf(s.node.As, s.text)
		m.set(rankDiffers, unlike(typicalName), s.path+" matters", s.path, v.differs)
		m.set(rankEqual, like(typicalName), s.path+" spelled otherwise", s.path, v.equal)
		if !s.inUnion {
			m.set(rankRefused, refused(), s.path+" is no "+v.is, s.path, v.refused)
		}
	case canon.ObjectNode:
		m.undeclared(s)
		kind = "object"
	case canon.MapNode:
		m.entry(s)
		kind = "object"
	case canon.ArrayNode:
		m.array(s)
		kind = "array"
	case canon.UnionNode:
		m.branches(s)
	}
	if kind != "" && !s.inUnion {
		other := map[string]string{"object": "[]", "array": "{}"}[kind]
		m.set(rankMore, refused(), s.path+" is no "+kind, s.path, other)
	}
}

// undeclared adds a member that no schema declares.
func (m *vectorMaker) undeclared(s *spot) {
	r, compare := rankMore, refused()
	if s.path == bodyText {
		r = rankWhole
	}
	switch s.node.Unknown {
	case canon.IncludeUnknown:
		compare = unlike(typicalName)
	case canon.IgnoreUnknown:
		compare = like(typicalName)
	case canon.RejectUnknown:
	}
	m.set(r, compare, s.path+" with an undeclared member", memberOf(s.path, freeName(s.node, "undeclared")), "1")
}

// entry adds an entry to a map.
func (m *vectorMaker) entry(s *spot) {
	name := freeName(s.node, "other")
	b := bodyMaker{budget: 1, count: 1, above: map[*canon.Node]bool{s.node: true}, quoted: m.quoted}
	if text, ok := b.value(s.node.Elem, where{name: name}); ok {
		m.set(rankDiffers, unlike(typicalName), s.path+" with one entry more", memberOf(s.path, name), text)
	}
}

// array changes number and order of elements.
func (m *vectorMaker) array(s *spot) {
	if len(s.elements) != 2 {
		return
	}
	first, second := s.elements[0], s.elements[1]
	list := func(elements ...string) string { return "[" + strings.Join(elements, ",") + "]" }
	order, twice := unlike(typicalName), unlike(typicalName)
	switch s.node.Array {
	case canon.Set:
		order, twice = like(typicalName), like(typicalName)
	case canon.Multiset:
		order = like(typicalName)
	case canon.List:
	}
	m.set(rankDiffers, unlike(typicalName), s.path+" with one element less", s.path, list(first))
	m.set(rankEqual, order, s.path+" in another order", s.path, list(second, first))
	m.set(rankEqual, twice, s.path+" with an element twice", s.path, list(first, second, second))
}

// branches takes the other branches of a union, and none of them.
func (m *vectorMaker) branches(s *spot) {
	u := s.node.Union
	for i := range u.Branches {
		b := bodyMaker{budget: typicalValues / 4, arrays: 1, above: map[*canon.Node]bool{s.node: true}, quoted: m.quoted}
		text, ok := b.branch(u, i, where{name: u.Branches[i].Label})
		if ok && i != s.branch {
			m.set(rankDiffers, unlike(typicalName), s.path+" as "+u.Branches[i].Label, s.path, text)
		}
	}
	none := func(label string) bool {
		return !slices.ContainsFunc(u.Branches, func(b canon.Branch) bool { return b.Label == label })
	}
	if u.Discriminator != "" {
		name := "none"
		for !none(name) {
			name += "x"
		}
		m.set(rankRefused, refused(), s.path+" is no branch", s.path, "{"+quoteJSON(u.Discriminator)+":"+quoteJSON(name)+"}")
		return
	}
	for _, kind := range []struct{ label, text string }{{"array", "[]"}, {"object", "{}"}, {"string", `"x"`}, {"number", "1"}, {"boolean", "true"}} {
		if none(kind.label) {
			m.set(rankRefused, refused(), s.path+" is no branch", s.path, kind.text)
			return
		}
	}
}

// presence adds what tells absent, null, empty and default apart.
func (m *vectorMaker) presence(s *spot) {
	base := typicalName
	if s.member {
		gone := vector.Vector{Name: s.path + " absent", Remove: []string{s.path}}
		if s.required {
			refused()(&gone)
		} else {
			base = gone.Name
			unlike(typicalName)(&gone)
		}
		m.add(rankAbsent, gone)
	}
	r, null := rankNull, unlike(base)
	switch { // of a union's branch the null is the union's
	case s.node.Null == canon.NullAbsent && base != typicalName:
		null = like(base)
	case s.node.Null == canon.NullRefused && (s.node.Kind != canon.LeafNode || s.node.As != canon.Generic):
		r, null = rankMore, refused()
	}
	if !s.inUnion {
		m.set(r, null, s.path+" null", s.path, "null")
	}
	switch {
	case s.node.Kind == canon.LeafNode && isText(s.node.As):
		m.set(rankEmpty, unlike(base), s.path+" empty", s.path, `""`)
	case s.node.Kind == canon.ArrayNode:
		m.set(rankEmpty, unlike(base), s.path+" empty", s.path, "[]")
	}
	if s.fallback != "" {
		m.set(rankDefault, like(base), s.path+" as its default", s.path, sentText(s.node, s.fallback))
	}
}
