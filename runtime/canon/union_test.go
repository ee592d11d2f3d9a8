package canon_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

var (
	cardShape = canon.Shape{Unknown: canon.RejectUnknown, Members: []canon.Member{
		{Name: "number", Key: `"number":`, Required: true}, {Name: "type", Key: `"type":`, Required: true}}}
	listShape = canon.Shape{Unknown: canon.IncludeUnknown, Members: []canon.Member{
		{Name: "of", Key: `"of":`}, {Name: "type", Key: `"type":`, Required: true}}}
)

// scanSource reads a union with a discriminator; a list of sources is one of its branches.
func scanSource(s *canon.Scanner) {
	var spans [2]canon.Span
	switch string(s.Discriminator("type")) {
	case "card":
		s.Branch("card")
		o := s.Object(&cardShape, spans[:])
		for s.Next(&o) {
			switch string(s.Name()) {
			case "number":
				s.Member(&o, 0)
				s.Exact(0)
			case "type":
				s.Member(&o, 1)
				s.Exact(1)
			default:
				s.Unknown(&o)
			}
		}
		s.EndBranch()
	case `"l"`:
		s.Branch(`"l"`)
		o := s.Object(&listShape, spans[:])
		for s.Next(&o) {
			switch string(s.Name()) {
			case "of":
				s.Member(&o, 0)
				aList(scanSource)(s)
			case "type":
				s.Member(&o, 1)
				s.Exact(2)
			default:
				s.Unknown(&o)
			}
		}
		s.EndBranch()
	default:
		s.NoBranch()
	}
}

// scanKinds reads a union without one.
func scanKinds(s *canon.Scanner) {
	if s.Null(-1) {
		return
	}
	switch s.Kind() {
	case canon.KindString:
		s.Branch("string")
		s.Exact(-1)
		s.EndBranch()
	case canon.KindNumber:
		s.Branch("number")
		s.Decimal(-1)
		s.EndBranch()
	case canon.KindArray:
		s.Branch("array")
		aList(scanKinds)(s)
		s.EndBranch()
	case canon.KindObject:
		s.Branch("object")
		aMap(scanKinds)(s)
		s.EndBranch()
	default:
		s.NoBranch()
	}
}

func TestUnions(t *testing.T) {
	tests := []struct {
		name, body string
		value      func(*canon.Scanner)
		want       string
	}{
		{"first", `{"type":"card","number":"1"}`, scanSource, `{"card":{"number":"1","type":"card"}}`},
		{"last", `{"number":"1","type":"card"}`, scanSource, `{"card":{"number":"1","type":"card"}}`},
		{"escaped", `{"number":"1", "t\u0079pe" : "c\u0061rd"}`, scanSource, `{"card":{"number":"1","type":"card"}}`},
		{"a label with quotes", `{"type":"\"l\""}`, scanSource, `{"\"l\"":{"type":"\"l\""}}`},
		{"behind an object that has one", `{"x":{"type":"card"},"type":"\"l\""}`, scanSource,
			`{"\"l\"":{"type":"\"l\"","x":{"object":{"type":"card"}}}}`},
		{"unions in a union", `{"of":[{"of":[{"number":"1","type":"card"}],"type":"\"l\""},{"number":"2","type":"card"}],"type":"\"l\""}`, scanSource,
			`{"\"l\"":{"of":[{"\"l\"":{"of":[{"card":{"number":"1","type":"card"}}],"type":"\"l\""}},{"card":{"number":"2","type":"card"}}],"type":"\"l\""}}`},
		{"kinds", `{"a":"5","b":[5,null,"x",{}]}`, scanKinds,
			`{"object":{"a":{"string":"5"},"b":{"array":[{"number":"5"},null,{"string":"x"},{"object":{}}]}}}`},
		{"kinds out of order", `{"b":-1,"a":""}`, scanKinds, `{"object":{"a":{"string":""},"b":{"number":"-1"}}}`},
		{"null", `null`, scanKinds, `null`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := read(t, tt.body, tt.value)
			require.Nil(t, refusal)
			assert.Equal(t, tt.want, got)
		})
	}
	got, refusal := readForm(t, "number=1&type=card", scanSource)
	require.Nil(t, refusal)
	assert.Equal(t, tests[0].want, got)
	got, refusal = readForm(t, "a=5&b[]=true&c[d]=", scanKinds)
	require.Nil(t, refusal)
	assert.Equal(t, `{"object":{"a":{"string":"5"},"b":{"array":[{"string":"true"}]},"c":{"object":{"d":{"string":""}}}}}`, got)
}

func TestUnionsRefused(t *testing.T) {
	tests := []struct {
		name, body string
		value      func(*canon.Scanner)
		why        string
	}{
		{"no object", `"card"`, scanSource, "body (byte 0): an object is expected"},
		{"no member", `{"a":{"type":"card"},"number":"1"}`, scanSource, "body/type (byte 33): the member that names the branch is missing"},
		{"no member in a list", `{"of":[{}],"type":"\"l\""}`, scanSource, "body/of/0/type (byte 8): the member that names the branch is missing"},
		{"another case", `{"Type":"card"}`, scanSource, "body/type (byte 14): the member that names the branch is missing"},
		{"no string", `{"type":1}`, scanSource, "body/type (byte 8): a string is expected"},
		{"null", `{"type":null}`, scanSource, "body/type (byte 8): a string is expected"},
		{"an unknown branch", `{"a":[{}],"type":"cash"}`, scanSource, "body/type (byte 17): no branch has this name"},
		{"an empty branch", `{"type":""}`, scanSource, "body/type (byte 8): no branch has this name"},
		{"two names", `{"type":"card","number":"1","type":"\"l\""}`, scanSource, "body/type (byte 28): the member stands here a second time"},
		{"a broken name", `{"type":"\x"}`, scanSource, "body/type (byte 9): an unknown escape sequence"},
		{"a fault before it", `{"a":tru,"type":"card"}`, scanSource, "body/a (byte 5): a JSON value is expected"},
		{"a name twice, and none", `{"a":{"b":1,"b":2},"x":1}`, scanSource, "body/a/b (byte 12): the member stands here a second time"},
		{"a name twice before a fault", `{"a":{"b":1,"b":2},"x":tru}`, scanSource, "body/a/b (byte 12): the member stands here a second time"},
		{"too deep before it", `{"a":` + strings.Repeat("[", 128) + `,"type":"card"}`, scanSource, "body/a" + strings.Repeat("/0", 127) + " (byte 132): more than 128 levels of nesting"},
		{"an end", `{"number":"1"`, scanSource, "body/number (byte 13): the body ends too early"},
		{"a fault behind it", `{"type":"card","number":"1"`, scanSource, "body/number (byte 27): the body ends too early"},
		{"a kind that is none of them", `[true]`, scanKinds, "body/0 (byte 1): a value of another type is expected"},
		{"no value", `[x]`, scanKinds, "body/0 (byte 1): a JSON value is expected"},
		{"no word", `[nul]`, scanKinds, "body/0 (byte 1): a JSON value is expected"},
		{"no end", `[`, scanKinds, "body/0 (byte 1): the body ends too early"},
		{"no end after a comma", `["",`, scanKinds, "body/1 (byte 4): the body ends too early"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, refusal := read(t, tt.body, tt.value)
			require.NotNil(t, refusal)
			assert.EqualError(t, refusal, tt.why)
		})
	}
	_, refusal := readForm(t, "a=1&number=1", scanSource)
	assert.EqualError(t, refusal, "body/type: the member that names the branch is missing")
	_, refusal = readForm(t, "a[type]=1&type=2", aMap(scanSource))
	assert.EqualError(t, refusal, "body/a/type: no branch has this name")
}

// A union that fits no branch because of its kind is refused there, whatever was looked at before.
func TestNoBranchAfterDiscriminator(t *testing.T) {
	_, refusal := read(t, `{"a":{"type":"card"},"b":true}`, func(s *canon.Scanner) {
		o := s.Map(nil)
		for s.Next(&o) {
			s.Entry(&o)
			if s.Kind() == canon.KindObject {
				require.Equal(t, "card", string(s.Discriminator("type")))
				s.Generic(-1)
				continue
			}
			s.NoBranch()
		}
	})
	assert.EqualError(t, refusal, "body/b (byte 25): a value of another type is expected")
}

// sources is a source that holds a source, and so on, each with its discriminator behind what it holds.
func sources(depth, filler int) string {
	fill := strings.Repeat("x", filler)
	return strings.Repeat(`{"of":[`, depth) + `{"number":"` + fill + `","type":"card"}` + strings.Repeat(`],"type":"\"l\""}`, depth)
}

// Looking ahead is not done once for each level: what was passed on the way is remembered.
func TestLookingAheadIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	flat := `{"of":[` + strings.Repeat(`{"number":"x","type":"card"},`, 40_000) + `{"number":"x","type":"card"}],"type":"\"l\""}`
	deep := `{"of":[` + strings.Repeat(sources(60, 1)+`,`, 1000) + sources(60, 1<<10) + `],"type":"\"l\""}`
	long := sources(60, 1<<20)
	for name, body := range map[string]string{"flat": flat, "deep": deep, "long": long} {
		cost := func(value func(*canon.Scanner)) time.Duration {
			return spent(func() {
				_, refusal := read(t, body, value)
				require.Nil(t, refusal)
			})
		}
		generic, union := time.Hour, time.Hour
		for round := 0; round < 5 || round < 40 && union >= 4*generic; round++ { // in turn: what disturbs one disturbs the other
			generic, union = min(generic, cost(leaf(canon.Generic))), min(union, cost(scanSource))
		}
		assert.Less(t, union, 4*generic, "%s: once for each of 60 levels costs thirty times as much", name)
	}
}
