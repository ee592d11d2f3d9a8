package contract

import (
	"errors"
	"fmt"
	"slices"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// finish ties recursions to their places, and gives objects their ignored members.
func (r *restorer) finish(ignored []string) error {
	for _, b := range r.back {
		b.node.Back = r.places[b.to]
		if b.node.Back == nil || b.node.Back.Kind == RecursionNode {
			return fmt.Errorf("no line says what %s is", b.to)
		}
		b.node.Back.Recursive = true
	}
	for _, text := range ignored {
		r.ignore(text)
	}
	for at, n := range r.places {
		slices.SortStableFunc(n.Members, func(a, b Member) int { return canon.CompareNames(a.Name, b.Name) })
		if err := n.whole(); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	return nil
}

// whole finds what is missing of a node, or is there twice.
func (n *Node) whole() error {
	switch {
	case (n.Kind == ArrayNode || n.Kind == MapNode) && n.Elem == nil:
		return errors.New("no line says what is in it")
	case n.Kind == UnionNode && len(n.Union.Branches) < 2:
		return errors.New("a union of less than two kinds")
	}
	for i := 1; i < len(n.Members); i++ {
		if n.Members[i].Name == n.Members[i-1].Name {
			return fmt.Errorf("two lines about %s", n.Members[i].Name)
		}
	}
	seen := map[string]bool{}
	for i := 0; n.Union != nil && i < len(n.Union.Branches); i++ {
		label := n.Union.Branches[i].Label
		if seen[label] {
			return fmt.Errorf("two lines about the kind %s", label)
		}
		seen[label] = true
	}
	return nil
}

// ignore names a member that does not count. What is no member of an object that counts (a parameter, the entries of a map, the whole
// body) leaves no trace in the body's nodes.
func (r *restorer) ignore(text string) {
	above, step, err := splitPlace(text)
	if err != nil || step.kind != openapi.SegName || step.labels != nil {
		return
	}
	parent := r.places[above]
	if parent == nil || parent.Kind != ObjectNode && parent.Kind != MapNode {
		return
	}
	parent.Members = append(parent.Members, Member{Name: step.name, Key: quoteJSON(step.name) + ":", Ignored: true})
	if parent.Kind == MapNode || parent.Unknown == canon.IncludeUnknown {
		r.deciding = append(r.deciding, text)
	}
}
