package openapi

import (
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// keyword is a member of a schema that kin-openapi reads for us. The rest of what we need (defaults, enumerated values, order,
// descriptions) is read from the nodes, because there numbers keep their digits and everything its place.
type keyword struct {
	name  string
	write func(r *reducer, p place) bool // false: nothing was written, and the reason has been reported
}

func schemaKeywords() []keyword {
	return []keyword{
		{"type", (*reducer).types},
		{"format", text("format")},
		{"contentEncoding", text("contentEncoding")},
		{"pattern", text("pattern")},
		{"nullable", boolean("nullable")},
		{"readOnly", boolean("readOnly")},
		{"writeOnly", boolean("writeOnly")},
		{"minLength", count("minLength")},
		{"maxLength", count("maxLength")},
		{"required", (*reducer).required},
		{"properties", (*reducer).properties},
		{"additionalProperties", (*reducer).nested},
		{"items", (*reducer).itemSchema},
		{"oneOf", branches("oneOf")},
		{"anyOf", branches("anyOf")},
	}
}

// schema writes the schema at p.
func (r *reducer) schema(p place) {
	if isBool(p.node) {
		r.b.WriteString(strconv.FormatBool(isTrue(p.node)))
		return
	}
	if !isObject(p.node) {
		if !isNull(p.node) {
			r.wrongShape(p, "a schema", "an object")
		}
		r.b.WriteString("{}")
		return
	}
	target, isRef := r.target(p)
	if isRef && !r.v.saysMore(p.node) {
		r.refTo(target)
		return
	}
	r.b.WriteByte('{')
	wrote := false
	for _, k := range r.keywords {
		if value := r.v.member(p, k.name); value.node != nil {
			wrote = r.member(k, value, wrote)
		}
	}
	r.allOf(p, target, isRef, wrote)
	r.b.WriteByte('}')
	r.unread(p)
	for _, branch := range r.unions.mapping(p) {
		r.name(branch.to)
	}
}

// target follows p's $ref. It stops at a reference that says more, which is a schema of its own.
func (r *reducer) target(p place) (_ place, isRef bool) {
	if refOf(p.node) == nil {
		return place{}, false
	}
	to, ok := r.refs.followUntil(p, r.v.saysMore)
	if !ok {
		return place{}, true
	}
	return to, true
}

// refTo writes a reference to a component; where a reference leads nowhere, which has been reported, anything is allowed.
func (r *reducer) refTo(target place) {
	if target.node == nil {
		r.b.WriteString("{}")
		return
	}
	r.b.WriteString(`{"$ref":"#/components/schemas/` + r.name(target) + `"}`)
}

// member writes one keyword with its name, and takes the name back when there is no value to write.
func (r *reducer) member(k keyword, value place, comma bool) bool {
	before := r.b.Len()
	if comma {
		r.b.WriteByte(',')
	}
	r.b.WriteString(`"` + k.name + `":`)
	if k.write(r, value) {
		return true
	}
	r.b.Truncate(before)
	return comma
}

// allOf writes the list, with the target of a reference that says more as its first entry.
func (r *reducer) allOf(p, target place, isRef, comma bool) {
	own := r.v.member(p, "allOf")
	if own.node == nil && !isRef {
		return
	}
	if comma {
		r.b.WriteByte(',')
	}
	r.b.WriteString(`"allOf":[`)
	if isRef {
		r.refTo(target)
	}
	if own.node != nil && own.node.Kind != yaml.SequenceNode {
		r.wrongShape(own, "allOf", "a list")
	}
	for i, n := range items(own.node) {
		if isRef || i > 0 {
			r.b.WriteByte(',')
		}
		r.schema(place{s: own.s, node: n})
	}
	r.b.WriteByte(']')
}

// unread reports keywords that would change what a schema allows in a way that is not understood.
func (r *reducer) unread(p place) {
	if dynamic := p.in("$dynamicRef"); dynamic.node != nil {
		r.ds.Add(diag.Diagnostic{Pos: dynamic.pos(), Code: diag.DynamicRef,
			Message: "the $dynamicRef " + quoteText(scalar(dynamic.node)) + " is not followed; write a $ref"})
	}
}
