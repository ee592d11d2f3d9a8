package propose

import (
	"slices"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/names"
	"github.com/idemgen/idemgen/openapi"
)

// part is something that a proposal can name: a parameter, or a place of the body.
type part struct {
	path     openapi.FieldPath
	text     string     // of the path
	name     names.Name // the last name on it
	top      bool       // a parameter, a member of the body, or the body where it has no members
	required bool
	// beside are the names of the members that stand beside it.
	beside []names.Name
	// schemas describe it: allOf and the branches of unions unfolded.
	schemas []*openapi.Schema
	node    *contract.Node // of the body; nil for parameters
}

// within reports whether the part stands inside of another one.
func (p *part) within(outer *part) bool {
	return p.path.In == outer.path.In && len(p.path.Segments) > len(outer.path.Segments) &&
		slices.Equal(p.path.Segments[:len(outer.path.Segments)], outer.path.Segments)
}

// any reports whether one of the part's schemas has a property.
func (p *part) any(is func(*openapi.Schema) bool) bool { return slices.ContainsFunc(p.schemas, is) }

// collector walks over the parts of an operation.
type collector struct {
	parts []*part
	at    map[string]*part // of the body, by text: branches of unions share one
}

// partsOf lists the parts of an operation that can be decided upon: path and query parameters, then the body from outside to inside, each
// in the order of the document. shape is the contract in which everything counts.
func partsOf(op *openapi.Operation, shape *contract.Contract) []*part {
	c := &collector{at: map[string]*part{}}
	for _, in := range []openapi.In{openapi.InPath, openapi.InQuery} {
		c.parts = append(c.parts, parameters(op, in)...)
	}
	if body := shape.Version.Body; body != nil && op.Body != nil {
		c.body(op.Body, body)
	}
	return c.parts
}

// parameters gives those of one place.
func parameters(op *openapi.Operation, in openapi.In) (out []*part) {
	for i := range op.Parameters {
		p := &op.Parameters[i]
		if p.In != in {
			continue
		}
		path := below(openapi.FieldPath{In: in}, openapi.Segment{Kind: openapi.SegName, Name: p.Name})
		out = append(out, &part{path: path, text: path.String(), name: names.New(p.Name), top: true, required: p.Required,
			schemas: unfold([]*openapi.Schema{p.Schema})})
	}
	return out
}

// body adds the members of the body, or the body itself where something of it has no members.
func (c *collector) body(b *openapi.Body, n *contract.Node) {
	var schemas []*openapi.Schema
	for _, m := range b.Media {
		schemas = append(schemas, m.Schema)
	}
	root := openapi.FieldPath{In: openapi.InBody}
	if !onlyMembers(n) {
		c.parts = append(c.parts, &part{path: root, text: root.String(), top: true, required: b.Required, schemas: unfold(schemas), node: n})
	}
	c.inside(root, n, unfold(schemas), onlyMembers(n))
}

// onlyMembers reports whether all that counts of n are declared members.
func onlyMembers(n *contract.Node) bool {
	if n.Kind == contract.UnionNode {
		return !slices.ContainsFunc(n.Union.Branches, func(b contract.Branch) bool { return !onlyMembers(b.Node) })
	}
	return n.Kind == contract.ObjectNode && slices.ContainsFunc(n.Members, func(m contract.Member) bool { return !m.Ignored })
}

// inside adds what stands inside of n, which is described by schemas.
func (c *collector) inside(path openapi.FieldPath, n *contract.Node, schemas []*openapi.Schema, top bool) {
	switch n.Kind {
	case contract.ObjectNode, contract.MapNode:
		c.members(path, n, schemas, top)
		if n.Kind == contract.MapNode {
			c.step(path, openapi.Segment{Kind: openapi.SegWildcard}, n.Elem, entriesOf(schemas))
		}
	case contract.ArrayNode:
		c.step(path, openapi.Segment{Kind: openapi.SegElement}, n.Elem, itemsOf(schemas))
	case contract.UnionNode:
		seen := map[*contract.Node]bool{} // several values may select one schema
		for _, b := range n.Union.Branches {
			if !seen[b.Node] {
				c.inside(path, b.Node, schemas, top)
			}
			seen[b.Node] = true
		}
	case contract.LeafNode, contract.RecursionNode: // nothing inside can be named, or it is named above
	}
}

func (c *collector) step(path openapi.FieldPath, step openapi.Segment, n *contract.Node, schemas []*openapi.Schema) {
	if n != nil {
		c.inside(below(path, step), n, unfold(schemas), false)
	}
}

func (c *collector) members(path openapi.FieldPath, n *contract.Node, schemas []*openapi.Schema, top bool) {
	order := declarationOrder(schemas)
	members := slices.Clone(n.Members)
	slices.SortStableFunc(members, func(a, b contract.Member) int { return order[a.Name] - order[b.Name] })
	var beside []names.Name
	for _, m := range members {
		beside = append(beside, names.New(m.Name))
	}
	for i, m := range members {
		if m.Ignored || m.Node == nil {
			continue
		}
		at := below(path, openapi.Segment{Kind: openapi.SegName, Name: m.Name})
		inside := unfold(propertiesOf(schemas, m.Name))
		c.add(&part{path: at, text: at.String(), name: beside[i], top: top, required: m.Required, beside: beside, schemas: inside, node: m.Node})
		c.inside(at, m.Node, inside, false)
	}
}

// add takes a part, or what is new about one that another branch of a union has too.
func (c *collector) add(p *part) {
	known := c.at[p.text]
	if known == nil {
		c.at[p.text] = p
		c.parts = append(c.parts, p)
		return
	}
	known.required = known.required && p.required
	for _, s := range p.schemas {
		if !slices.Contains(known.schemas, s) {
			known.schemas = append(known.schemas, s)
		}
	}
}

// below gives the path one step further. Paths share no memory.
func below(path openapi.FieldPath, step openapi.Segment) openapi.FieldPath {
	path.Segments = append(slices.Clone(path.Segments), step)
	return path
}
