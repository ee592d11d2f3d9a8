package openapi

import (
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// converter turns what kin-openapi read into our types, walking its structures and the document's nodes side by side:
// kin-openapi says what the keywords are, the nodes where they stand, in which order, and with which digits.
type converter struct {
	v      version
	refs   *resolver
	unions *unions
	ds     *diag.List
	doc    *openapi3.T
	names  map[*yaml.Node]string  // component names of the reduced document
	made   map[*yaml.Node]*Schema // by node: shared references share pointers, and recursion is a cycle of them
	copies []*nullableCopy
}

func newConverter(l *loading, r *reducer, doc *openapi3.T) *converter {
	return &converter{v: l.version, refs: l.refs, unions: r.unions, ds: l.ds, doc: doc,
		names: r.names, made: map[*yaml.Node]*Schema{}}
}

func (c *converter) operations(chosen []*parts) (out []*Operation) {
	for i, p := range chosen {
		item := c.doc.Paths.Value(fmt.Sprintf("/%d", i))
		if item == nil || item.Post == nil {
			continue // cannot be: the reduced document has one for each
		}
		c.operation(item.Post, p)
		out = append(out, p.op)
	}
	c.finishCopies()
	breakSelfComposition(out, c.ds)
	return out
}

func (c *converter) operation(from *openapi3.Operation, p *parts) {
	for i, part := range p.params {
		p.op.Parameters = append(p.op.Parameters, c.parameter(from.Parameters[i].Value, part))
	}
	if p.body == nil || from.RequestBody == nil || from.RequestBody.Value == nil {
		return
	}
	body := from.RequestBody.Value
	p.op.Body = &Body{Pos: p.body.key.pos(), Required: body.Required}
	for _, m := range p.body.media {
		media := Media{Pos: m.key.pos(), Type: m.key.node.Value, Encoding: encodings(m.at)}
		var schema *openapi3.SchemaRef
		if got := body.Content[media.Type]; got != nil {
			schema = got.Schema
		}
		media.Schema = c.schemaOr(schema, m.schema, media.Pos)
		p.op.Body.Media = append(p.op.Body.Media, media)
	}
}

// encodings gives what a media type says of single members.
func encodings(media place) map[string]Encoding {
	out := map[string]Encoding{}
	for name, value := range entries(media.in("encoding").node) {
		e := Encoding{Pos: media.s.pos(name), ContentType: scalar(child(value, "contentType")), Style: scalar(child(value, "style"))}
		e.Joined = isFalse(child(value, "explode"))
		if e.ContentType != "" || e.Style != "" || e.Joined {
			out[name.Value] = e
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (c *converter) parameter(from *openapi3.Parameter, part paramPart) Parameter {
	p := Parameter{Pos: part.at.pos(), Name: part.name, In: part.in, ContentType: part.media,
		Required: from.Required, Style: from.Style}
	if p.Style == "" {
		p.Style = "simple"
		if part.in == InQuery {
			p.Style = "form"
		}
	}
	p.Explode = p.Style == "form"
	if from.Explode != nil {
		p.Explode = *from.Explode
	}
	schema := from.Schema
	if media := from.Content[part.media]; media != nil {
		schema = media.Schema
	}
	p.Schema = c.schemaOr(schema, part.schema, p.Pos)
	return p
}

// schemaOr converts the schema at p, or gives the one that allows everything where none was declared.
func (c *converter) schemaOr(from *openapi3.SchemaRef, p place, pos diag.Pos) *Schema {
	if from == nil || p.node == nil {
		return &Schema{Pos: pos}
	}
	return c.schema(from, p)
}

// schema converts the schema at p, which kin-openapi read as from.
func (c *converter) schema(from *openapi3.SchemaRef, p place) *Schema {
	if refOf(p.node) != nil && !c.v.saysMore(p.node) {
		to, ok := c.refs.followUntil(p, c.v.saysMore)
		if !ok {
			return &Schema{Pos: p.pos()}
		}
		return c.component(to)
	}
	if s, ok := c.made[p.node]; ok { // a reference into the middle of a schema came here before
		return s
	}
	s := &Schema{Pos: p.pos()}
	c.made[p.node] = s
	if from != nil && from.Value != nil {
		c.fill(s, from.Value, p)
	}
	return s
}

// component converts the schema that a reference leads to, once.
func (c *converter) component(p place) *Schema {
	if s, ok := c.made[p.node]; ok {
		if s.Name == "" {
			s.Name = p.name
		}
		return s
	}
	s := &Schema{Pos: p.pos(), Name: p.name}
	c.made[p.node] = s
	if from := c.doc.Components.Schemas[c.names[p.node]]; from != nil && from.Value != nil {
		c.fill(s, from.Value, p)
	}
	return s
}

// fill converts the keywords.
func (c *converter) fill(s *Schema, from *openapi3.Schema, p place) {
	if isBool(p.node) {
		s.False = isFalse(p.node)
		return
	}
	onlyNull := false
	if from.Type != nil {
		for _, t := range *from.Type {
			if t == openapi3.TypeNull {
				s.Nullable = true
				continue
			}
			s.Types = append(s.Types, t)
		}
		onlyNull = s.Nullable && len(s.Types) == 0
	}
	s.Nullable = s.Nullable || from.Nullable
	s.Format, s.Encoding, s.Pattern = from.Format, from.ContentEncoding, from.Pattern
	if pattern := c.v.member(p, "pattern"); s.Pattern != "" && pattern.node != nil {
		s.PatternPos = pattern.pos()
	}
	s.MinLength, s.MaxLength = from.MinLength, from.MaxLength
	s.ReadOnly, s.WriteOnly = from.ReadOnly, from.WriteOnly
	s.UniqueItems = isTrue(c.v.member(p, "uniqueItems").node)
	if c.v.minor >= 1 {
		s.MediaType = scalar(child(p.node, "contentMediaType"))
	}
	s.Description = scalar(child(p.node, "description"))
	s.Enum, s.Default = c.enum(p), c.value(c.v.member(p, "default"))
	if onlyNull {
		s.Enum = []string{"null"}
	}
	c.object(s, from, p)
	if items := c.v.member(p, "items"); from.Items != nil && items.node != nil {
		s.Items = c.schema(from.Items, items)
	}
	c.composed(s, from, p)
	c.discriminator(s, p)
	c.collapseNull(s, p)
}

func (c *converter) object(s *Schema, from *openapi3.Schema, p place) {
	required := map[string]bool{}
	for _, name := range from.Required {
		required[name] = true
	}
	properties := c.v.member(p, "properties")
	for key, value := range entries(properties.node) {
		at := place{s: p.s, node: value}
		s.Properties = append(s.Properties, Property{
			Pos: p.s.pos(key), Name: key.Value, Required: required[key.Value], Schema: c.schema(from.Properties[key.Value], at),
		})
		delete(required, key.Value)
	}
	for _, name := range from.Required { // declared by another part of an allOf, or nowhere
		if required[name] {
			s.Properties = append(s.Properties, Property{Pos: c.v.member(p, "required").pos(), Name: name, Required: true})
			delete(required, name)
		}
	}
	s.Additional = c.additional(from, p)
}

// additional reads what the schema says of undeclared members. unevaluatedProperties says the same as additionalProperties
// with the members that allOf declares known, and patternProperties allows some whatever else is said.
func (c *converter) additional(from *openapi3.Schema, p place) Additional {
	if n := c.v.member(p, "patternProperties"); n.node != nil && len(n.node.Content) > 0 {
		return Additional{Pos: n.pos(), Set: true, Allow: true}
	}
	if n := c.v.member(p, "additionalProperties"); n.node != nil && !isNull(n.node) {
		a := Additional{Pos: n.pos(), Set: true, Allow: !isFalse(n.node)}
		if isObject(n.node) && from.AdditionalProperties.Schema != nil {
			a.Schema = c.schema(from.AdditionalProperties.Schema, n)
		}
		return a
	}
	if n := c.v.member(p, "unevaluatedProperties"); n.node != nil && isFalse(n.node) {
		return Additional{Pos: n.pos(), Set: true}
	}
	return Additional{Allow: true}
}

// composed converts allOf, oneOf and anyOf. A reference that says more is the first entry of its own allOf.
func (c *converter) composed(s *Schema, from *openapi3.Schema, p place) {
	all := from.AllOf
	if refOf(p.node) != nil && len(all) > 0 {
		if to, ok := c.refs.followUntil(p, c.v.saysMore); ok {
			s.AllOf = append(s.AllOf, c.component(to))
		}
		all = all[1:]
	}
	s.AllOf = append(s.AllOf, c.list(all, c.v.member(p, "allOf"))...)
	s.OneOf = c.list(from.OneOf, c.v.member(p, "oneOf"))
	s.AnyOf = c.list(from.AnyOf, c.v.member(p, "anyOf"))
}

func (c *converter) list(from openapi3.SchemaRefs, p place) (out []*Schema) {
	for i, n := range items(p.node) {
		if i < len(from) {
			out = append(out, c.schema(from[i], place{s: p.s, node: n}))
		}
	}
	return out
}

func (c *converter) discriminator(s *Schema, p place) {
	key, value := entry(p.node, "discriminator")
	if !isObject(value) || c.v.member(p, "discriminator").node == nil {
		return
	}
	s.Discriminator = &Discriminator{Pos: p.s.pos(key), Property: scalar(child(value, "propertyName"))}
	for _, b := range c.unions.mapping(p) {
		s.Discriminator.Mapping = append(s.Discriminator.Mapping, DiscriminatorBranch{Value: b.value, Schema: c.component(b.to), Implied: b.implied})
	}
}

// enum gives the allowed values; const is an enumeration of one.
func (c *converter) enum(p place) (out []string) {
	if n := c.v.member(p, "const"); n.node != nil {
		if text := c.value(n); text != "" {
			return []string{text}
		}
	}
	list := c.v.member(p, "enum")
	for _, n := range items(list.node) {
		if text := c.value(place{s: p.s, node: n}); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// value gives the JSON text of a value, "" when there is none.
func (c *converter) value(p place) string {
	if p.node == nil {
		return ""
	}
	text, err := jsonText(p.node)
	if err != nil {
		c.ds.Add(diag.Diagnostic{Pos: p.pos(), Code: diag.BadValue, Message: err.Error()})
		return ""
	}
	return text
}
