package contract

import (
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// place is one place of a request body. Its children are made when somebody asks for them.
type place struct {
	merged    *merged
	path      openapi.FieldPath
	text      string // of path
	pos       diag.Pos
	parent    *place
	depth     int
	presence  presence
	readOnly  bool // or inside of what is
	recursive bool // its schema is the one of an ancestor
	children  []*member
	unfolded  bool
	element   *place
	entry     *place
}

// member is one declared member of the object at a place.
type member struct {
	prop
	place *place
}

// tree unfolds the schema of a body.
type tree struct {
	merger *merger
	root   *place
}

func newTree(m *merger, media openapi.Media, body *openapi.Body) *tree {
	path := openapi.FieldPath{In: openapi.InBody}
	return &tree{merger: m, root: &place{
		merged: m.merge(schemaList(media.Schema)), path: path, text: path.String(), pos: media.Pos, presence: present(body.Required),
	}}
}

func schemaList(s *openapi.Schema) []*openapi.Schema {
	if s == nil {
		return nil
	}
	return []*openapi.Schema{s}
}

// kind is what stands at p; a recursive schema is any value at its second turn.
func (p *place) kind() kind {
	if p.recursive {
		return genericKind
	}
	return p.merged.kind
}

// reason says why nothing inside a generic place can be selected.
func (p *place) reason() string {
	if p.recursive {
		return "a recursive schema"
	}
	return p.merged.reason
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

func (t *tree) child(parent *place, step openapi.Segment, schemas []*openapi.Schema, pos diag.Pos) *place {
	path := below(parent.path, step)
	c := &place{merged: t.merger.merge(schemas), path: path, text: path.String(), pos: pos, parent: parent, depth: parent.depth + 1}
	if !c.pos.IsValid() {
		c.pos = c.merged.pos
	}
	c.readOnly = parent.readOnly || c.merged.readOnly
	for up := parent; up != nil && c.merged.identity != ""; up = up.parent {
		c.recursive = c.recursive || up.merged.identity == c.merged.identity
	}
	return c
}

// below gives the path one step further. Places share no memory through their paths.
func below(path openapi.FieldPath, step openapi.Segment) openapi.FieldPath {
	segments := make([]openapi.Segment, 0, len(path.Segments)+1)
	path.Segments = append(append(segments, path.Segments...), step)
	return path
}
