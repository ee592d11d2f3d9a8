package canon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

const smallest = `"amount":{"value":1,"currency":"EUR"}`

// payment reads a payment body; sent stands beside the members that are required.
func payment(t testing.TB, sent string) (string, *canon.Refusal) {
	t.Helper()
	return read(t, `{`+smallest+sent+`}`, scanPayment)
}

// without is the canonical payment with members before and after what is always there.
func without(after string) string {
	return `{"amount":{"currency":"EUR","value":"1"},` + after
}

func TestObjects(t *testing.T) {
	tests := []struct{ name, sent, want string }{
		{"defaults only", ``, without(`"flag":false}`)},
		{"default sent", `,"flag":false`, without(`"flag":false}`)},
		{"default overruled", `,"flag":true`, without(`"flag":true}`)},
		{"null that is absent", `,"note":null`, without(`"flag":false}`)},
		{"empty is not absent", `,"note":""`, without(`"flag":false,"note":""}`)},
		{"null that is distinct", `,"rate":null`, without(`"flag":false,"rate":null}`)},
		{"null taken back out of order", `,"rate":1,"note":null`, without(`"flag":false,"rate":"1"}`)},
		{"ignored", `,"sentAt":{"a":[1,{"b":2}],"c":1e999}`, without(`"flag":false}`)},
		{"ignored null", `,"sentAt":null`, without(`"flag":false}`)},
		{"name with escapes", `,"no\u0074e":"x"`, without(`"flag":false,"note":"x"}`)},
		{"white space", "\r\n\t , \"note\" : \"x\" \n", without(`"flag":false,"note":"x"}`)},
		{"all out of order", `,"rate":2,"note":"n","items":[],"flag":true,"at":"2024-01-01T00:00:00Z","blob":"QQ=="`,
			without(`"at":"2024-01-01T00:00:00Z","blob":"QQ==","flag":true,"items":[],"note":"n","rate":"2"}`)},
		{"list", `,"items":[{"sku":"b"},{"sku":"a"},{"sku":"b"}]`,
			without(`"flag":false,"items":[{"sku":"b"},{"sku":"a"},{"sku":"b"}]}`)},
		{"set", `,"items":[{"sku":"s","tags":["b","a","b","aa",""]}]`,
			without(`"flag":false,"items":[{"sku":"s","tags":["","a","aa","b"]}]}`)},
		{"included members among declared ones", `,"items":[{"z":1,"sku":"s","r":{"y":null,"x":[]},"quantity":2,"\u0061":"v"}]`,
			without(`"flag":false,"items":[{"a":"v","quantity":"2","r":{"object":{"x":[],"y":null}},"sku":"s","z":{"number":"1"}}]}`)},
		{"map", `,"labels":{"b":"2","a":"1","c":null}`, without(`"flag":false,"labels":{"a":"1","b":"2"}}`)},
		{"map of nulls", `,"labels":{"c":null}`, without(`"flag":false,"labels":{}}`)},
		{"empty map", `,"labels":{ }`, without(`"flag":false,"labels":{}}`)},
		{"map with odd names", `,"labels":{"\"":"1","":"2","a\\b":"3","\u0001":"4","é":"5","😂":"6","` + "\ue000" + `":"7"}`,
			without(`"flag":false,"labels":{"":"2","\u0001":"4","\"":"1","a\\b":"3","é":"5","😂":"6","` + "\ue000" + `":"7"}}`)},
		{"generic", `,"meta":{"object":{"number":"5"},"b":[5,"5",null,true,{}],"a":-0.10}`,
			without(`"flag":false,"meta":{"object":{"a":{"number":"-0.1"},"b":[{"number":"5"},"5",null,true,{"object":{}}],"object":{"object":{"number":"5"}}}}}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := payment(t, tt.sent)
			require.Nil(t, refusal)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestObjectsRefused(t *testing.T) {
	tests := []struct{ name, sent, at, place, reason string }{
		{"duplicate", `,"note":"a","note":"b"`, `"note":"b"`, "body/note", "the member stands here a second time"},
		{"duplicate through escapes", `,"note":"a","n\u006fte":"b"`, `"n\u006f`, "body/note", "the member stands here a second time"},
		{"duplicate after a null", `,"note":null,"note":"b"`, `"note":"b"`, "body/note", "the member stands here a second time"},
		{"duplicate ignored", `,"sentAt":1,"sentAt":2`, `"sentAt":2`, "body/sentAt", "the member stands here a second time"},
		{"duplicate in an ignored part", `,"sentAt":[{"a":1,"b":2,"\u0061":3}]`, `"\u0061"`, "body/sentAt/0/a", "the member stands here a second time"},
		{"duplicate in a map", `,"labels":{"a":"1","b":"2","a":"3"}`, `"a":"3"`, "body/labels/a", "the member stands here a second time"},
		{"duplicate in a map after a null", `,"labels":{"a":null,"b":"2","a":"3"}`, `"a":"3"`, "body/labels/a", "the member stands here a second time"},
		{"duplicate in order in a map", `,"labels":{"a":"1","a":"3","b":"2"}`, `"a":"3"`, "body/labels/a", "the member stands here a second time"},
		{"duplicate in generic", `,"meta":{"x":{"b":1,"\u0061":2,"a":3}}`, `"a":3`, "body/meta/x/a", "the member stands here a second time"},
		{"duplicate among included ones", `,"items":[{"sku":"s","x":1,"x":1}]`, `"x":1}`, "body/items/0/x", "the member stands here a second time"},
		{"duplicate among ignored unknown ones", `,"order":"","x":1`, `"","x"`, "body/order", "a UUID is expected"},

		{"unknown", `,"tip":1`, `"tip"`, "body/tip", "the member is not declared"},
		{"other case", `,"Note":"x"`, `"Note"`, "body/Note", "the name differs from a declared one only in case"},
		{"other case of an ignored one", `,"sentat":1`, `"sentat"`, "body/sentat", "the name differs from a declared one only in case"},
		{"other case where unknown ones count", `,"items":[{"sku":"s","sKu":"t"}]`, `"sKu"`, "body/items/0/sKu", "the name differs from a declared one only in case"},
		{"Kelvin sign", `,"items":[{"sku":"s","s` + "\u212a" + `u":"t"}]`, `"s` + "\u212a", "body/items/0/s\u212au", "the name differs from a declared one only in case"},
		{"long s", `,"items":[{"sku":"s","\u017fku":"t"}]`, `"\u017f`, "body/items/0/\u017fku", "the name differs from a declared one only in case"},

		{"required is missing", `,"items":[{"sku":"s"},{"quantity":1 }]`, `}]`, "body/items/1/sku", "a required member is missing"},
		{"wrong type", `,"items":{"sku":"s"}`, `{"sku"`, "body/items", "an array is expected"},
		{"wrong type of an element", `,"items":[1]`, `1]`, "body/items/0", "an object is expected"},
		{"null where it is not allowed", `,"items":null`, `null`, "body/items", "an array is expected"},
		{"null in a set", `,"items":[{"sku":"s","tags":["a",null]}]`, `null`, "body/items/0/tags/1", "a string is expected"},
		{"pointer escapes", `,"labels":{"a/b~c":1}`, `1}`, "body/labels/a~1b~0c", "a string is expected"},
		{"pointer with a hostile name", `,"labels":{"a\n` + strings.Repeat("x", 70) + `":1}`, `1}`,
			"body/labels/a\ufffd" + strings.Repeat("x", 62) + "…", "a string is expected"},

		{"no comma", `,"note":"a" "order":"b"`, `"order"`, "body/note", "a comma or the closing bracket is expected"},
		{"two commas", `,"note":"a",,`, `,}`, "body", "a member name in quotes is expected"},
		{"trailing comma", `,"note":"a",`, `}`, "body", "a member name in quotes is expected"},
		{"trailing comma in an array", `,"items":[{"sku":"s"},]`, `]}`, "body/items/1", "an object is expected"},
		{"trailing comma in an ignored array", `,"sentAt":[1,]`, `]}`, "body/sentAt/1", "a JSON value is expected"},
		{"trailing comma in an ignored object", `,"sentAt":{"a":1,}`, `}}`, "body/sentAt", "a member name in quotes is expected"},
		{"no colon", `,"note""a"`, `"a"`, "body/note", "a colon is expected"},
		{"no value", `,"note":`, `}`, "body/note", "a string is expected"},
		{"no value, ignored", `,"sentAt":`, `}`, "body/sentAt", "a JSON value is expected"},
		{"name without quotes", `,note:"a"`, `note`, "body", "a member name in quotes is expected"},
		{"wrong bracket", `,"items":[}`, `}}`, "body/items/0", "an object is expected"},
		{"word", `,"sentAt":nul`, `nul`, "body/sentAt", "a JSON value is expected"},
		{"comment", `,/**/"note":"a"`, `/**/`, "body", "a member name in quotes is expected"},
		{"trailing data", `} {`, `{}`, "body", "data after the end of the JSON value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := `{` + smallest + tt.sent + `}`
			offset := len(smallest) + 1 + strings.Index(body[len(smallest)+1:], tt.at)
			require.Greater(t, offset, len(smallest))
			_, refusal := payment(t, tt.sent)
			assert.Equal(t, &canon.Refusal{Place: tt.place, Offset: offset, Reason: tt.reason}, refusal)
		})
	}
}

func TestDuplicateAmongIgnoredUnknown(t *testing.T) {
	_, refusal := read(t, `{"b":1,"a":2,"b":3}`, ignoreAll)
	assert.Equal(t, &canon.Refusal{Place: "body/b", Offset: 13, Reason: "the member stands here a second time"}, refusal)
	got, refusal := read(t, `{"b":1,"a":2,"B":3}`, ignoreAll)
	require.Nil(t, refusal)
	assert.Equal(t, "{}", got)
}

func TestDuplicateAmongManyIgnored(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, `"m%02d":"v",`, (i*7)%40)
	}
	body := `{"x":[{` + b.String() + `"m03":"v","m01":"v"}]}`
	_, refusal := read(t, body, ignoreAll)
	assert.Equal(t, &canon.Refusal{Place: "body/x/0/m03", Offset: strings.LastIndex(body, `"m03"`), Reason: "the member stands here a second time"}, refusal)
}

// Many names take another way to the same answer; the first second occurrence is named.
func TestDuplicateAmongMany(t *testing.T) {
	var members []string
	for i := range 40 {
		members = append(members, fmt.Sprintf(`"m%02d":"v"`, (i*7)%40))
	}
	body := `{` + strings.Join(members, ",") + `,"m03":"v","m01":"v"}`
	for name, value := range map[string]func(*canon.Scanner){"map": scanLabels, "generic": leaf(canon.Generic), "ignored": ignoreAll} {
		t.Run(name, func(t *testing.T) {
			_, refusal := read(t, body, value)
			assert.Equal(t, &canon.Refusal{Place: "body/m03", Offset: strings.LastIndex(body, `"m03"`), Reason: "the member stands here a second time"}, refusal)
		})
	}
}

func TestTruncatedBody(t *testing.T) {
	body := `{"amount":{"value":1.5,"currency":"EUR"},"items":[{"sku":"a\u0041","tags":["x"]}],"labels":{"k":"v"},"sentAt":{"a":[true,null]},"meta":[1.5e1,{}],"flag":true}`
	_, refusal := read(t, body, scanPayment)
	require.Nil(t, refusal)
	for n := 1; n < len(body); n++ {
		_, refusal := read(t, body[:n], scanPayment)
		if assert.NotNil(t, refusal, body[:n]) && refusal.Reason == "the body ends too early" {
			assert.Equal(t, n, refusal.Offset, body[:n])
		}
		assert.False(t, canon.Valid([]byte(body[:n])), body[:n])
	}
	assert.True(t, canon.Valid([]byte(body)))
}

func TestDepth(t *testing.T) {
	readers := map[string]func(*canon.Scanner){
		"generic": leaf(canon.Generic),
		"ignored": func(s *canon.Scanner) {
			o := s.Object(&ignoring, nil)
			for s.Next(&o) {
				s.Unknown(&o)
			}
		},
	}
	for name, value := range readers {
		t.Run(name, func(t *testing.T) {
			for _, open := range []string{`{"a":`, `[`} {
				closing := map[string]string{`{"a":`: "}", `[`: "]"}[open]
				deep := `{"a":` + strings.Repeat(open, 127) + "1" + strings.Repeat(closing, 127) + `}`
				_, refusal := read(t, deep, value)
				require.Nil(t, refusal)
				assert.True(t, canon.Valid([]byte(deep)))

				deeper := `{"a":` + strings.Repeat(open, 128) + "1" + strings.Repeat(closing, 128) + `}`
				_, refusal = read(t, deeper, value)
				require.NotNil(t, refusal)
				assert.Equal(t, "more than 128 levels of nesting", refusal.Reason)
				assert.Equal(t, 5+127*len(open), refusal.Offset)
				assert.Equal(t, 128, strings.Count(refusal.Place, "/"))
				assert.False(t, canon.Valid([]byte(deeper)))
			}
		})
	}
}

// Refusing must not cost more for a hostile body: the place of the deepest and longest one is short.
func TestPlaceIsBounded(t *testing.T) {
	body := strings.Repeat(`{"`+strings.Repeat("n", 5000)+`":`, 200)
	_, refusal := read(t, body, leaf(canon.Generic))
	require.NotNil(t, refusal)
	assert.Less(t, len(refusal.Place), 128*80)
}

// A null that is absent counts as sent where the member is required; a default stands for it.
func TestNullAbsent(t *testing.T) {
	shape := canon.Shape{Members: []canon.Member{
		{Name: "a", Key: `"a":`, Required: true},
		{Name: "b", Key: `"b":`, Default: `"d"`},
	}}
	value := func(s *canon.Scanner) {
		list := s.Array(canon.List, -1)
		for s.Element(&list) {
			var spans [2]canon.Span
			o := s.Object(&shape, spans[:])
			for s.Next(&o) {
				i := int(s.Name()[0] - 'a')
				s.Member(&o, i)
				if !s.NullAbsent(&o) {
					s.Exact(-1)
				}
			}
		}
	}
	tests := map[string]string{
		`{"a":null,"b":null}`: `{"b":"d"}`,
		`{"a":"x","b":null}`:  `{"a":"x","b":"d"}`,
		`{"b":null,"a":"x"}`:  `{"a":"x","b":"d"}`,
		`{"b":"y","a":null}`:  `{"b":"y"}`,
		`{"b":"y","a":"x"}`:   `{"a":"x","b":"y"}`,
		`{"a":null}`:          `{"b":"d"}`,
	}
	for sent, want := range tests {
		got, refusal := read(t, "["+sent+"]", value)
		require.Nil(t, refusal, sent)
		assert.Equal(t, "["+want+"]", got, sent)
	}
	_, refusal := read(t, `[{"b":null}]`, value)
	assert.Equal(t, &canon.Refusal{Place: "body/0/a", Offset: 10, Reason: "a required member is missing"}, refusal)
}

func TestMapWithDeclaredMembers(t *testing.T) {
	shape := canon.Shape{Members: []canon.Member{
		{Name: "id", Key: `"id":`, Required: true},
		{Name: "trace", Key: `"trace":`, Ignored: true},
	}}
	value := func(s *canon.Scanner) {
		o := s.Map(&shape)
		for s.Next(&o) {
			switch string(s.Name()) {
			case "id":
				s.Member(&o, 0)
				s.Int(-1)
			case "trace":
				s.Ignore(&o, 1)
			default:
				s.Entry(&o)
				s.Exact(-1)
			}
		}
	}
	got, refusal := read(t, `{"z":"1","id":7,"trace":{},"a":"2"}`, value)
	require.Nil(t, refusal)
	assert.Equal(t, `{"a":"2","id":"7","z":"1"}`, got)
	_, refusal = read(t, `{"z":"1"}`, value)
	assert.Equal(t, &canon.Refusal{Place: "body/id", Offset: 8, Reason: "a required member is missing"}, refusal)
	_, refusal = read(t, `{"Id":"1"}`, value)
	assert.Equal(t, &canon.Refusal{Place: "body/Id", Offset: 1, Reason: "the name differs from a declared one only in case"}, refusal)
}

func TestArrays(t *testing.T) {
	array := func(kind canon.ArrayKind, as canon.Normaliser) func(*canon.Scanner) {
		return func(s *canon.Scanner) {
			a := s.Array(kind, -1)
			for s.Element(&a) {
				if !s.Null(-1) {
					leaf(as)(s)
				}
			}
		}
	}
	const sent = ` [ "b" , "a","b","ab", "a\u0000", "a", null, "abcdefghi", "abcdefgh", "abcdefghi" ] `
	tests := map[canon.ArrayKind]string{
		canon.List:     `["b","a","b","ab","a\u0000","a",null,"abcdefghi","abcdefgh","abcdefghi"]`,
		canon.Set:      `["a","a\u0000","ab","abcdefgh","abcdefghi","b",null]`,
		canon.Multiset: `["a","a","a\u0000","ab","abcdefgh","abcdefghi","abcdefghi","b","b",null]`,
	}
	for kind, want := range tests {
		got, refusal := read(t, sent, array(kind, canon.Exact))
		require.Nil(t, refusal)
		assert.Equal(t, want, got)
		got, refusal = read(t, "[ ]", array(kind, canon.Exact))
		require.Nil(t, refusal)
		assert.Equal(t, "[]", got)
	}
	got, refusal := read(t, `[10,1e1,"10.0",2]`, array(canon.Set, canon.Decimal))
	require.Nil(t, refusal)
	assert.Equal(t, `["10","2"]`, got, "elements are compared after they were normalised")

	var many, want []string
	for i := range 60 {
		many = append(many, fmt.Sprintf("%d", (i*37)%60+100))
		want = append(want, fmt.Sprintf(`"%d"`, i+100))
	}
	got, refusal = read(t, "["+strings.Join(append(many, many...), ",")+"]", array(canon.Set, canon.Int))
	require.Nil(t, refusal)
	assert.Equal(t, "["+strings.Join(want, ",")+"]", got)
}

// The members of a large body are hashed where they stand; the text and the digest must not show it.
func TestLargeBody(t *testing.T) {
	note := strings.Repeat("x", 5000)
	got, refusal := payment(t, `,"note":"`+note+`","items":[{"sku":"s"}],"labels":{"a":"b"}`)
	require.Nil(t, refusal)
	assert.Equal(t, without(`"flag":false,"items":[{"sku":"s"}],"labels":{"a":"b"},"note":"`+note+`"}`), got)

	got, refusal = read(t, `{"b":"`+note+`","a":"1"}`, scanLabels)
	require.Nil(t, refusal)
	assert.Equal(t, `{"a":"1","b":"`+note+`"}`, got)

	got, refusal = read(t, `{"b":"`+note+`","a":1}`, leaf(canon.Generic))
	require.Nil(t, refusal)
	assert.Equal(t, `{"object":{"a":{"number":"1"},"b":"`+note+`"}}`, got)
}

func TestFirstRefusalSticks(t *testing.T) {
	s := canon.Acquire()
	defer s.Release()
	s.Start(&canon.Request{Body: []byte(`{"a":1}`)})
	require.Equal(t, canon.JSON, s.Body(true, canon.JSON))
	o := s.Object(&canon.Shape{Members: []canon.Member{{Name: "a", Key: `"a":`}}}, make([]canon.Span, 1))
	require.True(t, s.Next(&o))
	s.Member(&o, 0)
	s.Exact(0) // refused
	for range 3 {
		s.Int(0)
		s.Generic(0)
		s.Instant(0)
		assert.False(t, s.Null(0))
		assert.False(t, s.NullAbsent(&o))
		assert.Empty(t, s.Name())
		a := s.Array(canon.Set, 0)
		assert.False(t, s.Element(&a))
		inner := s.Map(nil)
		assert.False(t, s.Next(&inner))
		assert.False(t, s.Next(&o))
	}
	s.Params([]canon.Param{{In: canon.InPath, Name: "p", Required: true}})
	for range 2 {
		_, err := s.Finish("n", "i")
		assert.EqualError(t, err, "body/a (byte 5): a string is expected")
	}

	s.Start(&canon.Request{})
	_, err := s.Finish("n", "i")
	assert.NoError(t, err, "the next request starts anew")
	assert.Equal(t, "{}", string(s.AppendCanonical(nil)))
}
