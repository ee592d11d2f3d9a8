package openapi

import (
	"path/filepath"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// ValueKind tells the kinds of values apart.
type ValueKind uint8

const (
	NullValue ValueKind = iota + 1
	BoolValue
	NumberValue
	TextValue
	ListValue
	ObjectValue
)

// Value is a value of a YAML or JSON file that is no OpenAPI document, with its place.
type Value struct {
	Pos     diag.Pos
	Kind    ValueKind
	Text    string // of a scalar: a text without quotes and escapes, anything else as written
	Items   []Value
	Members []ValueMember // in order; no name is written twice
}

// ValueMember is one member of an object.
type ValueMember struct {
	Pos   diag.Pos // of the name
	Name  string
	Value Value
}

// ParseValue reads the text of a file, which is called file in findings, by the rules that documents are read by: places in bytes, names
// that repeat refused, anchors and merge keys resolved, limits of size and depth. Value is nil when nothing could be made of it.
func ParseValue(file string, data []byte) (*Value, diag.List) {
	s, found := parseSource(file, data)
	if s == nil {
		return nil, found
	}
	v := s.value(s.root)
	return &v, found
}

// ReadValue is ParseValue of a file. The error says that it cannot be read.
func ReadValue(file string) (*Value, diag.List, error) {
	ds := &diag.List{}
	s, err := (&files{folder: disk{}, ds: ds, open: map[string]*openFile{}}).load(filepath.ToSlash(file))
	if err != nil || s == nil {
		return nil, *ds, err
	}
	v := s.value(s.root)
	return &v, *ds, nil
}

func (s *source) value(n *yaml.Node) Value {
	v := Value{Pos: s.pos(n)}
	switch n.Kind {
	case yaml.MappingNode:
		v.Kind = ObjectValue
		for key, value := range entries(n) {
			v.Members = append(v.Members, ValueMember{Pos: s.pos(key), Name: key.Value, Value: s.value(value)})
		}
		return v
	case yaml.SequenceNode:
		v.Kind = ListValue
		for _, item := range n.Content {
			v.Items = append(v.Items, s.value(item))
		}
		return v
	}
	v.Text = n.Value
	switch n.ShortTag() {
	case "!!null":
		v.Kind = NullValue
	case "!!bool":
		v.Kind = BoolValue
	case "!!int", "!!float":
		v.Kind = NumberValue
	default:
		v.Kind = TextValue
	}
	return v
}

// Describe says what v is, in words for a message.
func (v Value) Describe() string {
	switch v.Kind {
	case NullValue:
		return "empty"
	case BoolValue, NumberValue:
		return v.Text
	case ListValue:
		return "a list"
	case ObjectValue:
		return "an object"
	case TextValue:
	}
	return quoteText(v.Text)
}
