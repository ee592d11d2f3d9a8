package contract

import "github.com/idemgen/idemgen/runtime/canon"

// Reference gives v as the data that canon's reference interpreter works from: what explains a fingerprint and makes vectors. name is the
// contract's. The result shares nothing with v that either side changes.
func (v *Version) Reference(name string) *canon.Contract {
	c := &canon.Contract{
		Name: name, ID: v.ID, Accepts: append([]canon.Media(nil), v.BodyAccepts...), BodyRequired: v.BodyRequired,
		Params: append([]canon.Param(nil), v.Params...),
	}
	c.Body = referenceNode(v.Body, map[*Node]*canon.Node{})
	for _, f := range v.Fields {
		c.Fields = append(c.Fields, f.Path)
	}
	return c
}

// referenceNode converts n and what is below it. A node that is met again, be it above itself, is one node in the result too.
func referenceNode(n *Node, done map[*Node]*canon.Node) *canon.Node {
	if n == nil || done[n] != nil {
		return done[n]
	}
	out := &canon.Node{
		Kind: referenceKind(n.Kind), Field: n.Field, Null: referenceNull(n.Null), As: n.As, Array: n.Array, Unknown: n.Unknown,
	}
	done[n] = out
	out.Elem = referenceNode(n.Elem, done)
	for _, m := range n.Members {
		out.Members = append(out.Members, canon.NodeMember{
			Name: m.Name, Required: m.Required, Ignored: m.Ignored, Default: m.Default, Node: referenceNode(m.Node, done),
		})
	}
	return out
}

// referenceKind gives 0, which the interpreter refuses, for a kind that it has no word for.
func referenceKind(k NodeKind) canon.NodeKind {
	switch k {
	case ObjectNode:
		return canon.ObjectNode
	case MapNode:
		return canon.MapNode
	case ArrayNode:
		return canon.ArrayNode
	case LeafNode:
		return canon.LeafNode
	}
	return 0
}

func referenceNull(r NullRule) canon.NullRule {
	switch r {
	case NullDistinct:
		return canon.NullDistinct
	case NullAbsent:
		return canon.NullAbsent
	case NullRefused:
	}
	return canon.NullRefused
}
