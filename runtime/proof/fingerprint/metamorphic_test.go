package fingerprint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/canon"
)

// kind is what a node is.
type kind uint8

const (
	objectKind kind = iota + 1
	arrayKind
	setKind // an array whose order does not count
	stringKind
	tokenKind // one of several tokens that mean the same
)

// node is a JSON value that can be spelled in many ways. counts says that another value must give another digest.
type node struct {
	kind     kind
	members  []member
	elements []*node
	text     string
	tokens   []string
	counts   bool
}

type member struct {
	name  string
	value *node
}

func object(members ...member) *node { return &node{kind: objectKind, members: members} }
func text(value string) *node        { return &node{kind: stringKind, text: value, counts: true} }
func tokens(same ...string) *node    { return &node{kind: tokenKind, tokens: same, counts: true} }

// ignored makes a value and all below it one that does not count.
func ignored(n *node) *node {
	n.counts = false
	for _, m := range n.members {
		ignored(m.value)
	}
	for _, e := range n.elements {
		ignored(e)
	}
	return n
}

// drawPayment makes a payment of the contract.
func drawPayment(t *rapid.T) *node {
	words := rapid.StringOf(rapid.RuneFrom([]rune("abcXYZ 09\"\\/\n\t\u0001éß€😂\u2028\ufb33")))
	word := func(label string) *node { return text(words.Draw(t, label)) }
	root := object(
		member{"amount", drawMoney(t)},
		member{"method", text(rapid.SampledFrom([]string{"card", "debit"}).Draw(t, "method"))},
		member{"order_id", tokens(`"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"`, `"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`)},
	)
	add := func(name string, value func() *node) {
		if rapid.Bool().Draw(t, "has "+name) {
			root.members = append(root.members, member{name, value()})
		}
	}
	add("capture_at", func() *node {
		return tokens(`"2026-11-30T09:00:00+01:00"`, `"2026-11-30T08:00:00Z"`, `"2026-11-30t08:00:00.000z"`, `"2026-11-29T23:00:00-09:00"`)
	})
	add("customer", func() *node {
		return object(member{"id", word("id")}, member{"email", word("email")})
	})
	add("items", func() *node {
		items := &node{kind: arrayKind}
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			items.elements = append(items.elements, drawItem(t, word))
		}
		return items
	})
	add("metadata", func() *node {
		labels := object()
		for _, name := range rapid.SliceOfNDistinct(words, 0, 5, rapid.ID).Draw(t, "names") {
			labels.members = append(labels.members, member{name, word("label")})
		}
		return labels
	})
	add("text", func() *node {
		return text(strings.Repeat(words.Draw(t, "text"), rapid.SampledFrom([]int{1, 500}).Draw(t, "times")))
	})
	add("trace", func() *node {
		inner := object(member{"x", word("trace")}, member{"y", tokens("1e400", "0")})
		return ignored(&node{kind: arrayKind, elements: []*node{inner}})
	})
	return root
}

func drawMoney(t *rapid.T) *node {
	whole := rapid.IntRange(1, 100_000).Draw(t, "value")
	return object(
		member{"value", tokens(fmt.Sprintf("%d", whole), fmt.Sprintf("%d.00", whole), fmt.Sprintf(`"%d.0"`, whole), fmt.Sprintf("%de-1", whole*10))},
		member{"currency", text(rapid.SampledFrom([]string{"EUR", "USD"}).Draw(t, "currency"))},
	)
}

func drawItem(t *rapid.T, word func(string) *node) *node {
	tags := &node{kind: setKind}
	for i := range rapid.IntRange(0, 15).Draw(t, "tags") {
		tag := word("tag")
		tag.text += fmt.Sprintf("#%d", i) // no two are equal, so that each counts
		tags.elements = append(tags.elements, tag)
	}
	quantity := rapid.IntRange(0, 9).Draw(t, "qty")
	return object(
		member{"sku", word("sku")}, member{"qty", tokens(fmt.Sprintf("%d", quantity), fmt.Sprintf(`"%d"`, quantity))},
		member{"price", drawMoney(t)}, member{"tags", tags},
	)
}

// spell writes a value in one of its spellings.
func spell(t *rapid.T, dst []byte, n *node) []byte {
	dst = space(t, dst)
	switch n.kind {
	case objectKind:
		dst = spellObject(t, dst, n.members)
	case arrayKind:
		dst = spellArray(t, dst, n.elements)
	case setKind:
		elements := rapid.Permutation(n.elements).Draw(t, "set order")
		if len(elements) > 0 && rapid.Bool().Draw(t, "repeat") {
			elements = append(elements[:len(elements):len(elements)], elements[0])
		}
		dst = spellArray(t, dst, elements)
	case stringKind:
		dst = spellString(t, dst, n.text)
	case tokenKind:
		dst = append(dst, rapid.SampledFrom(n.tokens).Draw(t, "token")...)
	}
	return space(t, dst)
}

func spellObject(t *rapid.T, dst []byte, members []member) []byte {
	dst = append(dst, '{')
	for i, m := range rapid.Permutation(members).Draw(t, "order") {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(space(t, spellString(t, space(t, dst), m.name)), ':')
		dst = spell(t, dst, m.value)
	}
	return append(dst, '}')
}

func spellArray(t *rapid.T, dst []byte, elements []*node) []byte {
	dst = append(dst, '[')
	for i, e := range elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = spell(t, dst, e)
	}
	return append(dst, ']')
}

func space(t *rapid.T, dst []byte) []byte {
	return append(dst, rapid.SampledFrom([]string{"", "", "", " ", "\n\t", "\r\n  "}).Draw(t, "space")...)
}

func spellString(t *rapid.T, dst []byte, value string) []byte {
	style := rapid.SampledFrom([]string{"plain", "escaped", "mixed"}).Draw(t, "style")
	if style == "plain" || len(value) > 100 {
		return canon.AppendJSONString(dst, value)
	}
	dst = append(dst, '"')
	for i, r := range value {
		if style == "mixed" && i%2 == 0 && r >= 0x20 && r != '"' && r != '\\' {
			dst = append(dst, string(r)...)
			continue
		}
		switch {
		case r == '/':
			dst = append(dst, `\/`...)
		case r > 0xffff:
			dst = fmt.Appendf(dst, `\u%04X\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
	}
	return append(dst, '"')
}

// leaves are the values that count and can be changed.
func leaves(n *node) []*node {
	if n.counts {
		return []*node{n}
	}
	var all []*node
	for _, m := range n.members {
		all = append(all, leaves(m.value)...)
	}
	for _, e := range n.elements {
		all = append(all, leaves(e)...)
	}
	return all
}

// change gives a leaf another value of its kind.
func change(n *node) {
	switch {
	case n.kind == stringKind:
		n.text += "!"
	case strings.HasPrefix(n.tokens[0], `"2026`):
		n.tokens = []string{`"2026-11-30T09:00:00.000000001+01:00"`}
	case strings.HasPrefix(n.tokens[0], `"A0`):
		n.tokens = []string{`"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A12"`}
	default:
		n.tokens = []string{"1" + n.tokens[0]}
	}
}

// Member order, white space, escapes, a set's order and the spelling of numbers and instants do not change the digest; a value does.
func TestRespelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := drawPayment(t)
		first, text := canonical(t, spell(t, nil, root))
		requireFixedPoint(t, text)
		second, other := canonical(t, spell(t, nil, root))
		require.Equal(t, string(text), string(other))
		require.Equal(t, first, second)

		counting := leaves(root)
		change(counting[rapid.IntRange(0, len(counting)-1).Draw(t, "changed")])
		third, _ := canonical(t, spell(t, nil, root))
		require.NotEqual(t, first, third)
	})
}

// Under Generic numbers are told from strings and objects from their tags.
func TestGenericIsInjective(t *testing.T) {
	values := []string{`5`, `"5"`, `{"number":"5"}`, `[5]`, `{"object":{}}`, `{}`, `[]`, `null`, `"null"`, `true`, `"true"`, `""`,
		`{"number":5}`, `{"object":{"number":"5"}}`, `{"a":{}}`, `{"a":[]}`, `50`, `0.5`, `-5`}
	seen := map[string]string{}
	for _, value := range values {
		text := string(generic(t, []byte(value)))
		require.Empty(t, seen[text], "%s and %s", value, seen[text])
		seen[text] = value
	}
}
