package generator

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/canon"
)

// sensitiveMask stands in a canonical text for the value of a sensitive field.
const sensitiveMask = `"<sensitive>"`

// masked gives the canonical text of a request under v with the values of sensitive fields, and what stands inside of them, masked.
// It reports whether there were any.
func masked(v *contract.Version, canonical string) (string, bool) {
	if len(v.Sensitive) == 0 {
		return canonical, false
	}
	m := masker{version: v}
	out := m.members(json.RawMessage(canonical), func(part string) func([]byte) []byte {
		if part == "body" {
			return func(value []byte) []byte { return m.value(v.Body, value) }
		}
		return func(value []byte) []byte { return m.params(part, value) }
	})
	return string(out), m.found
}

// masker walks a canonical text beside the contract that it was made under.
type masker struct {
	version *contract.Version
	found   bool
}

func (m *masker) params(part string, value []byte) []byte {
	return m.members(value, func(name string) func([]byte) []byte {
		return func(value []byte) []byte {
			for _, p := range m.version.Params {
				if p.Name == name && p.In == parameterIn[part] && slices.Contains(m.version.Sensitive, p.Field) {
					m.found = true
					return []byte(sensitiveMask)
				}
			}
			return value
		}
	})
}

var parameterIn = map[string]canon.In{"header": canon.InHeader, "path": canon.InPath, "query": canon.InQuery}

// value masks what stands at a node. Null is a value like any other.
func (m *masker) value(n *contract.Node, text []byte) []byte {
	switch {
	case n == nil:
		return text
	case n.Sensitive:
		m.found = true
		return []byte(sensitiveMask)
	case n.Kind == contract.RecursionNode:
		return m.value(n.Back, text)
	}
	below := func(n *contract.Node) func([]byte) []byte {
		return func(text []byte) []byte { return m.value(n, text) }
	}
	switch n.Kind {
	case contract.ObjectNode, contract.MapNode:
		return m.members(text, func(name string) func([]byte) []byte {
			if i := slices.IndexFunc(n.Members, func(d contract.Member) bool { return d.Name == name }); i >= 0 {
				return below(n.Members[i].Node)
			}
			return below(n.Elem) // of a map
		})
	case contract.UnionNode:
		return m.members(text, func(label string) func([]byte) []byte {
			i := slices.IndexFunc(n.Union.Branches, func(b contract.Branch) bool { return b.Label == label })
			if i < 0 {
				return below(nil)
			}
			return below(n.Union.Branches[i].Node)
		})
	case contract.ArrayNode:
		return m.elements(text, n.Elem)
	case contract.LeafNode, contract.RecursionNode:
	}
	return text
}

// members writes an object anew, each value by what of gives for its name. What is no object stays.
func (m *masker) members(text []byte, of func(name string) func([]byte) []byte) []byte {
	in := json.NewDecoder(bytes.NewReader(text))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return text
	}
	out := []byte{'{'}
	for in.More() {
		name, err := in.Token()
		var value json.RawMessage
		if err != nil || in.Decode(&value) != nil {
			return []byte(sensitiveMask) // no canonical text: nothing of it is shown
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(canon.AppendJSONString(out, name.(string)), ':')
		out = append(out, of(name.(string))(value)...)
	}
	return append(out, '}')
}

func (m *masker) elements(text []byte, n *contract.Node) []byte {
	var elements []json.RawMessage
	if json.Unmarshal(text, &elements) != nil || elements == nil {
		return text
	}
	parts := make([]string, len(elements))
	for i, e := range elements {
		parts[i] = string(m.value(n, e))
	}
	return []byte("[" + strings.Join(parts, ",") + "]")
}
