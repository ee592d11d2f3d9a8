package contract

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// place is one place of a request body. Its children are made when somebody asks for them.
type place struct {
	merged *merged
	path   openapi.FieldPath
	// plain is path as text: what the annotation calls the place, and with it the same place in the other branches of unions.
	plain string
	// text is the place's own name, for the lock: the branches on the way stand in it, body.method{card}.number.
	text     string
	pos      diag.Pos
	parent   *place
	depth    int
	presence presence
	readOnly bool // or inside of what is
	// again is the place above that has the same schema: what stands there stands here once more.
	again    *place
	branch   bool // it is one kind of value of the union at parent
	file     bool // it counts by its bytes
	children []*member
	unfolded bool
	element  *place
	entry    *place
	kinds    []*place // of a union
}

// member is one declared member of the object at a place.
type member struct {
	prop
	place *place
}

// tree unfolds the schema of a body.
type tree struct {
	merger    *merger
	root      *place
	multipart bool
	encoding  map[string]openapi.Encoding
}

// partOf reports whether path is a member of a multipart body, or its elements: what a part stands for.
func (t *tree) partOf(path openapi.FieldPath) bool {
	if t == nil || !t.multipart || path.In != openapi.InBody || len(path.Segments) == 0 || path.Segments[0].Kind == openapi.SegElement {
		return false
	}
	return !slices.ContainsFunc(path.Segments[1:], func(s openapi.Segment) bool { return s.Kind != openapi.SegElement })
}

func schemaList(s *openapi.Schema) []*openapi.Schema {
	if s == nil {
		return nil
	}
	return []*openapi.Schema{s}
}

// kind is what stands at p.
func (p *place) kind() kind {
	switch {
	case p.file:
		return fileKind
	case p.again != nil:
		return recursionKind
	}
	return p.merged.kind
}

// members gives the declared members of p in canonical order.
func (t *tree) members(p *place) []*member {
	if p.unfolded {
		return p.children
	}
	p.unfolded = true
	for _, prop := range p.merged.props {
		step := openapi.Segment{Kind: openapi.SegName, Name: prop.name}
		m := &member{prop: prop, place: t.child(p, step, prop.schemas, prop.pos)}
		m.place.presence = present(prop.required && !m.place.readOnly)
		p.children = append(p.children, m)
	}
	return p.children
}

// elem gives the place of every element of the array at p.
func (t *tree) elem(p *place) *place {
	if p.element == nil {
		p.element = t.child(p, openapi.Segment{Kind: openapi.SegElement}, p.merged.items, p.pos)
	}
	return p.element
}

// value gives the place of every entry of the map at p.
func (t *tree) value(p *place) *place {
	if p.entry == nil {
		p.entry = t.child(p, openapi.Segment{Kind: openapi.SegWildcard}, p.merged.entries, p.pos)
	}
	return p.entry
}

// branches gives the places of the kinds of values of the union at p, in the order of their labels.
func (t *tree) branches(p *place) []*place {
	if p.kinds == nil {
		for _, b := range p.merged.union.branches {
			c := &place{merged: b.merged, path: p.path, plain: p.plain, text: p.text + branchText(b.labels), pos: b.merged.pos,
				parent: p, depth: p.depth, branch: true}
			c.settle(p.pos)
			c.file = t.partOf(c.path) && t.asFile(c)
			p.kinds = append(p.kinds, c)
		}
	}
	return p.kinds
}

// kindsOf lists the kinds of values of the union at p, those of unions among them too. More than a lock may have lines are not told apart:
// such a body is refused.
func (t *tree) kindsOf(p *place, known []*place) []*place {
	for _, b := range t.branches(p) {
		switch {
		case len(known) > maxLines:
			return known
		case b.kind() == unionKind:
			known = t.kindsOf(b, known)
		default:
			known = append(known, b)
		}
	}
	return known
}

func (t *tree) child(parent *place, step openapi.Segment, schemas []*openapi.Schema, pos diag.Pos) *place {
	path := below(parent.path, step)
	one := openapi.FieldPath{In: path.In, Segments: []openapi.Segment{step}}.String()
	c := &place{merged: t.merger.merge(schemas), path: path, plain: path.String(), text: parent.text + strings.TrimPrefix(one, path.In.String()),
		pos: pos, parent: parent, depth: parent.depth + 1}
	c.settle(c.merged.pos)
	c.file = t.partOf(path) && t.asFile(c)
	return c
}

// settle completes c from what stands above it.
func (c *place) settle(pos diag.Pos) {
	if !c.pos.IsValid() {
		c.pos = pos
	}
	c.readOnly = c.parent.readOnly || c.merged.readOnly
	for up := c.parent; up != nil && c.merged.identity != "" && c.again == nil; up = up.parent {
		if up.merged.identity == c.merged.identity {
			c.again = up
		}
	}
}

// below gives the path one step further. Places share no memory through their paths.
func below(path openapi.FieldPath, step openapi.Segment) openapi.FieldPath {
	segments := make([]openapi.Segment, 0, len(path.Segments)+1)
	path.Segments = append(append(segments, path.Segments...), step)
	return path
}
