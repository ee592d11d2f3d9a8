package openapi

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// unions knows which schema a discriminator's value selects.
type unions struct {
	v        version
	refs     *resolver
	ds       *diag.List
	quiet    *resolver // for looking around: what it cannot find is no finding
	mappings map[*yaml.Node][]unionBranch
	children map[*source]map[*yaml.Node][]place // schemas that name a schema in allOf, by that schema
}

type unionBranch struct {
	value   string
	to      place
	implied bool // by the schema's name; the mapping does not list it
}

func newUnions(v version, refs *resolver, ds *diag.List) *unions {
	return &unions{v: v, refs: refs, ds: ds, quiet: newResolver(refs.files, &diag.List{}),
		mappings: map[*yaml.Node][]unionBranch{}, children: map[*source]map[*yaml.Node][]place{}}
}

// mapping gives the values of the discriminator of the schema at p, sorted: those that it lists, and the names of the branches.
// Where there are no branches the schema is a base, and the schemas of its file that name it in allOf are its branches.
func (u *unions) mapping(p place) []unionBranch {
	d := u.v.member(p, "discriminator")
	if !isObject(d.node) {
		return nil
	}
	if got, ok := u.mappings[p.node]; ok {
		return got
	}
	byValue := map[string]unionBranch{}
	for _, b := range u.branches(p) {
		byValue[b.value] = b
	}
	for key, value := range entries(d.in("mapping").node) {
		if to, ok := u.mapped(p.s, value); ok {
			byValue[key.Value] = unionBranch{value: key.Value, to: to}
		}
	}
	var out []unionBranch
	for _, b := range byValue {
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b unionBranch) int { return cmp.Compare(a.value, b.value) })
	u.mappings[p.node] = out
	return out
}

// branches gives the implicit values.
func (u *unions) branches(p place) (out []unionBranch) {
	listed := false
	for _, keyword := range []string{"oneOf", "anyOf"} {
		for _, n := range items(u.v.member(p, keyword).node) {
			listed = true
			if to, ok := u.named(place{s: p.s, node: n}); ok {
				out = append(out, unionBranch{to.name, to, true})
			}
		}
	}
	if listed {
		return out
	}
	for _, child := range u.childrenOf(p) {
		out = append(out, unionBranch{child.name, child, true})
	}
	return out
}

// named follows a branch that is a reference. An inline branch has no name.
func (u *unions) named(p place) (place, bool) {
	if refOf(p.node) == nil {
		return place{}, false
	}
	return u.quiet.followUntil(p, u.v.saysMore)
}

// mapped gives the schema that a value of the mapping names: a component's name, or a reference.
func (u *unions) mapped(s *source, n *yaml.Node) (place, bool) {
	name := scalar(n)
	var found diag.List
	to, ok := place{s: s, node: componentSchema(s, name), name: name}, true
	switch {
	case to.node != nil:
	case strings.ContainsAny(name, "#/") || slices.Contains([]string{".json", ".yaml", ".yml"}, path.Ext(name)):
		to, ok = newResolver(u.refs.files, &found).resolve(s, n)
	default:
		ok = false
		found.Add(diag.Diagnostic{Pos: s.pos(n), Code: diag.RefMissing,
			Message: "the discriminator's mapping names the schema " + quoteText(name) + ", which does not exist"})
	}
	for _, d := range found.All() {
		d.Severity = diag.Warning // the value selects nothing; the other values are not touched
		u.ds.Add(d)
	}
	if ok && refOf(to.node) != nil && !u.v.saysMore(to.node) {
		return u.quiet.followUntil(to, u.v.saysMore)
	}
	return to, ok
}

// childrenOf gives the components of p's file that name p in allOf.
func (u *unions) childrenOf(p place) []place {
	known, ok := u.children[p.s]
	if !ok {
		known = map[*yaml.Node][]place{}
		for key, value := range entries(child(child(p.s.root, "components"), "schemas")) {
			for _, n := range items(child(value, "allOf")) {
				if !strings.HasPrefix(scalar(refOf(n)), "#/") {
					continue
				}
				if base, ok := u.quiet.followUntil(place{s: p.s, node: n}, u.v.saysMore); ok {
					known[base.node] = append(known[base.node], place{s: p.s, node: value, name: key.Value})
				}
			}
		}
		u.children[p.s] = known
	}
	return known[p.node]
}
