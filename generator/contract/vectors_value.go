package contract

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// bodyMaker writes a JSON body that a contract accepts.
type bodyMaker struct {
	minimal bool // what is required and nothing else
	ignored bool // with the members that do not count
	budget  int  // values that may still come, unless they are required
	count   int  // values that came: two numbers in a body are never equal
	second  string
	above   map[*canon.Node]bool
	quoted  map[*canon.Node]bool // numbers that are sent as texts
	arrays  int                  // around the value
	cut     bool                 // something that counts did not fit
	spots   []spot
	ignores []string // paths of the ignored members
	members []sent   // of the body itself, in their order
}

// sent is a member as it stands in the body.
type sent struct{ name, value string }

func (s sent) String() string { return quoteJSON(s.name) + ":" + s.value }

// braced writes members between braces.
func braced(members []sent, comma string) string {
	texts := make([]string, len(members))
	for i, m := range members {
		texts[i] = m.String()
	}
	return "{" + strings.Join(texts, comma) + "}"
}

// spot is a value of the body that vectors can change.
type spot struct {
	path     string
	node     *canon.Node
	text     string
	elements []string // of an array
	member   bool     // it can be missing, unless it is required
	required bool
	fallback string // canonical text of the default
	label    bool   // it names the branch of a union
	branch   int    // of a union: the one that was taken
	inUnion  bool   // it is the branch that was taken: what it does not take, another one may
}

// where says in which place a value stands.
type where struct {
	name     string
	path     string
	member   bool
	required bool
	fallback string
	// discriminator and label make an object the branch of a union.
	discriminator, label string
	inUnion              bool
}

// value writes one value. It fails where no finite value exists: an object that requires itself.
func (b *bodyMaker) value(n *canon.Node, w where) (string, bool) {
	if b.count++; b.above[n] || b.count > mostTries {
		return "", false
	}
	b.budget--
	at, ignores := len(b.spots), len(b.ignores)
	b.spots = append(b.spots, spot{path: w.path, node: n, member: w.member, required: w.required, fallback: w.fallback, inUnion: w.inUnion})
	text, elements, ok := b.kind(n, w, at)
	if !ok {
		b.spots, b.ignores = b.spots[:at], b.ignores[:ignores]
		return "", false
	}
	b.spots[at].text, b.spots[at].elements = text, elements
	return text, true
}

func (b *bodyMaker) kind(n *canon.Node, w where, at int) (text string, elements []string, ok bool) {
	if n.Kind == canon.LeafNode {
		return b.scalar(n, w), nil, true
	}
	b.above[n] = true
	defer delete(b.above, n)
	switch n.Kind {
	case canon.ObjectNode, canon.MapNode:
		text, ok = b.fields(n, w)
	case canon.ArrayNode:
		elements = b.elements(n, w)
		text, ok = "["+strings.Join(elements, ",")+"]", true
	case canon.UnionNode:
		text, b.spots[at].branch, ok = b.union(n.Union, w)
	case canon.LeafNode:
	}
	return text, elements, ok
}

// scalar takes another value than the default, so that a request with the value differs from one without.
func (b *bodyMaker) scalar(n *canon.Node, w where) string {
	text := sample(n.As, word(w.name)+b.second, b.count)
	if b.quoted[n] && (n.As == canon.Int || n.As == canon.Decimal) {
		text = quoteJSON(text)
	}
	if w.fallback != "" && canonicalOf(n, text) == w.fallback {
		return variantsOf(n.As, text).differs
	}
	return text
}

func (b *bodyMaker) fields(n *canon.Node, w where) (string, bool) {
	var members []sent
	for i := range n.Members {
		d := &n.Members[i]
		text, have, ok := b.member(d, w)
		if !ok {
			return "", false
		}
		if have {
			members = append(members, sent{d.Name, text})
		}
	}
	if n.Kind == canon.MapNode && !b.minimal && b.budget > 0 {
		name := freeName(n, "key")
		if text, ok := b.value(n.Elem, where{name: name, path: memberOf(w.path, name), member: true}); ok {
			members = append(members, sent{name, text})
		}
	}
	if w.path == bodyText {
		b.members = members
	}
	return braced(members, ","), true
}

// member writes a declared member's value. have is false when it is left out; ok is false when it cannot be left out and has no value.
func (b *bodyMaker) member(d *canon.NodeMember, w where) (text string, have, ok bool) {
	path := memberOf(w.path, d.Name)
	label := w.discriminator != "" && d.Name == w.discriminator
	switch {
	case label && d.Node != nil:
		text = quoteJSON(w.label)
		b.spots = append(b.spots, spot{path: path, node: d.Node, text: text, member: true, required: true, label: true})
		return text, true, true
	case label:
		return quoteJSON(w.label), true, true
	case d.Ignored:
		b.ignores = append(b.ignores, path)
		return quoteJSON("x"), b.ignored || d.Required, true
	case !d.Required && b.minimal:
		return "", false, true
	case !d.Required && b.budget <= 0:
		b.cut = true
		return "", false, true
	}
	text, ok = b.value(d.Node, where{name: d.Name, path: path, member: true, required: d.Required, fallback: d.Default})
	return text, ok, ok || !d.Required
}

// elements writes two elements of an outermost array, so that their order can be changed, and one of an array inside.
func (b *bodyMaker) elements(n *canon.Node, w where) (out []string) {
	if b.minimal || b.budget <= 0 {
		b.cut = b.cut || !b.minimal
		return nil
	}
	b.arrays++
	defer func() { b.arrays-- }()
	first, ok := b.value(n.Elem, where{name: w.name, path: w.path + "[]"})
	if !ok {
		return nil
	}
	out = append(out, first)
	if b.arrays > 1 || b.budget <= 0 {
		return out
	}
	spots, ignores := len(b.spots), len(b.ignores)
	b.second = "2"
	if other, ok := b.value(n.Elem, where{name: w.name, path: w.path + "[]"}); ok {
		out = append(out, other)
	}
	b.second, b.spots, b.ignores = "", b.spots[:spots], b.ignores[:ignores]
	return out
}

// union writes the first branch that has a value, and says which it is.
func (b *bodyMaker) union(u *canon.Union, w where) (text string, branch int, ok bool) {
	for i := range u.Branches {
		if text, ok := b.branch(u, i, w); ok {
			return text, i, true
		}
	}
	return "", 0, false
}

func (b *bodyMaker) branch(u *canon.Union, i int, w where) (string, bool) {
	inside := where{name: w.name, path: w.path, inUnion: true}
	if u.Discriminator != "" {
		inside.discriminator, inside.label = u.Discriminator, u.Branches[i].Label
	}
	return b.value(u.Branches[i].Node, inside)
}

// memberOf is the path of a member.
func memberOf(path, name string) string {
	p := openapi.FieldPath{In: openapi.InBody, Segments: []openapi.Segment{{Kind: openapi.SegName, Name: name}}}
	return path + strings.TrimPrefix(p.String(), bodyText)
}

// freeName gives a name that no declared member has, in whatever case.
func freeName(n *canon.Node, name string) string {
	for i := range n.Members {
		if strings.EqualFold(n.Members[i].Name, name) {
			return freeName(n, name+"x")
		}
	}
	return name
}

// word makes a short text of a name, so that a reader sees which field a value belongs to.
func word(name string) string {
	text := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
	const longest = 10
	if len(text) > longest {
		text = text[:longest]
	}
	if text == "" {
		return "text"
	}
	return text
}

// sample is the JSON text of a value that a normaliser takes. text and count make it differ from the samples of other fields.
func sample(as canon.Normaliser, text string, count int) string {
	switch as {
	case canon.Int:
		return strconv.Itoa(count)
	case canon.Decimal, canon.Double:
		return strconv.Itoa(count) + ".5"
	case canon.Boolean:
		return strconv.FormatBool(!strings.HasSuffix(text, "2")) // the second of two elements is another one
	case canon.Instant:
		text = fmt.Sprintf("2026-01-02T03:04:%02dZ", count%60)
	case canon.UUID:
		text = fmt.Sprintf("0000000a-0000-4000-8000-%012x", count)
	case canon.Base64:
		text = base64.StdEncoding.EncodeToString([]byte(text))
	case canon.ASCIILower:
		text = strings.ToLower(text)
	case canon.ASCIIUpper:
		text = strings.ToUpper(text)
	case canon.Generic:
		return "{" + quoteJSON(text) + ":" + strconv.Itoa(count) + "}"
	case canon.Exact, canon.ASCIITrim, canon.ContentDigest:
	}
	return quoteJSON(text)
}

// textOf gives the characters of a JSON scalar: what stands for it in a parameter.
func textOf(jsonText string) string {
	var text string
	if json.Unmarshal([]byte(jsonText), &text) == nil {
		return text
	}
	return jsonText
}

// canonicalOf gives the canonical text of a value at a node; empty when it has none.
func canonicalOf(n *canon.Node, text string) string {
	c := canon.Contract{Accepts: []canon.Media{canon.JSON}, Body: n}
	whole, err := c.Canonical(&canon.Request{Body: []byte(text)})
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(whole), `{"body":`), "}")
}
