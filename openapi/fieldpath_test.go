package openapi

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func name(n string) Segment { return Segment{Kind: SegName, Name: n} }

var (
	element  = Segment{Kind: SegElement}
	wildcard = Segment{Kind: SegWildcard}
)

func TestParseFieldPathReadsEveryForm(t *testing.T) {
	for _, c := range []struct {
		text  string
		in    In
		steps []Segment
		canon string // "" when it is the text
	}{
		{"body", InBody, nil, ""},
		{"body.amount", InBody, []Segment{name("amount")}, ""},
		{"body.lines[].sku", InBody, []Segment{name("lines"), element, name("sku")}, ""},
		{"body.lines[]", InBody, []Segment{name("lines"), element}, ""},
		{"body[].sku", InBody, []Segment{element, name("sku")}, ""},
		{"body.grid[][]", InBody, []Segment{name("grid"), element, element}, ""},
		{"body.metadata.*", InBody, []Segment{name("metadata"), wildcard}, ""},
		{"body.*.price", InBody, []Segment{wildcard, name("price")}, ""},
		{"path.paymentId", InPath, []Segment{name("paymentId")}, ""},
		{"query.dry_run", InQuery, []Segment{name("dry_run")}, ""},
		{"query.tag[]", InQuery, []Segment{name("tag"), element}, ""},
		{`query["filter[status]"]`, InQuery, []Segment{name("filter[status]")}, ""},
		{"header.Stripe-Account", InHeader, []Segment{name("Stripe-Account")}, ""},
		{`header["X.Request"]`, InHeader, []Segment{name("X.Request")}, ""},
		{`body["odd.name"].x`, InBody, []Segment{name("odd.name"), name("x")}, ""},
		{`body["amount"]`, InBody, []Segment{name("amount")}, "body.amount"},
		{`body["*"]`, InBody, []Segment{name("*")}, ""},
		{`body[""]`, InBody, []Segment{name("")}, ""},
		{`body["a\"b\\c\/d"]`, InBody, []Segment{name(`a"b\c/d`)}, `body["a\"b\\c/d"]`},
		{`body["\b\f\n\r\t"]`, InBody, []Segment{name("\b\f\n\r\t")}, `body["\u0008\u000c\n\r\t"]`},
		{`body["\ud83d\ude00"]`, InBody, []Segment{name("😀")}, "body.😀"},
		{"body.größe", InBody, []Segment{name("größe")}, ""},
		{"body.a\u200bb", 0, nil, ""},
		{`body["a\u200bb"]`, InBody, []Segment{name("a\u200bb")}, ""},
		{`body["\udb40\udc41"]`, InBody, []Segment{name("\U000E0041")}, ""},
		{"body.$ref", InBody, []Segment{name("$ref")}, ""},
		{"body.@type", InBody, []Segment{name("@type")}, ""},
		{"body.x-y_z", InBody, []Segment{name("x-y_z")}, ""},
		{"body.0", InBody, []Segment{name("0")}, ""},
		{"body.body", InBody, []Segment{name("body")}, ""},
	} {
		path, err := ParseFieldPath(c.text)
		if c.in == 0 {
			assert.Error(t, err, c.text)
			continue
		}
		if !assert.NoError(t, err, c.text) {
			continue
		}
		assert.Equal(t, FieldPath{In: c.in, Segments: c.steps}, path, c.text)
		if c.canon == "" {
			c.canon = c.text
		}
		assert.Equal(t, c.canon, path.String())
	}
}

func TestParseFieldPathSaysWhatIsWrongAndWhere(t *testing.T) {
	for _, c := range []struct {
		text      string
		character int
		message   string
		hint      string
	}{
		{"", 1, "begins with body, path, query or header", ""},
		{"amount", 1, `not with "amount"`, ""},
		{"bdy.amount", 1, `not with "bdy"`, "body.amount"},
		{"headers.X-Id", 1, `not with "headers"`, "header.X-Id"},
		{"Body.x", 1, `not with "Body"`, "body.x"},
		{"$.body.x", 1, `not with "$"`, ""},
		{"body.", 6, "must follow the dot", ""},
		{"body..x", 6, "must follow the dot", ""},
		{"body.[]", 6, "must follow the dot", ""},
		{"body.x.", 8, "must follow the dot", ""},
		{"body.lines[0]", 12, "not chosen by number", ""},
		{"body.lines[*]", 12, "every element is written []", ""},
		{"body.lines[", 11, "never closed", ""},
		{"body['x']", 6, "in double quotes", ""},
		{`body["x`, 6, "never closed", ""},
		{`body["x"`, 9, "] must follow", ""},
		{`body["x"y`, 9, "] must follow", ""},
		{`body["\q"]`, 7, "not an escape", ""},
		{`body["\u12"]`, 7, "not an escape", ""},
		{`body["\u+123"]`, 7, "not an escape", ""},
		{`body["\ud83d"]`, 7, "surrogate", ""},
		{`body["\ud83dA"]`, 7, "surrogate", ""},
		{`body["\ud83d\u0041"]`, 7, "surrogate", ""},
		{`body["\ude00\ud83d"]`, 7, "surrogate", ""},
		{"body[\"a\nb\"]", 8, `\u000a`, ""},
		{"body.odd name", 9, "in quotes", `body["odd name"]`},
		{"body.a:b.c", 7, "in quotes", `body["a:b"].c`},
		{"body. x", 6, "in quotes", `body[" x"]`},
		{"body.größe m", 11, "in quotes", `body["größe m"]`},
		{"body.lines[]x", 13, "a dot or [ must follow", ""},
		{"body.m.*x", 9, "a dot or [ must follow", ""},
		{"body.\xff", 6, "UTF-8", ""},
		{"body[\"\xff\"]", 7, "UTF-8", ""},
		{"path", 5, "path needs a name", ""},
		{"query[]", 6, "query needs a name first", ""},
		{"header.*", 7, "header needs a name first", ""},
		{"header.X.Y", 9, "a header has no members", ""},
		{`header["X Y"]`, 7, "not a header name", ""},
	} {
		_, err := ParseFieldPath(c.text)
		var fault *FieldPathError
		if !assert.ErrorAs(t, err, &fault, c.text) {
			continue
		}
		assert.Contains(t, fault.Error(), c.message, c.text)
		assert.Equal(t, c.hint, fault.Hint, c.text)
		assert.Equal(t, c.character, fault.Character(), c.text)
		if c.hint != "" {
			_, err := ParseFieldPath(c.hint)
			assert.NoError(t, err, "the hint for %s", c.text)
		}
	}
}

func TestFieldPathEqualComparesHeaderNamesWithoutCase(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		equal bool
	}{
		{"header.Stripe-Account", "header.stripe-account", true},
		{`header["Stripe-Account"]`, "header.STRIPE-ACCOUNT", true},
		{"query.Dry", "query.dry", false},
		{"path.Id", "path.id", false},
		{"body.Amount", "body.amount", false},
		{`body["amount"]`, "body.amount", true},
		{"body.lines[]", "body.lines", false},
		{`body["*"]`, "body.*", false},
		{`body["a.b"]`, "body.a.b", false},
		{"query.id", "path.id", false},
	} {
		a, err := ParseFieldPath(c.a)
		require.NoError(t, err)
		b, err := ParseFieldPath(c.b)
		require.NoError(t, err)
		assert.Equal(t, c.equal, a.Equal(b), "%s and %s", c.a, c.b)
		assert.Equal(t, c.equal, b.Equal(a), "%s and %s", c.b, c.a)
	}
}

// A path of any names is read back from its text as it was, and names are quoted only when they must be.
func TestFieldPathTextReadsBackWhatItWasMadeFrom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("aZ09_-$@ .[]*\"\\'/:#\n\t\x00\x7fé漢😀\u200b\u00a0\u2028\ufeff\ufffd\U000E0041")
	for range 20_000 {
		path := FieldPath{In: In(1 + rnd.IntN(4))}
		if path.In == InHeader {
			path.Segments = []Segment{name(strings.Repeat("X-a.", 1+rnd.IntN(3)))}
		} else {
			path.Segments = []Segment{randomName(rnd, alphabet)}
			for range rnd.IntN(4) {
				path.Segments = append(path.Segments, []Segment{element, wildcard, randomName(rnd, alphabet)}[rnd.IntN(3)])
			}
		}
		text := path.String()
		again, err := ParseFieldPath(text)
		require.NoError(t, err, text)
		require.Equal(t, path, again, text)
		require.Equal(t, text, again.String())
	}
}

func randomName(rnd *rand.Rand, alphabet []rune) Segment {
	runes := make([]rune, rnd.IntN(5))
	for i := range runes {
		runes[i] = alphabet[rnd.IntN(len(alphabet))]
	}
	return name(string(runes))
}

func FuzzParseFieldPath(f *testing.F) {
	for _, seed := range []string{
		"body", "body.lines[].sku", "body.metadata.*", "path.paymentId", "query.dry_run", "header.Stripe-Account",
		`body["odd.name"].x`, `body["\ud83d\ude00"]`, `body["\u0000"]`, "body..x", "body.[", "headers.X", "body.a b", "body.\xff", "", ".", "[",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := ParseFieldPath(text)
		if err != nil {
			var fault *FieldPathError
			require.ErrorAs(t, err, &fault)
			require.LessOrEqual(t, fault.Offset, len(text))
			require.NotEmpty(t, fault.Error())
			return
		}
		require.True(t, utf8.ValidString(path.String()))
		again, err := ParseFieldPath(path.String())
		require.NoError(t, err, path.String())
		require.True(t, path.Equal(again))
		require.Equal(t, path, again)
	})
}
