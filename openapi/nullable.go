package openapi

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// nullableCopy is a schema that is another one or null. It is copied when everything is converted, because the other one may
// be recursive and then is not finished when it is met.
type nullableCopy struct {
	to, from *Schema
	state    uint8 // 0 waiting, 1 being copied, 2 done
}

// collapseNull takes the branches that allow null alone out of oneOf and anyOf. One other branch, with nothing else beside it,
// becomes the schema itself: `oneOf: [X, {type: "null"}]` is a nullable X.
func (c *converter) collapseNull(s *Schema, p place) {
	one, hadOne := c.withoutNull(s.OneOf, c.v.member(p, "oneOf"))
	some, hadAny := c.withoutNull(s.AnyOf, c.v.member(p, "anyOf"))
	if !hadOne && !hadAny {
		return
	}
	s.OneOf, s.AnyOf, s.Nullable = one, some, true
	rest := slices.Concat(one, some)
	switch {
	case len(rest) == 0 && bare(s):
		s.Enum = []string{"null"}
	case len(rest) == 1 && bare(s):
		s.OneOf, s.AnyOf = nil, nil
		c.copies = append(c.copies, &nullableCopy{to: s, from: rest[0]})
	}
}

// bare reports whether s says nothing of its own about what it allows, apart from its branches and null.
func bare(s *Schema) bool {
	return len(s.Types) == 0 && len(s.Properties) == 0 && len(s.AllOf) == 0 && len(s.Enum) == 0 && !s.Additional.Set &&
		s.Items == nil && s.Format == "" && s.Encoding == "" && s.MediaType == "" && s.Pattern == "" && s.MinLength == 0 && s.MaxLength == nil
}

func (c *converter) withoutNull(branches []*Schema, list place) (rest []*Schema, had bool) {
	nodes := items(list.node)
	for i, b := range branches {
		if c.nullAlone(place{s: list.s, node: nodes[i]}) {
			had = true
			continue
		}
		rest = append(rest, b)
	}
	return rest, had
}

// nullAlone reports whether the schema at p allows null and nothing else.
func (c *converter) nullAlone(p place) bool {
	if refOf(p.node) != nil {
		to, ok := c.refs.followUntil(p, c.v.saysMore)
		if !ok || refOf(to.node) != nil {
			return false
		}
		p = to
	}
	if n := child(p.node, "const"); n != nil {
		return isNull(n)
	}
	if list := items(child(p.node, "enum")); len(list) > 0 {
		return !slices.ContainsFunc(list, func(n *yaml.Node) bool { return !isNull(n) })
	}
	types := child(p.node, "type")
	if types == nil {
		return false
	}
	list := []*yaml.Node{types}
	if types.Kind == yaml.SequenceNode {
		list = types.Content
	}
	return len(list) > 0 && !slices.ContainsFunc(list, func(n *yaml.Node) bool { return !isNull(n) && scalar(n) != "null" })
}

// finishCopies makes the copies, each after what it copies.
func (c *converter) finishCopies() {
	waiting := map[*Schema]*nullableCopy{}
	for _, n := range c.copies {
		waiting[n.to] = n
	}
	var finish func(n *nullableCopy)
	finish = func(n *nullableCopy) {
		if n.state > 0 {
			if n.state == 1 {
				c.ds.Add(consistsOfItself(n.to))
			}
			return
		}
		n.state = 1
		if before := waiting[n.from]; before != nil {
			finish(before)
		}
		n.copy()
		n.state = 2
	}
	for _, n := range c.copies {
		finish(n)
	}
}

// copy keeps what the outer schema says about itself.
func (n *nullableCopy) copy() {
	outer := *n.to
	*n.to = *n.from
	n.to.Pos, n.to.Nullable, n.to.CopyOf = outer.Pos, true, n.from
	if n.from.CopyOf != nil {
		n.to.CopyOf = n.from.CopyOf
	}
	if outer.Name != "" {
		n.to.Name = outer.Name
	}
	if outer.Description != "" {
		n.to.Description = outer.Description
	}
	if outer.Default != "" {
		n.to.Default = outer.Default
	}
	if outer.Discriminator != nil {
		n.to.Discriminator = outer.Discriminator
	}
	n.to.ReadOnly = n.to.ReadOnly || outer.ReadOnly
	n.to.WriteOnly = n.to.WriteOnly || outer.WriteOnly
}

func consistsOfItself(s *Schema) diag.Diagnostic {
	name := "the schema"
	if s.Name != "" {
		name += " " + quoteText(s.Name)
	}
	return diag.Diagnostic{Pos: s.Pos, Code: diag.SchemaInItself,
		Message: name + " consists of itself, without a property or an item between"}
}
