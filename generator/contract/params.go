package contract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// param is a path, query or header parameter as the contract sees it.
type param struct {
	path     openapi.FieldPath
	name     string // header names in lower case
	text     string
	pos      diag.Pos
	required bool
	merged   *merged
	array    bool
	element  *merged
	split    byte
	index    int // path parameters: position in the template
	// unsupported says what of it cannot be read yet; empty when all can.
	unsupported string
	declared    *openapi.Parameter // nil for a template variable that nobody declared
}

// paramName is the spelling that parameters of one place are compared by.
func paramName(in openapi.In, name string) string {
	if in == openapi.InHeader {
		return strings.ToLower(name)
	}
	return name
}

// collectParams lists the parameters in canonical order: header, path, query, and by name. A template variable that
// nobody declared is a string: it says which thing is meant, so it must be decided upon like any other.
func (o *operation) collectParams() {
	template := templateNames(o.src.Path)
	for i := range o.src.Parameters {
		d := &o.src.Parameters[i]
		index := 0
		if d.In == openapi.InPath {
			if index = slices.Index(template, d.Name); index < 0 {
				continue // no request has a value for it
			}
		}
		if d.In == openapi.InHeader && reservedHeader(d.Name) {
			continue
		}
		o.addParam(d, index)
	}
	for i, name := range template {
		step := openapi.Segment{Kind: openapi.SegName, Name: name}
		if o.param(openapi.FieldPath{In: openapi.InPath, Segments: []openapi.Segment{step}}) == nil {
			o.params = append(o.params, newParam(openapi.InPath, name, o.src.Pos, i, o.merger.merge([]*openapi.Schema{o.text})))
		}
	}
	slices.SortStableFunc(o.params, func(a, b *param) int {
		return cmp.Or(cmp.Compare(canonIn(a.path.In), canonIn(b.path.In)), canon.CompareNames(a.name, b.name))
	})
}

// reservedHeader reports whether OpenAPI says that a declaration of the header is to be ignored.
func reservedHeader(name string) bool {
	return slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(name))
}

func canonIn(in openapi.In) canon.In {
	switch in {
	case openapi.InHeader:
		return canon.InHeader
	case openapi.InPath:
		return canon.InPath
	case openapi.InQuery, openapi.InBody:
	}
	return canon.InQuery
}

func newParam(in openapi.In, name string, pos diag.Pos, index int, m *merged) *param {
	name = paramName(in, name)
	path := openapi.FieldPath{In: in, Segments: []openapi.Segment{{Kind: openapi.SegName, Name: name}}}
	return &param{path: path, name: name, text: path.String(), pos: pos, required: in == openapi.InPath, merged: m, index: index}
}

func (o *operation) addParam(d *openapi.Parameter, index int) {
	p := newParam(d.In, d.Name, d.Pos, index, o.merger.merge(schemaList(d.Schema)))
	p.declared = d
	p.required = p.required || d.Required
	p.readStyle(o.merger)
	o.params = append(o.params, p)
}

// readStyle finds out how values of the parameter are spelled. What cannot be read yet is an obstacle only where it counts.
func (p *param) readStyle(m *merger) {
	d := p.declared
	p.array = p.merged.kind == arrayKind
	if p.array {
		p.element = m.merge(p.merged.items)
	}
	switch {
	case d.ContentType != "":
		p.unsupported = "a parameter described by content"
	case d.Style == "deepObject" || d.Style == "matrix" || d.Style == "label":
		p.unsupported = "the style " + d.Style
	case structured(p.merged) && !p.array, p.array && structured(p.element):
		p.unsupported = "a parameter with objects or nested arrays"
	case p.array:
		p.split = separator(d)
	}
}

// structured reports whether some value of m is no single text.
func structured(m *merged) bool {
	switch m.kind {
	case objectKind, mapKind, arrayKind:
		return true
	case genericKind, unionKind:
		return m.reason == freeForm || slices.Contains(m.types, "object") || slices.Contains(m.types, "array") ||
			slices.ContainsFunc(m.branches, structuredSchema)
	case scalarKind, recursionKind, fileKind:
	}
	return false
}

func structuredSchema(s *openapi.Schema) bool {
	return s != nil && (slices.Contains(s.Types, "object") || slices.Contains(s.Types, "array") || len(s.Properties) > 0 || s.Items != nil)
}

// separator is what stands between the elements inside one value; 0 where the parameter is repeated.
func separator(d *openapi.Parameter) byte {
	switch {
	case d.In == openapi.InQuery && d.Explode:
		return 0
	case d.Style == "spaceDelimited":
		return ' '
	case d.Style == "pipeDelimited":
		return '|'
	}
	return ','
}

// mustDecide reports whether the annotation has to say something about p: headers count only when they are listed.
func (p *param) mustDecide() bool { return p.path.In != openapi.InHeader }

// counts reports whether p decides the hash.
func (o *operation) counts(p *param) bool {
	inherited := o.inherited()
	if p.path.In == openapi.InHeader {
		inherited = ignored
	}
	return p.text != o.choice.key && o.decisionAt(p.text, inherited) == selected
}

// growParams makes the table of the parameters that count, and their lines.
func (o *operation) growParams() []canon.Param {
	var out []canon.Param
	for _, p := range o.params {
		switch {
		case !o.counts(p):
			if p.mustDecide() || o.choice.decided[p.text].decision == ignored {
				o.ignore(p.text)
			}
		case p.unsupported != "":
			o.notSupportedHint(p.pos, p.unsupported+" in the fingerprint", "ignored: ["+p.text+"]")
		default:
			out = append(out, o.growParam(p))
		}
	}
	return out
}

func (o *operation) growParam(p *param) canon.Param {
	a := o.choice.asked[p.text]
	c := canon.Param{In: canonIn(p.path.In), Name: p.name, Required: p.required || o.demands() && !a.materialise}
	if p.path.In == openapi.InPath {
		c.Index = p.index
	}
	r := &rule{presence: present(c.Required)}
	path := p.text
	if p.array {
		e := o.choice.asked[p.text+"[]"]
		c.Array, c.Split, c.As = max(a.array, canon.List), p.split, paramNormaliser(p.element, e.as)
		r.head, r.of, r.split = arrayHead(c.Array), &rule{head: leafHead(c.As)}, c.Split
		path += "[]"
	} else {
		c.As = paramNormaliser(p.merged, a.as)
		r.head = leafHead(c.As)
	}
	if a.materialise {
		c.Default = o.paramDefault(p, c)
		r.defaultText = c.Default
	}
	c.Field = o.write(path, r, a.sensitive || o.choice.asked[path].sensitive)
	return c
}

// paramNormaliser is what a parameter compares by. Its value is a text, so a schema without one scalar type means the characters.
func paramNormaliser(m *merged, chosen canon.Normaliser) canon.Normaliser {
	if chosen != 0 {
		return chosen
	}
	if n := defaultNormaliser(m); n != canon.Generic {
		return n
	}
	return canon.Exact
}

// templateNames lists the variables of a path template in order.
func templateNames(path string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(path, "{")
		if !ok {
			return out
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			return out
		}
		out, path = append(out, name), after
	}
}
