package fingerprint

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Driver runs a contract through the scanner call by call as the code that is generated for it does.
type Driver struct {
	contract *canon.Contract
	shapes   map[*canon.Node]*canon.Shape
}

// NewDriver makes the tables that generated code has for c.
func NewDriver(c *canon.Contract) *Driver {
	d := &Driver{contract: c, shapes: map[*canon.Node]*canon.Shape{}}
	if c.Body != nil {
		d.declare(c.Body)
	}
	return d
}

// declare makes the shapes of n and of what is below it. A node that is met again has one already.
func (d *Driver) declare(n *canon.Node) {
	if n == nil || d.shapes[n] != nil {
		return
	}
	shape := &canon.Shape{Unknown: n.Unknown}
	d.shapes[n] = shape
	for _, m := range n.Members {
		key := string(canon.AppendJSONString(nil, m.Name)) + ":"
		shape.Members = append(shape.Members, canon.Member{Name: m.Name, Key: key, Required: m.Required, Ignored: m.Ignored, Default: m.Default})
		d.declare(m.Node)
	}
	if !slices.IsSortedFunc(n.Members, func(a, b canon.NodeMember) int { return canon.CompareNames(a.Name, b.Name) }) {
		panic("fingerprint: declare contract: members out of order: " + strings.Join(names(n), ", "))
	}
	d.declare(n.Elem)
	if n.Union != nil {
		for _, b := range n.Union.Branches {
			d.declare(b.Node)
		}
	}
}

func names(n *canon.Node) []string {
	out := make([]string, len(n.Members))
	for i, m := range n.Members {
		out[i] = m.Name
	}
	return out
}

// Fingerprint is the contract's fingerprint function.
func (d *Driver) Fingerprint(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
	s.Start(r)
	if d.contract.Body != nil {
		spec := canon.BodySpec{Required: d.contract.BodyRequired, Accepts: d.contract.Accepts, Types: d.contract.Types, Parts: d.contract.Parts}
		if s.OpenBody(&spec) != canon.NoBody {
			d.value(s, d.contract.Body, nil)
		}
	}
	if len(d.contract.Params) > 0 {
		s.Params(d.contract.Params)
	}
	return s.Finish(d.contract.Name, d.contract.ID)
}

// value reads a value, null included. o is the object that it is a member of; nil for elements and the body itself.
func (d *Driver) value(s *canon.Scanner, n *canon.Node, o *canon.Frame) {
	switch {
	case n.Null == canon.NullAbsent && o != nil:
		if s.NullAbsent(o) {
			return
		}
	case n.Null == canon.NullDistinct && n.As != canon.Generic:
		if s.Null(n.Field) {
			return
		}
	}
	switch n.Kind {
	case canon.ObjectNode, canon.MapNode:
		d.object(s, n)
	case canon.ArrayNode:
		a := s.Array(n.Array, n.Field)
		for s.Element(&a) {
			d.value(s, n.Elem, nil)
		}
	case canon.LeafNode:
		leaf(s, n)
	case canon.UnionNode:
		d.union(s, n.Union)
	}
}

// union reads a value that is one of several.
func (d *Driver) union(s *canon.Scanner, u *canon.Union) {
	var label string
	if u.Discriminator == "" {
		label = kindLabels[s.Kind()]
	} else {
		label = string(s.Discriminator(u.Discriminator))
	}
	for _, b := range u.Branches {
		if b.Label == label {
			s.Branch(label)
			d.value(s, b.Node, nil)
			s.EndBranch()
			return
		}
	}
	s.NoBranch()
}

var kindLabels = map[canon.Kind]string{
	canon.KindObject: "object", canon.KindArray: "array", canon.KindString: "string", canon.KindNumber: "number", canon.KindBoolean: "boolean",
}

func (d *Driver) object(s *canon.Scanner, n *canon.Node) {
	shape := d.shapes[n]
	var o canon.Frame
	if n.Kind == canon.MapNode && len(n.Members) == 0 {
		o = s.Map(shape)
	} else {
		o = s.Object(shape, make([]canon.Span, len(n.Members)))
	}
	for s.Next(&o) {
		name := string(s.Name())
		i := slices.IndexFunc(n.Members, func(m canon.NodeMember) bool { return m.Name == name })
		switch {
		case i >= 0 && n.Members[i].Ignored:
			s.Ignore(&o, i)
		case i >= 0:
			s.Member(&o, i)
			d.value(s, n.Members[i].Node, &o)
		case n.Kind == canon.MapNode:
			s.Entry(&o)
			d.value(s, n.Elem, &o)
		default:
			s.Unknown(&o)
		}
	}
}

func leaf(s *canon.Scanner, n *canon.Node) {
	methods := map[canon.Normaliser]func(int){
		canon.Exact: s.Exact, canon.Int: s.Int, canon.Decimal: s.Decimal, canon.Double: s.Double, canon.Boolean: s.Boolean,
		canon.Instant: s.Instant, canon.UUID: s.UUID, canon.Base64: s.Base64, canon.ContentDigest: s.ContentDigest, canon.ASCIILower: s.ASCIILower,
		canon.ASCIIUpper: s.ASCIIUpper, canon.ASCIITrim: s.ASCIITrim, canon.Generic: s.Generic,
	}
	methods[n.As](n.Field)
}
