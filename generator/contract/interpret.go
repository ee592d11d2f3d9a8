package contract

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Scan drives s over the request that it was started with, as the generated code of v does. Finish gives the digest.
func (v *Version) Scan(s *canon.Scanner) {
	if v.Body != nil && v.open(s) != canon.NoBody {
		scanNode(s, v.Body, nil)
	}
	s.Params(v.Params)
}

func (v *Version) open(s *canon.Scanner) canon.Media {
	if v.View != "" {
		return s.OpenView(&v.Spec)
	}
	return s.OpenBody(&v.Spec)
}

// scanNode reads one value; o is the object or map that it is a member of.
func scanNode(s *canon.Scanner, n *Node, o *canon.Frame) {
	switch {
	case n.Null == NullAbsent && o != nil && s.NullAbsent(o):
		return
	case n.Null == NullDistinct && n.As != canon.Generic && s.Null(n.Field):
		return
	}
	scanPresent(s, n)
}

// scanPresent reads a value for which null means nothing particular.
func scanPresent(s *canon.Scanner, n *Node) {
	switch n.Kind {
	case ObjectNode, MapNode:
		scanObject(s, n)
	case ArrayNode:
		a := s.Array(n.Array, n.Field)
		for s.Element(&a) {
			scanNode(s, n.Elem, nil)
		}
	case LeafNode:
		scanLeaf(s, n)
	case UnionNode:
		scanUnion(s, n.Union)
	case RecursionNode:
		scanPresent(s, n.Back)
	}
}

func scanUnion(s *canon.Scanner, u *Union) {
	label := unionLabel(s, u)
	for _, b := range u.Branches {
		if b.Label == label {
			s.Branch(label)
			scanNode(s, b.Node, nil)
			s.EndBranch()
			return
		}
	}
	s.NoBranch()
}

// unionLabel is the label of the branch that the value which follows asks for.
func unionLabel(s *canon.Scanner, u *Union) string {
	if u.Discriminator == "" {
		return kindLabel(s.Kind())
	}
	return string(s.Discriminator(u.Discriminator))
}

// kindLabel is the label of a branch by JSON type; empty for null and where no value follows.
func kindLabel(k canon.Kind) string {
	switch k {
	case canon.KindObject:
		return objectLabel
	case canon.KindArray:
		return arrayLabel
	case canon.KindString:
		return stringLabel
	case canon.KindNumber:
		return numberLabel
	case canon.KindBoolean:
		return booleanLabel
	case canon.KindNull:
	}
	return ""
}

func scanObject(s *canon.Scanner, n *Node) {
	o := openNode(s, n)
	for s.Next(&o) {
		name := string(s.Name())
		i := memberIndex(n, name)
		switch {
		case i < 0 && n.Kind == MapNode:
			s.Entry(&o)
			scanNode(s, n.Elem, &o)
		case i < 0:
			s.Unknown(&o)
		case n.Members[i].Ignored:
			s.Ignore(&o, i)
		default:
			s.Member(&o, i)
			scanNode(s, n.Members[i].Node, &o)
		}
	}
}

func openNode(s *canon.Scanner, n *Node) canon.Frame {
	shape := &canon.Shape{Unknown: n.Unknown}
	for _, m := range n.Members {
		shape.Members = append(shape.Members, canon.Member{Name: m.Name, Key: m.Key, Required: m.Required, Ignored: m.Ignored, Default: m.Default})
	}
	if n.Kind == MapNode && len(n.Members) == 0 {
		return s.Map(shape)
	}
	return s.Object(shape, make([]canon.Span, len(n.Members)))
}

func memberIndex(n *Node, name string) int {
	for i, m := range n.Members {
		if m.Name == name {
			return i
		}
	}
	return -1
}

func scanLeaf(s *canon.Scanner, n *Node) {
	switch n.As {
	case canon.Exact:
		s.Exact(n.Field)
	case canon.Int:
		s.Int(n.Field)
	case canon.Decimal:
		s.Decimal(n.Field)
	case canon.Double:
		s.Double(n.Field)
	case canon.Boolean:
		s.Boolean(n.Field)
	case canon.Instant:
		s.Instant(n.Field)
	case canon.UUID:
		s.UUID(n.Field)
	case canon.Base64:
		s.Base64(n.Field)
	case canon.ASCIILower:
		s.ASCIILower(n.Field)
	case canon.ASCIIUpper:
		s.ASCIIUpper(n.Field)
	case canon.ASCIITrim:
		s.ASCIITrim(n.Field)
	case canon.ContentDigest:
		s.ContentDigest(n.Field)
	case canon.Generic:
		s.Generic(n.Field)
	}
}

// canonicalText gives what a JSON text becomes at n, or why no request could send it.
func canonicalText(n *Node, text string) (string, error) {
	s := canon.Acquire()
	defer s.Release()
	s.Start(&canon.Request{Body: []byte(text), ContentType: "application/json"})
	whole := *n
	if whole.Null == NullAbsent {
		whole.Null = NullRefused // a default of null would be no default
	}
	v := Version{Spec: canon.BodySpec{Required: true, Accepts: []canon.Media{canon.JSON}}, Body: &whole}
	v.Scan(s)
	if _, err := s.Finish("", ""); err != nil {
		return "", fmt.Errorf("contract: normalise default: %w", err)
	}
	out := strings.TrimPrefix(string(s.AppendCanonical(nil)), `{"body":`)
	return strings.TrimSuffix(out, "}"), nil
}
