package openapi

import (
	"iter"

	"go.yaml.in/yaml/v4"
)

// entry gives the key and the value of a member; nil when n is no object or has no such member.
func entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	for k, v := range entries(n) {
		if k.Value == name {
			return k, v
		}
	}
	return nil, nil
}

// child gives the value of a member, or nil.
func child(n *yaml.Node, name string) *yaml.Node {
	_, value := entry(n, name)
	return value
}

// entries gives the members of an object in order; of anything else, none.
func entries(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// items gives the elements of a list; of anything else, none.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// names gives the members' names in order.
func names(n *yaml.Node) (out []string) {
	for k := range entries(n) {
		out = append(out, k.Value)
	}
	return out
}

// scalar gives the text of a text, number or boolean; "" for anything else.
func scalar(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || isNull(n) {
		return ""
	}
	return n.Value
}

// isTrue reports whether n is the boolean true. Text that says "true" is not.
func isTrue(n *yaml.Node) bool { return isBool(n) && (n.Value[0] == 't' || n.Value[0] == 'T') }

// isFalse reports whether n is the boolean false.
func isFalse(n *yaml.Node) bool { return isBool(n) && !isTrue(n) }

func isBool(n *yaml.Node) bool {
	return n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" && n.Value != ""
}

func isObject(n *yaml.Node) bool { return n != nil && n.Kind == yaml.MappingNode }
