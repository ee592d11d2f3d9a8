package openapi

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// jsonTypes are the types of JSON Schema.
var jsonTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// types writes the known types of a type or a list of types. An unquoted null, which YAML does not take for text,
// is the type that its author meant.
func (r *reducer) types(p place) bool {
	list := []*yaml.Node{p.node}
	if p.node.Kind == yaml.SequenceNode {
		list = p.node.Content
	}
	var known []string
	for _, n := range list {
		at := place{s: p.s, node: n}
		name := scalar(n)
		switch {
		case isNull(n):
			name = "null"
		case n.Kind != yaml.ScalarNode:
			r.wrongKeyword(at, "a type", "text")
			continue
		case !slices.Contains(jsonTypes, name):
			hint, _ := diag.Nearest(name, jsonTypes)
			r.ds.Add(diag.Diagnostic{Pos: at.pos(), Code: diag.UnknownType, Hint: hint,
				Message: fmt.Sprintf("the type %s is not known, so any value is allowed", quoteText(name))})
			continue
		}
		known = append(known, name)
	}
	if len(known) < len(list) || len(known) == 0 {
		return false // of a list with an unknown type, the known ones alone would forbid too much
	}
	r.texts(known)
	return true
}

func (r *reducer) texts(list []string) {
	r.b.WriteByte('[')
	for i, text := range list {
		if i > 0 {
			r.b.WriteByte(',')
		}
		r.text(text)
	}
	r.b.WriteByte(']')
}

func text(name string) func(*reducer, place) bool {
	return func(r *reducer, p place) bool {
		if p.node.Kind != yaml.ScalarNode || isNull(p.node) {
			r.wrongKeyword(p, name, "text")
			return false
		}
		r.text(p.node.Value)
		return true
	}
}

func boolean(name string) func(*reducer, place) bool {
	return func(r *reducer, p place) bool {
		if !isBool(p.node) {
			r.wrongKeyword(p, name, "true or false")
			return false
		}
		r.b.WriteString(strconv.FormatBool(isTrue(p.node)))
		return true
	}
}

func count(name string) func(*reducer, place) bool {
	return func(r *reducer, p place) bool {
		v, err := strconv.ParseUint(scalar(p.node), 10, 63)
		if err != nil || isText(p.node) {
			r.wrongKeyword(p, name, "an integer from 0")
			return false
		}
		r.b.WriteString(strconv.FormatUint(v, 10))
		return true
	}
}

// required keeps the names; the boolean that an old draft of JSON Schema had here is still met.
func (r *reducer) required(p place) bool {
	if p.node.Kind != yaml.SequenceNode {
		r.wrongKeyword(p, "required", "a list of names")
		return false
	}
	var list []string
	for _, n := range p.node.Content {
		if n.Kind != yaml.ScalarNode || isNull(n) {
			r.wrongKeyword(place{s: p.s, node: n}, "a required member", "a name")
			continue
		}
		list = append(list, n.Value)
	}
	r.texts(list)
	return true
}

func (r *reducer) properties(p place) bool {
	if !isObject(p.node) {
		if !isNull(p.node) {
			r.wrongShape(p, "properties", "an object")
		}
		return false
	}
	r.b.WriteByte('{')
	i := 0
	for key, value := range entries(p.node) {
		r.comma(i)
		i++
		r.text(key.Value)
		r.b.WriteByte(':')
		r.schema(place{s: p.s, node: value})
	}
	r.b.WriteByte('}')
	return true
}

func (r *reducer) nested(p place) bool {
	if isNull(p.node) {
		return false
	}
	if !isObject(p.node) && !isBool(p.node) {
		r.wrongShape(p, "additionalProperties", "true, false or an object")
		return false
	}
	r.schema(p)
	return true
}

// itemSchema leaves out a list of schemas, which an old draft of JSON Schema had here: then any element is allowed.
func (r *reducer) itemSchema(p place) bool {
	if !isObject(p.node) && !isBool(p.node) {
		if !isNull(p.node) {
			r.wrongKeyword(p, "items", "an object")
		}
		return false
	}
	r.schema(p)
	return true
}

func branches(name string) func(*reducer, place) bool {
	return func(r *reducer, p place) bool {
		if p.node.Kind != yaml.SequenceNode {
			r.wrongShape(p, name, "a list")
			return false
		}
		r.b.WriteByte('[')
		for i, n := range p.node.Content {
			r.comma(i)
			r.schema(place{s: p.s, node: n})
		}
		r.b.WriteByte(']')
		return true
	}
}
