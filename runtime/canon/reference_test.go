package canon_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

// referenceOf makes a contract whose body is n.
func referenceOf(n *canon.Node) *canon.Contract {
	return &canon.Contract{Name: "test", ID: "0123456789abcdef", Accepts: []canon.Media{canon.JSON}, BodyRequired: true, Body: n}
}

func node(as canon.Normaliser) *canon.Node { return &canon.Node{Kind: canon.LeafNode, As: as} }

func arrayOf(kind canon.ArrayKind, elem *canon.Node) *canon.Node {
	return &canon.Node{Kind: canon.ArrayNode, Array: kind, Elem: elem}
}

func mapOf(elem *canon.Node) *canon.Node { return &canon.Node{Kind: canon.MapNode, Elem: elem} }

func objectOf(unknown canon.UnknownPolicy, members ...canon.NodeMember) *canon.Node {
	return &canon.Node{Kind: canon.ObjectNode, Unknown: unknown, Members: members}
}

func property(name string, n *canon.Node) canon.NodeMember {
	return canon.NodeMember{Name: name, Node: n}
}

func nullable(rule canon.NullRule, n *canon.Node) *canon.Node { n.Null = rule; return n }

// interpret gives the canonical text of a JSON body without the member around it, or the refusal's place and reason.
func interpret(t *testing.T, n *canon.Node, body string) string {
	t.Helper()
	text, err := referenceOf(n).Canonical(&canon.Request{Body: []byte(body), ContentType: "application/json"})
	if err != nil {
		var refusal *canon.Refusal
		require.ErrorAs(t, err, &refusal)
		return refusal.Place + ": " + refusal.Reason
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(text), `{"body":`), "}")
}

// The example of FINGERPRINT section 1.
func TestReferenceExample(t *testing.T) {
	c := referenceOf(objectOf(canon.RejectUnknown, property("amount", node(canon.Decimal)), property("currency", node(canon.ASCIIUpper))))
	c.Params = []canon.Param{{In: canon.InPath, Name: "accountId", As: canon.Exact, Required: true}}
	r := &canon.Request{Body: []byte(`{"currency": "eur", "amount": 1e1}`), Path: []string{"acc_1"}}
	const want = `{"body":{"amount":"10","currency":"EUR"},"path":{"accountId":"acc_1"}}`
	text, err := c.Canonical(r)
	require.NoError(t, err)
	assert.Equal(t, want, string(text))
	digest, err := c.Digest(r)
	require.NoError(t, err)
	assert.Equal(t, canon.Digest(sha256.Sum256([]byte("idempotency-fingerprint/1\ntest\n0123456789abcdef\n"+want))), digest)

	r.Path = nil
	_, err = c.Digest(r)
	assert.EqualError(t, err, "path.accountId: a required parameter is missing")
	_, err = c.Canonical(r)
	assert.EqualError(t, err, "path.accountId: a required parameter is missing")
}

func TestReferenceValues(t *testing.T) {
	two := objectOf(canon.RejectUnknown, canon.NodeMember{Name: "a", Node: node(canon.Int), Required: true},
		canon.NodeMember{Name: "b", Node: nullable(canon.NullAbsent, node(canon.Exact)), Default: `"x"`}, canon.NodeMember{Name: "c", Ignored: true})
	for _, c := range []struct {
		name       string
		node       *canon.Node
		body, want string
	}{
		{"int", node(canon.Int), "-0", `"0"`},
		{"int in a string", node(canon.Int), `"12"`, `"12"`},
		{"int with a fraction", node(canon.Int), "1.0", "body: an integer is expected"},
		{"int with 39 digits", node(canon.Int), "-" + strings.Repeat("9", 39), "body: a number of more than 38 digits"},
		{"decimal", node(canon.Decimal), "-1.20e-3", `"-0.0012"`},
		{"decimal zero", node(canon.Decimal), "-0.00", `"0"`},
		{"decimal in a string", node(canon.Decimal), `"1e1"`, `"10"`},
		{"smallest decimal", node(canon.Decimal), "0.0000000000000000000000000000000000001e-38", `"0.` + strings.Repeat("0", 74) + `1"`},
		{"exponent with zeros", node(canon.Decimal), "1e+0038", `"1` + strings.Repeat("0", 38) + `"`},
		{"exponent bomb", node(canon.Decimal), "1e999999999", "body: an exponent beyond 38"},
		{"decimal with 39 digits", node(canon.Decimal), "0." + strings.Repeat("0", 38), "body: a number of more than 38 digits"},
		{"double", node(canon.Double), "100000000000000000000000e-2", `"1e+21"`},
		{"double, small", node(canon.Double), "0.0000001", `"1e-7"`},
		{"double zero", node(canon.Double), "-0.0", `"0"`},
		{"double, nearly nothing", node(canon.Double), "-1e-999", `"0"`},
		{"double, too large", node(canon.Double), "1e309", "body: a number beyond the range of a double"},
		{"double in a string", node(canon.Double), `"1"`, "body: a number is expected"},
		{"instant", node(canon.Instant), `"2024-03-01t00:30:00.1200+01:00"`, `"2024-02-29T23:30:00.12Z"`},
		{"instant, leap second", node(canon.Instant), `"2016-12-31T23:59:60Z"`, "body: a leap second"},
		{"instant, no such day", node(canon.Instant), `"2023-02-29T00:00:00Z"`, "body: a moment that calendar and clock do not have"},
		{"instant, ten digits", node(canon.Instant), `"2023-02-28T00:00:00.1234567890Z"`, "body: more than nine fraction digits"},
		{"instant before all years", node(canon.Instant), `"0000-01-01T00:00:00+00:01"`, "body: an instant beyond the years 0000 to 9999"},
		{"uuid", node(canon.UUID), `"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"`, `"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`},
		{"base64, stray bits", node(canon.Base64), `"AR=="`, "body: padded standard base64 is expected"},
		{"base64, line break", node(canon.Base64), `"AQ\n=="`, "body: padded standard base64 is expected"},
		{"lower", node(canon.ASCIILower), `"ÀK"`, `"Àk"`},
		{"upper", node(canon.ASCIIUpper), `"ſé"`, `"ſé"`},
		{"trim", node(canon.ASCIITrim), `"\f a\u00a0 "`, "\"a\u00a0\""},
		{"generic", node(canon.Generic), `{"b":[1.0,"1",{}],"a":null}`, `{"object":{"a":null,"b":[{"number":"1"},"1",{"object":{}}]}}`},
		{"string", node(canon.Exact), `"\u0041\ud83d\ude02\/\u001f\u2028"`, "\"A😂/\\u001f\u2028\""},
		{"set", arrayOf(canon.Set, node(canon.Decimal)), `[2,"1",1.0]`, `["1","2"]`},
		{"multiset", arrayOf(canon.Multiset, node(canon.Decimal)), `[2,"1",1.0]`, `["1","1","2"]`},
		{"list", arrayOf(canon.List, nullable(canon.NullDistinct, node(canon.Exact))), `["b",null,"a","b"]`, `["b",null,"a","b"]`},
		{"map by UTF-16", mapOf(node(canon.Exact)), `{"\ufb33":"1","😂":"2","a":"3"}`, "{\"a\":\"3\",\"😂\":\"2\",\"\ufb33\":\"1\"}"},
		{"map, twice", mapOf(node(canon.Exact)), `{"a":"1","\u0061":"2"}`, "body/a: the member stands here a second time"},
		{"map, null as absent", mapOf(nullable(canon.NullAbsent, node(canon.Exact))), `{"a":null,"b":"1"}`, `{"b":"1"}`},
		{"object", two, `{"c":[{}],"b":"y","a":1}`, `{"a":"1","b":"y"}`},
		{"default for null", two, `{"b":null,"a":1}`, `{"a":"1","b":"x"}`},
		{"default for absent", two, `{"a":1}`, `{"a":"1","b":"x"}`},
		{"required", two, `{"b":"y"}`, "body/a: a required member is missing"},
		{"another case", two, `{"A":1}`, "body/A: the name differs from a declared one only in case"},
		{"undeclared", two, `{"d":1}`, "body/d: the member is not declared"},
		{"twice", two, `{"a":1,"a":1}`, "body/a: the member stands here a second time"},
		{"twice after null", two, `{"a":1,"b":null,"b":null}`, "body/b: the member stands here a second time"},
		{"null", two, `{"a":null}`, "body/a: a number is expected"},
		{"ignored, but no JSON", two, `{"c":[01]}`, "body/c/0: a comma or the closing bracket is expected"},
		{"unknown ignored", objectOf(canon.IgnoreUnknown), `{"a":{"b":1e999}}`, `{}`},
		{"unknown included", objectOf(canon.IncludeUnknown), `{"a":{"b":1}}`, `{"a":{"object":{"b":{"number":"1"}}}}`},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, interpret(t, c.node, c.body)) })
	}
}

func TestReferenceUnions(t *testing.T) {
	card := objectOf(canon.RejectUnknown, property("number", node(canon.Exact)), property("type", node(canon.Exact)))
	bank := objectOf(canon.IgnoreUnknown, property("iban", node(canon.ASCIIUpper)))
	named := &canon.Node{Kind: canon.UnionNode, Null: canon.NullDistinct,
		Union: &canon.Union{Discriminator: "type", Branches: []canon.Branch{{Label: "card", Node: card}, {Label: "bank", Node: bank}}}}
	typed := &canon.Node{Kind: canon.UnionNode, Union: &canon.Union{Branches: []canon.Branch{
		{Label: "string", Node: node(canon.Exact)}, {Label: "number", Node: node(canon.Decimal)}, {Label: "boolean", Node: node(canon.Boolean)},
		{Label: "array", Node: arrayOf(canon.Set, named)}, {Label: "object", Node: bank}}}}
	for _, c := range []struct {
		node       *canon.Node
		body, want string
	}{
		{named, `{"type":"card","number":"1"}`, `{"card":{"number":"1","type":"card"}}`},
		{named, `{"iban":"de1","type":"b\u0061nk"}`, `{"bank":{"iban":"DE1"}}`},
		{named, `null`, `null`},
		{named, `{"iban":"de1"}`, "body/type: the member that names the branch is missing"},
		{named, `{"type":"cash"}`, "body/type: no branch has this name"},
		{named, `{"type":null}`, "body/type: a string is expected"},
		{named, `{"type":"card","iban":"1"}`, "body/iban: the member is not declared"},
		{named, `[]`, "body: an object is expected"},
		{named, `{"a":{"b":1,"b":1}}`, "body/a/b: the member stands here a second time"},
		{named, `{"type":"bank","type":"card"}`, "body/type: the member stands here a second time"},
		{typed, `"5"`, `{"string":"5"}`},
		{typed, `5`, `{"number":"5"}`},
		{typed, `false`, `{"boolean":false}`},
		{typed, `[{"type":"bank"},null]`, `{"array":[null,{"bank":{}}]}`},
		{typed, `{}`, `{"object":{}}`},
		{typed, `null`, "body: a value of another type is expected"},
		{typed, `[1`, "body/0: an object is expected"},
		{typed, `"a`, "body: the body ends too early"},
		{typed, `x`, "body: a JSON value is expected"},
	} {
		assert.Equal(t, c.want, interpret(t, c.node, c.body), c.body)
	}
}

func TestReferenceRecursion(t *testing.T) {
	tree := objectOf(canon.RejectUnknown)
	tree.Members = []canon.NodeMember{property("id", node(canon.Int)), property("kids", arrayOf(canon.Set, tree))}
	assert.Equal(t, `{"kids":[{"id":"1"},{"kids":[{}]}]}`, interpret(t, tree, `{"kids":[{"kids":[{},{}]},{"id":1}]}`))
	assert.Equal(t, "body/kids/0/ID: the name differs from a declared one only in case", interpret(t, tree, `{"kids":[{"ID":1}]}`))
	deep := func(n int) string { return strings.Repeat(`{"kids":[`, n) + strings.Repeat(`]}`, n) }
	assert.NotContains(t, interpret(t, tree, deep(64)), "more than")
	assert.Contains(t, interpret(t, tree, deep(65)), "more than 128 levels of nesting")
}

// A refusal names the first fault, at its offset; the scanner and the reference interpreter agree on it.
func TestFirstFault(t *testing.T) {
	for _, c := range []struct {
		name, body string
		offset     int
		place      string
	}{
		{"a comma instead of a value", `{"a":,"b":1}`, 5, "body/a"},
		{"a comma instead of a colon", `{"a","b":1}`, 4, "body/a"},
		{"a comma too much", `{"a":1,,"b":1}`, 7, "body"},
		{"a name that is not finished", `{"a":1,"abc`, 11, "body/abc"},
		{"a name that is not finished after an escape", `{"a\u0062`, 9, "body/ab"},
		{"a name that only begins", `{"`, 2, "body/"},
		{"invalid UTF-8 before a bad escape", `["` + "a\xff" + `\x"]`, 3, "body/0"},
		{"invalid UTF-8 before a control character", "[\"a\xff\x01\"]", 3, "body/0"},
		{"invalid UTF-8 before the end", "[\"a\xff", 3, "body/0"},
		{"half a character at the end", "[\"a\xc3", 3, "body/0"},
		{"a bad escape before invalid UTF-8", `["a\x` + "\xff\"]", 3, "body/0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, refusal := read(t, c.body, leaf(canon.Generic))
			require.NotNil(t, refusal)
			assert.Equal(t, c.place, refusal.Place)
			assert.Equal(t, c.offset, refusal.Offset)
			_, err := referenceOf(node(canon.Generic)).Canonical(&canon.Request{Body: []byte(c.body)})
			var other *canon.Refusal
			require.ErrorAs(t, err, &other)
			assert.Equal(t, refusal.Place, other.Place)
			assert.Equal(t, refusal.Offset, other.Offset)

			_, ignored := read(t, `{"x":`+c.body, ignoreAll)
			require.NotNil(t, ignored)
			assert.Equal(t, refusal.Offset+5, ignored.Offset)
		})
	}
}

// Of several names that stand twice, or three times, the first one that stands again is refused, in whatever order names are sorted.
func TestFirstOfManyDuplicates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		body, want := `{`, -1
		seen := map[string]bool{}
		for i := range 60 {
			name := fmt.Sprintf(`"n%d"`, r.IntN(300))
			if i > 0 {
				body += ","
			}
			if seen[name] && want < 0 {
				want = len(body)
			}
			seen[name] = true
			body += name + ":1"
		}
		if want < 0 {
			continue
		}
		_, generic := read(t, body+"}", leaf(canon.Generic))
		require.NotNil(t, generic)
		require.Equal(t, want, generic.Offset, body)
		_, ignored := read(t, `{"x":`+body+"}}", ignoreAll)
		require.NotNil(t, ignored)
		require.Equal(t, want+5, ignored.Offset, body)
	}
}

// Unicode folds U+017F to s; a media type, and the name of its parameter, are ASCII.
func TestMediaTypesFoldASCIIOnly(t *testing.T) {
	c := referenceOf(node(canon.Generic))
	for contentType, accepted := range map[string]bool{
		"application/j\u017fon": false, "application/x+j\u017fon": false, "APPLICATION/JSON": true, "application/x+JSON": true,
		"application/json; char\u017fet=latin1": true, "application/json; CHARSET=latin1": false,
	} {
		r := &canon.Request{Body: []byte("1"), ContentType: contentType}
		s := canon.Acquire()
		s.Start(r)
		if s.Body(true, canon.JSON) == canon.JSON {
			s.Generic(-1)
		}
		_, err := s.Finish("test", "0123456789abcdef")
		s.Release()
		assert.Equal(t, accepted, err == nil, contentType)
		_, err = c.Canonical(r)
		assert.Equal(t, accepted, err == nil, contentType)
	}
}
