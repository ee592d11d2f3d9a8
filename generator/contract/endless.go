package contract

import (
	"slices"

	"github.com/idemgen/idemgen/openapi/diag"
)

// reportEndless warns where no body could come to an end: each one that the schema allows has to hold another one.
func (o *operation) reportEndless(root *Node) {
	if root == nil || o.demands() || root.ends() {
		return
	}
	n := root
	for n.Kind != RecursionNode {
		n = n.endless()
	}
	for p, of := range o.nodes {
		if of != n {
			continue
		}
		o.found.Add(diag.Diagnostic{
			Pos: p.pos, Code: diag.SchemaEndless,
			Message: "no request has an end: " + p.plain + " has to be there, and is another " + p.again.plain + "; let it be left out, or null",
		})
		return
	}
}

// ends reports whether some value of n is finite. What repeats a value above it adds no end.
func (n *Node) ends() bool {
	return n.Null != NullRefused || n.endless() == nil && n.Kind != RecursionNode
}

// endless gives the part of n through which every value of it goes on without an end; nil: there is none, or n itself repeats what is above.
func (n *Node) endless() *Node {
	switch n.Kind {
	case ObjectNode, MapNode:
		for _, m := range n.Members {
			if m.Required && m.Node != nil && !m.Node.ends() {
				return m.Node
			}
		}
	case UnionNode:
		if !slices.ContainsFunc(n.Union.Branches, func(b Branch) bool { return b.Node.ends() }) && len(n.Union.Branches) > 0 {
			return n.Union.Branches[0].Node
		}
	case ArrayNode, LeafNode, RecursionNode:
	}
	return nil
}
