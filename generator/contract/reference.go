package contract

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Reference gives v as the data that canon's reference interpreter works from: what explains a fingerprint and makes vectors. name is the
// contract's. The result shares nothing with v that either side changes.
func (v *Version) Reference(name string) *canon.Contract {
	c, _ := v.reference(name)
	return c
}

// reference also gives the nodes of v that its nodes are made of.
func (v *Version) reference(name string) (*canon.Contract, map[*Node]*canon.Node) {
	c := &canon.Contract{
		Name: name, ID: v.ID, Accepts: slices.Clone(v.Spec.Accepts), Types: slices.Clone(v.Spec.Types), Parts: slices.Clone(v.Spec.Parts), BodyRequired: v.Spec.Required,
		View: v.View, Params: append([]canon.Param(nil), v.Params...),
	}
	var back []func()
	done := map[*Node]*canon.Node{}
	c.Body = referenceNode(v.Body, done, &back)
	for _, complete := range back {
		complete()
	}
	for _, f := range v.Fields {
		c.Fields = append(c.Fields, f.Path)
	}
	return c, done
}

// referenceNode converts n and what is below it. A node that is met again, be it above itself, is one node in the result too. What back
// gets has to be called when all nodes are made: a recursion has the inside of a node above it.
func referenceNode(n *Node, done map[*Node]*canon.Node, back *[]func()) *canon.Node {
	if n == nil || done[n] != nil {
		return done[n]
	}
	out := &canon.Node{
		Kind: referenceKind(n.Kind), Field: n.Field, Null: referenceNull(n.Null), As: n.As, Array: n.Array, Unknown: n.Unknown,
	}
	done[n] = out
	if n.Kind == RecursionNode {
		*back = append(*back, func() {
			null := out.Null
			*out = *done[n.Back]
			out.Null = null
		})
		return out
	}
	out.Elem = referenceNode(n.Elem, done, back)
	for _, m := range n.Members {
		out.Members = append(out.Members, canon.NodeMember{
			Name: m.Name, Required: m.Required, Ignored: m.Ignored, Default: m.Default, Node: referenceNode(m.Node, done, back),
		})
	}
	if n.Union != nil {
		out.Union = &canon.Union{Discriminator: n.Union.Discriminator}
		for _, b := range n.Union.Branches {
			out.Union.Branches = append(out.Union.Branches, canon.Branch{Label: b.Label, Node: referenceNode(b.Node, done, back)})
		}
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
	case UnionNode:
		return canon.UnionNode
	case RecursionNode: // takes the kind of the node above
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
