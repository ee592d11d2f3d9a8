package contract

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
)

// union is what oneOf, anyOf or a list of types allows, where a value says by itself which branch it is of.
type union struct {
	discriminator string // the member that says it; empty: the JSON type does
	branches      []unionBranch
}

// unionBranch is one kind of value of a union.
type unionBranch struct {
	labels []string // values of the discriminator, sorted; or one JSON type
	merged *merged
}

// The labels of branches that differ by JSON type. An integer is a number.
const (
	stringLabel  = "string"
	numberLabel  = "number"
	booleanLabel = "boolean"
	arrayLabel   = "array"
	objectLabel  = "object"
)

// copyOf names a schema that the merger made of another one: always the same one, so that recursion is recognised.
type copyOf struct {
	schema *openapi.Schema
	of     string // the JSON type that is left of it; empty: all
}

// alone gives s without what it is composed of.
func (m *merger) alone(s *openapi.Schema) *openapi.Schema { return m.copied(s, "") }

// copied gives s without what it is composed of, cut down to one JSON type unless that is empty.
func (m *merger) copied(s *openapi.Schema, jsonType string) *openapi.Schema {
	key := copyOf{s, jsonType}
	if known := m.copies[key]; known != nil {
		return known
	}
	out := *s
	out.AllOf, out.OneOf, out.AnyOf, out.Discriminator = nil, nil, nil, nil
	if jsonType != "" {
		if len(s.Types) > 0 {
			out.Types = []string{jsonType}
		}
		if jsonType != "object" {
			out.Properties, out.Additional = nil, openapi.Additional{Allow: true}
		}
		if jsonType != "array" {
			out.Items = nil
		}
		out.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(text string) bool { return typeOfText(text) != jsonTypeLabel(jsonType) })
	}
	if s.CopyOf != nil {
		out.CopyOf = m.copied(s.CopyOf, jsonType)
	}
	m.copies[key] = &out
	return &out
}

// typeOfText is the JSON type of a JSON text.
func typeOfText(text string) string {
	switch {
	case text == "null" || text == "":
		return ""
	case text[0] == '"':
		return stringLabel
	case text[0] == '{':
		return objectLabel
	case text[0] == '[':
		return arrayLabel
	case text[0] == 't' || text[0] == 'f':
		return booleanLabel
	}
	return numberLabel
}

func jsonTypeLabel(t string) string {
	if t == "integer" {
		return numberLabel
	}
	return t
}

// union finds out how values of the branches are told apart; nil when they cannot be. parts are all that hold together.
func (m *merger) union(out *merged, parts []*openapi.Schema) *union {
	if len(out.branches) == 0 {
		return m.unionOfTypes(out.types, parts)
	}
	var holder *openapi.Schema
	var base []*openapi.Schema
	for _, s := range parts {
		lists := 0
		for _, list := range [][]*openapi.Schema{s.OneOf, s.AnyOf} {
			if len(realBranches(list)) > 1 {
				lists++
			}
		}
		switch {
		case lists > 1 || lists == 1 && holder != nil:
			return nil // a value would be of a branch of each
		case lists == 1:
			holder = s
		}
		if own := m.alone(s); !wrapper(own) {
			base = append(base, own)
		}
	}
	branches := make([]*merged, len(out.branches))
	for i, b := range out.branches {
		branches[i] = m.merge(append([]*openapi.Schema{b}, base...))
	}
	if u := m.discriminated(holder, parts, out.branches, branches); u != nil {
		return u
	}
	return m.unionByType(branches)
}

// unionOfTypes is the union of a list of types: [string, integer, object].
func (m *merger) unionOfTypes(types []string, parts []*openapi.Schema) *union {
	var branches []*merged
	for _, t := range types {
		if t == "integer" && slices.Contains(types, "number") {
			continue
		}
		var of []*openapi.Schema
		for _, s := range parts {
			if one := m.copied(s, t); !wrapper(one) {
				of = append(of, one)
			}
		}
		branches = append(branches, m.merge(of))
	}
	return m.unionByType(branches)
}

// unionByType wraps a value by its JSON type; nil when two branches share one or a branch has none. A branch that is such a union itself
// gives its branches. In a form a number and a boolean are texts: where they may come in one there must be a text among the branches.
func (m *merger) unionByType(branches []*merged) *union {
	u := &union{}
	for _, b := range branches {
		if b.kind == unionKind && b.union.discriminator == "" {
			u.branches = append(u.branches, b.union.branches...)
			continue
		}
		label := typeLabel(b)
		if label == "" {
			return nil
		}
		u.branches = append(u.branches, unionBranch{[]string{label}, b})
	}
	has := func(label string) bool {
		return slices.ContainsFunc(u.branches, func(b unionBranch) bool { return b.labels[0] == label })
	}
	if m.forms && !has(stringLabel) && (has(numberLabel) || has(booleanLabel)) {
		return nil
	}
	return u.sorted()
}

// typeLabel is the JSON type that all values of m have; empty when there is none.
func typeLabel(m *merged) string {
	switch m.kind {
	case scalarKind:
		return jsonTypeLabel(m.types[0])
	case objectKind, mapKind:
		return objectLabel
	case arrayKind:
		return arrayLabel
	case unionKind:
		if m.union.discriminator != "" {
			return objectLabel
		}
	case genericKind:
		if m.reason == freeForm {
			return objectLabel
		}
	case recursionKind, fileKind:
	}
	return ""
}

// discriminated wraps a value by what its discriminator says; nil when there is none, when a branch has no value of it, or when a branch
// does not declare it as a text: then nothing would hold it to the rules of declared members.
func (m *merger) discriminated(holder *openapi.Schema, parts, schemas []*openapi.Schema, branches []*merged) *union {
	d := holder.Discriminator
	for _, s := range parts {
		if d == nil {
			d = s.Discriminator
		}
	}
	if d == nil || d.Property == "" {
		return nil
	}
	u := &union{discriminator: d.Property}
	for i, s := range schemas {
		labels := labelsOf(d, s)
		if len(labels) == 0 || !m.declaresText(branches[i], d.Property) {
			return nil
		}
		u.branches = append(u.branches, unionBranch{labels, branches[i]})
	}
	return u.sorted()
}

// labelsOf lists the values that select a branch. The name of its schema is one where the mapping says nothing of it.
func labelsOf(d *openapi.Discriminator, s *openapi.Schema) []string {
	var written, implied []string
	for _, b := range d.Mapping {
		switch {
		case b.Schema != s:
		case b.Implied:
			implied = append(implied, b.Value)
		default:
			written = append(written, b.Value)
		}
	}
	if len(written) > 0 {
		return written
	}
	return implied
}

// declaresText reports whether each object that m describes declares a member of this name, and none as anything but a text.
func (m *merger) declaresText(of *merged, name string) bool {
	return m.eachDeclares(of, name, map[*merged]bool{})
}

// eachDeclares looks at each kind of value once: unions may share their branches many times over.
func (m *merger) eachDeclares(of *merged, name string, seen map[*merged]bool) bool {
	if seen[of] {
		return true
	}
	seen[of] = true
	switch of.kind {
	case objectKind, mapKind:
		for _, p := range of.props {
			if p.name == name {
				member := m.merge(p.schemas)
				return member.kind == scalarKind && member.types[0] == "string" || member.kind == genericKind && len(member.types) == 0
			}
		}
	case unionKind:
		return of.union.discriminator != "" &&
			!slices.ContainsFunc(of.union.branches, func(b unionBranch) bool { return !m.eachDeclares(b.merged, name, seen) })
	case scalarKind, arrayKind, genericKind, recursionKind, fileKind:
	}
	return false
}

// sorted puts the branches in order; nil when two have one label or there are fewer than two.
func (u *union) sorted() *union {
	seen := map[string]bool{}
	for _, b := range u.branches {
		for _, label := range b.labels {
			if seen[label] {
				return nil
			}
			seen[label] = true
		}
	}
	if len(u.branches) < 2 {
		return nil
	}
	slices.SortFunc(u.branches, func(a, b unionBranch) int { return strings.Compare(a.labels[0], b.labels[0]) })
	return u
}
