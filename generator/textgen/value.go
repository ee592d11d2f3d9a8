package textgen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// The bounds of an example: it shows the shape of a request and need not hold all of it.
const (
	mostValues = 20
	mostDepth  = 4
)

// sampler writes JSON values of types. What must be there always comes, what may be there while the example is small.
type sampler struct {
	of     *openapi.Operation
	key    string // the field path of the key, where it stands in the body
	keyIs  string
	budget int
}

// body writes the JSON text of a body.
func (s *sampler) body(c *contract.Contract) string {
	s.budget = mostValues
	if c.BodyType == nil {
		return ""
	}
	return s.value(c.BodyType, c.Version.Body, bodySchema(s.of), "body", 0)
}

// value writes one value. n is where the value counts, and may be nil; it tells more of a text than its Go type does.
func (s *sampler) value(t *contract.Type, n *contract.Node, d declared, path string, depth int) string {
	s.budget--
	if path == s.key {
		return quote(s.keyIs)
	}
	switch t.Kind {
	case contract.TypeStruct:
		return s.object(t, n, d, path, depth)
	case contract.TypeList:
		return "[" + s.value(t.Elem, elementOf(n), d.inside(), path+"[]", depth+1) + "]"
	case contract.TypeMap:
		return `{"name":` + s.value(t.Elem, elementOf(n), d.inside(), path+".*", depth+1) + "}"
	case contract.TypeRaw:
		return s.counting(n, d, path, depth)
	case contract.TypeString, contract.TypeInt64, contract.TypeInt32, contract.TypeNumber, contract.TypeBool, contract.TypeBytes, contract.TypeInstant:
	}
	text := scalar(t.Kind)
	if t.Kind == contract.TypeString && n != nil && n.Kind == contract.LeafNode {
		text = quote(textAs(n.As))
	}
	return d.fit(text)
}

func (s *sampler) object(t *contract.Type, n *contract.Node, d declared, path string, depth int) string {
	var members []string
	for i := range t.Fields {
		f := &t.Fields[i]
		at := memberPath(path, f.Name)
		m, ignored := memberOf(n, f.Name)
		isKey := at == s.key || strings.HasPrefix(s.key, at+".")
		if !isKey && f.Optional && (ignored || s.budget <= 0 || depth >= mostDepth) {
			continue
		}
		members = append(members, quote(f.Name)+":"+s.value(f.Type, m, d.member(f.Name), at, depth+1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// counting writes a value of which only is known how it counts.
func (s *sampler) counting(n *contract.Node, d declared, path string, depth int) string {
	if n == nil || depth > mostDepth {
		return d.fit("{}")
	}
	switch n.Kind {
	case contract.ObjectNode, contract.MapNode:
		var members []string
		for i := range n.Members {
			m := &n.Members[i]
			at := memberPath(path, m.Name)
			switch {
			case at == s.key:
				members = append(members, quote(m.Name)+":"+quote(s.keyIs))
			case m.Required, !m.Ignored && s.budget > 0 && depth < mostDepth:
				s.budget--
				members = append(members, quote(m.Name)+":"+s.counting(m.Node, d.member(m.Name), at, depth+1))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	case contract.ArrayNode:
		return "[" + s.counting(n.Elem, d.inside(), path+"[]", depth+1) + "]"
	case contract.LeafNode:
		return d.fit(scalarAs(n.As))
	case contract.UnionNode:
		if len(n.Union.Branches) > 0 {
			return s.union(n.Union, d, path, depth)
		}
	case contract.RecursionNode:
	}
	return "{}"
}

// union writes the first kind, with the label that says so.
func (s *sampler) union(u *contract.Union, d declared, path string, depth int) string {
	first := u.Branches[0]
	if u.Discriminator == "" || first.Node.Kind != contract.ObjectNode {
		return s.counting(first.Node, d, path, depth+1)
	}
	rest := *first.Node
	rest.Members = slices.DeleteFunc(slices.Clone(rest.Members), func(m contract.Member) bool { return m.Name == u.Discriminator })
	text := strings.TrimPrefix(s.counting(&rest, d, path, depth+1), "{")
	if text != "}" {
		text = "," + text
	}
	return "{" + quote(u.Discriminator) + ":" + quote(first.Label) + text
}

// memberOf finds how a member counts. A member of an object that counts, and is not among its members, does not.
func memberOf(n *contract.Node, name string) (member *contract.Node, ignored bool) {
	if n == nil || n.Kind != contract.ObjectNode && n.Kind != contract.MapNode {
		return nil, false
	}
	i := slices.IndexFunc(n.Members, func(m contract.Member) bool { return m.Name == name })
	if i < 0 {
		return nil, true
	}
	return n.Members[i].Node, n.Members[i].Ignored
}

func elementOf(n *contract.Node) *contract.Node {
	if n == nil {
		return nil
	}
	return n.Elem
}

func memberPath(path, name string) string {
	p := openapi.FieldPath{In: openapi.InBody, Segments: []openapi.Segment{{Kind: openapi.SegName, Name: name}}}
	return path + strings.TrimPrefix(p.String(), "body")
}

// fit makes a value one that the schemas take: of an enum, of the declared JSON type, and as obey says.
func (d declared) fit(text string) string {
	if choice, ok := d.choice(); ok {
		return choice
	}
	if d.only("string") && !strings.HasPrefix(text, `"`) {
		if text == "{}" {
			text = textAs(canon.Exact)
		}
		text = quote(text)
	}
	return d.obey(text)
}

// scalar is the JSON text of a value of a type.
func scalar(k contract.TypeKind) string {
	switch k {
	case contract.TypeInt64, contract.TypeInt32:
		return "1"
	case contract.TypeNumber:
		return "10.5"
	case contract.TypeBool:
		return "true"
	case contract.TypeBytes:
		return quote(textAs(canon.Base64))
	case contract.TypeInstant:
		return quote(textAs(canon.Instant))
	case contract.TypeString, contract.TypeRaw, contract.TypeStruct, contract.TypeList, contract.TypeMap:
	}
	return quote(textAs(canon.Exact))
}

// scalarAs is the JSON text of a value that a normaliser takes.
func scalarAs(as canon.Normaliser) string {
	switch as {
	case canon.Int, canon.Decimal, canon.Double, canon.Boolean:
		return textAs(as)
	case canon.Generic:
		return "{}"
	case canon.Exact, canon.Instant, canon.UUID, canon.Base64, canon.ContentDigest, canon.ASCIILower, canon.ASCIIUpper, canon.ASCIITrim:
	}
	return quote(textAs(as))
}

// textAs is a text that a normaliser takes.
func textAs(as canon.Normaliser) string {
	switch as {
	case canon.Int:
		return "1"
	case canon.Decimal, canon.Double:
		return "10.50"
	case canon.Boolean:
		return "true"
	case canon.Instant:
		return "2026-01-31T12:00:00Z"
	case canon.UUID:
		return "7d3c9f4e-52a1-4b8e-9c60-1f2a3b4c5d6e"
	case canon.Base64:
		return "dGV4dA=="
	case canon.Exact, canon.ASCIILower, canon.ASCIIUpper, canon.ASCIITrim, canon.ContentDigest, canon.Generic:
	}
	return "string"
}

// quote writes a JSON string of ASCII characters, so that a terminal shows what is sent.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r >= ' ' && r <= '~':
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF
			b.WriteString(`\u` + hex4(high) + `\u` + hex4(low))
		default:
			b.WriteString(`\u` + hex4(r))
		}
	}
	return b.String() + `"`
}

func hex4(r rune) string {
	text := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", 4-len(text)) + text
}
