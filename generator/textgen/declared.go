package textgen

import (
	"encoding/json"
	"slices"

	"github.com/idemgen/idemgen/openapi"
)

// declared are the schemas that a value has to fit: one, with all that it is composed of. A union's branches are among them: what they
// say is good enough for an example.
type declared []*openapi.Schema

func declare(s *openapi.Schema) declared {
	return declared(nil).with(s)
}

func (d declared) with(s *openapi.Schema) declared {
	if s == nil || slices.Contains(d, s) {
		return d
	}
	d = append(d, s)
	for _, parts := range [][]*openapi.Schema{s.AllOf, s.OneOf, s.AnyOf} {
		for _, part := range parts {
			d = d.with(part)
		}
	}
	return d
}

// member are the schemas of a member.
func (d declared) member(name string) (out declared) {
	for _, s := range d {
		for i := range s.Properties {
			if s.Properties[i].Name == name {
				out = out.with(s.Properties[i].Schema)
			}
		}
	}
	return out
}

// inside are the schemas of elements, or of entries.
func (d declared) inside() (out declared) {
	for _, s := range d {
		out = out.with(s.Items).with(s.Additional.Schema)
	}
	return out
}

// only reports whether a value has to be of one JSON type.
func (d declared) only(jsonType string) bool {
	found := false
	for _, s := range d {
		for _, t := range s.Types {
			if t != jsonType {
				return false
			}
			found = true
		}
	}
	return found
}

// choice is the first value of an enum, as JSON text.
func (d declared) choice() (string, bool) {
	for _, s := range d {
		if len(s.Enum) == 0 {
			continue
		}
		var text string
		if json.Unmarshal([]byte(s.Enum[0]), &text) == nil && s.Enum[0] != "null" {
			return quote(text), true
		}
		return s.Enum[0], true
	}
	return "", false
}

// operationIn finds what a document says of a contract's operation.
func operationIn(doc *openapi.Document, method, path, webhook string) *openapi.Operation {
	for _, op := range doc.Operations {
		if op.Method == method && op.Path == path && op.Webhook == webhook {
			return op
		}
	}
	return &openapi.Operation{}
}

// bodySchema is that of the first media type that has one.
func bodySchema(op *openapi.Operation) declared {
	if op.Body == nil {
		return nil
	}
	for _, m := range op.Body.Media {
		if m.Schema != nil {
			return declare(m.Schema)
		}
	}
	return nil
}

// paramSchema is that of a parameter.
func paramSchema(op *openapi.Operation, in openapi.In, name string) declared {
	for i := range op.Parameters {
		if p := &op.Parameters[i]; p.In == in && p.Name == name {
			return declare(p.Schema)
		}
	}
	return nil
}
