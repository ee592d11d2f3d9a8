package contract

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// file reports whether a part of a multipart body that m describes is bytes: OpenAPI says so of binary texts, of texts of another media
// type, and of what has no type at all.
func (m *merged) file() bool {
	switch m.kind {
	case scalarKind:
		return m.types[0] == "string" && (m.format == "binary" || m.mediaType != "" && m.encoding == "")
	case genericKind:
		return len(m.types) == 0 && len(m.branches) == 0 && !m.enum && m.conflict == nil && len(m.props) == 0
	case objectKind, mapKind, arrayKind, unionKind, recursionKind, fileKind:
	}
	return false
}

// parts says which members of a multipart body are no texts. A name that is several things in branches of a union is the one of them that
// keeps the most: bytes, else JSON.
func (o *operation) parts(c carrier) []canon.Part {
	kinds := map[string]canon.PartKind{}
	for _, of := range objectsOf(o.merger.merge(schemaList(c.Schema)), nil) {
		for _, p := range of.props {
			kinds[p.name] = max(kinds[p.name], o.partKind(o.merger.merge(p.schemas), c.Encoding[p.name].ContentType))
		}
	}
	var out []canon.Part
	for name, kind := range kinds {
		if kind != canon.TextPart {
			out = append(out, canon.Part{Name: name, Kind: kind})
		}
	}
	slices.SortFunc(out, func(a, b canon.Part) int { return canon.CompareNames(a.Name, b.Name) })
	return out
}

// objectsOf lists the kinds of values that m describes, unions unfolded, each once.
func objectsOf(m *merged, known []*merged) []*merged {
	if slices.Contains(known, m) {
		return known
	}
	known = append(known, m)
	if m.kind == unionKind {
		for _, b := range m.union.branches {
			known = objectsOf(b.merged, known)
		}
	}
	return known
}

// partKind follows the document's encoding, else OpenAPI's defaults: bytes where the schema says so, JSON for objects, text for the rest.
func (o *operation) partKind(m *merged, contentType string) canon.PartKind {
	first, _, _ := strings.Cut(contentType, ",")
	name := mediaName(first)
	switch {
	case name == "application/json" || strings.HasSuffix(name, "+json"):
		return canon.JSONPart
	case o.anyPart(m, (*merged).file):
		return canon.FilePart
	case name != "" && !strings.HasPrefix(name, "text/"):
		return canon.FilePart
	case name == "" && o.anyPart(m, (*merged).isObject):
		return canon.JSONPart
	}
	return canon.TextPart
}

// anyPart asks m, the kinds of values that it may be, and their elements.
func (o *operation) anyPart(m *merged, is func(*merged) bool) bool {
	return slices.ContainsFunc(objectsOf(m, nil), func(one *merged) bool {
		for depth := 0; one.kind == arrayKind && depth < maxDepth; depth++ { // an array may be one of itself
			one = o.merger.merge(one.items)
		}
		return is(one)
	})
}

func (m *merged) isObject() bool {
	return m.kind == objectKind || m.kind == mapKind || m.kind == genericKind && (len(m.branches) > 0 || slices.Contains(m.types, "object"))
}

// asFile reports whether the member of a multipart body that p is counts by its bytes, although its schema does not say so.
func (t *tree) asFile(p *place) bool {
	if p.merged.kind == arrayKind || p.merged.kind == unionKind {
		return false
	}
	first, _, _ := strings.Cut(t.encoding[p.path.Segments[0].Name].ContentType, ",")
	name := mediaName(first)
	json := name == "application/json" || strings.HasSuffix(name, "+json")
	return p.merged.file() && !json || name != "" && !json && !strings.HasPrefix(name, "text/")
}

// checkEncoding refuses the spellings of a form's member that are not read: p is one that counts.
func (o *operation) checkEncoding(p *place) {
	e, ok := o.tree.encoding[p.path.Segments[0].Name]
	if p.depth != 1 || !ok {
		return
	}
	object := p.kind() == objectKind || p.kind() == mapKind
	var what string
	switch name := mediaName(e.ContentType); {
	case e.Style != "" && e.Style != "form" && e.Style != "deepObject":
		what = "the style " + e.Style
	case e.Style == "form" && object:
		what = "the style form of an object"
	case e.Joined && e.Style != "deepObject" && (object || p.kind() == arrayKind):
		what = "explode: false"
	case !o.tree.multipart && name != "" && name != "text/plain":
		what = "the type " + name
	default:
		return
	}
	o.misfitted.Add(diag.Diagnostic{Pos: e.Pos, Code: diag.NotSupported, Hint: "ignored: [" + yamlText(p.plain, flowText) + "]",
		Message: o.title() + ": " + what + " of " + p.plain + " in the fingerprint is not supported by this version"})
}
