package canon_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

func TestMedia(t *testing.T) {
	const notAccepted, charset = "the media type is not accepted", "the charset is not UTF-8"
	tests := []struct{ contentType, reason string }{
		{"application/json", ""},
		{"Application/JSON", ""},
		{"application/json; charset=utf-8", ""},
		{`application/json;profile="a;charset=latin1";CharSet="UTF-8"`, ""},
		{`application/json; q="\";charset=latin1"`, ""},
		{" application/json ; version=1", ""},
		{"application/problem+json", ""},
		{"application/vnd.api+JSON; x=y", ""},
		{"", ""},
		{"application/json; charset=iso-8859-1", charset},
		{"application/json; charset=utf-8; charset=latin1", charset},
		{"application/json;charset=", charset},
		{"; charset=latin1", charset},
		{"text/json", notAccepted},
		{"application/jsonp", notAccepted},
		{"application/json, text/plain", notAccepted},
		{"application/+json", notAccepted},
		{"/a+json", notAccepted},
		{"a b/c+json", notAccepted},
		{"application/x-www-form-urlencoded", notAccepted},
		{"json", notAccepted},
	}
	for _, tt := range tests {
		t.Run(tt.contentType, func(t *testing.T) {
			s := canon.Acquire()
			defer s.Release()
			s.Start(&canon.Request{Body: []byte("true"), ContentType: tt.contentType})
			media := s.Body(true, canon.JSON)
			if tt.reason != "" {
				assert.Equal(t, canon.NoBody, media)
				_, refusal := finish(t, s)
				assert.Equal(t, &canon.Refusal{Place: "header.content-type", Offset: -1, Reason: tt.reason}, refusal)
				return
			}
			require.Equal(t, canon.JSON, media)
			s.Boolean(-1)
			got, refusal := finish(t, s)
			require.Nil(t, refusal)
			assert.Equal(t, "true", got)
		})
	}
}

// An absent body, null and {} are three things; so is what is no JSON at all.
func TestBodyPresence(t *testing.T) {
	optional := func(s *canon.Scanner, body string) (string, *canon.Refusal) {
		s.Start(&canon.Request{Body: []byte(body)})
		if s.Body(false, canon.JSON) == canon.JSON && !s.Null(-1) {
			ignoreAll(s)
		}
		_, refusal := finish(t, s)
		return string(s.AppendCanonical(nil)), refusal
	}
	tests := []struct {
		body, want string
		refusal    *canon.Refusal
	}{
		{"", `{}`, nil},
		{"null", `{"body":null}`, nil},
		{" {} ", `{"body":{}}`, nil},
		{`{"ignored":1}`, `{"body":{}}`, nil},
		{"  ", "", &canon.Refusal{Place: "body", Offset: 2, Reason: "the body ends too early"}},
		{"\ufeff{}", "", &canon.Refusal{Place: "body", Offset: 0, Reason: "a byte order mark"}},
		{"{}{}", "", &canon.Refusal{Place: "body", Offset: 2, Reason: "data after the end of the JSON value"}},
		{"{}\x00", "", &canon.Refusal{Place: "body", Offset: 2, Reason: "data after the end of the JSON value"}},
		{"null null", "", &canon.Refusal{Place: "body", Offset: 5, Reason: "data after the end of the JSON value"}},
		{"\f{}", "", &canon.Refusal{Place: "body", Offset: 0, Reason: "an object is expected"}},
		{"[]", "", &canon.Refusal{Place: "body", Offset: 0, Reason: "an object is expected"}},
		{"a=1", "", &canon.Refusal{Place: "body", Offset: 0, Reason: "an object is expected"}},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			s := canon.Acquire()
			defer s.Release()
			got, refusal := optional(s, tt.body)
			assert.Equal(t, tt.refusal, refusal)
			assert.Equal(t, tt.want, got)
		})
	}

	_, refusal := read(t, "", ignoreAll)
	assert.Equal(t, &canon.Refusal{Place: "body", Offset: -1, Reason: "a body is required"}, refusal)

	s := canon.Acquire()
	defer s.Release()
	s.Start(&canon.Request{Body: []byte("{}"), ContentType: "application/json"})
	assert.Equal(t, canon.NoBody, s.Body(false))
	_, refusal = finish(t, s)
	assert.Equal(t, &canon.Refusal{Place: "header.content-type", Offset: -1, Reason: "the operation takes no body"}, refusal)
}

func TestRefusalError(t *testing.T) {
	assert.Equal(t, "body/a (byte 3): no", (&canon.Refusal{Place: "body/a", Offset: 3, Reason: "no"}).Error())
	assert.Equal(t, "query.a: no", (&canon.Refusal{Place: "query.a", Offset: -1, Reason: "no"}).Error())
}

func query(name string) canon.Param {
	return canon.Param{In: canon.InQuery, Name: name, As: canon.Exact}
}

func with(p canon.Param, change func(*canon.Param)) canon.Param {
	change(&p)
	return p
}

var (
	list     = func(p *canon.Param) { p.Array = canon.List }
	set      = func(p *canon.Param) { p.Array = canon.Set }
	commas   = func(p *canon.Param) { p.Array, p.Split = canon.List, ',' }
	required = func(p *canon.Param) { p.Required = true }
	defaults = func(p *canon.Param) { p.Default = `"d"` }
)

func as(n canon.Normaliser) func(*canon.Param) { return func(p *canon.Param) { p.As = n } }

func TestQuery(t *testing.T) {
	a := query("a")
	tests := []struct {
		name, query string
		param       canon.Param
		want        string // "" when absent; "!" and place and reason when refused
	}{
		{"absent", "b=1", a, ""},
		{"no query", "", a, ""},
		{"empty", "a=", a, `""`},
		{"bare", "a", a, `null`},
		{"bare between", "b&a&c", a, `null`},
		{"value", "a=1", a, `"1"`},
		{"plus and escape are space", "a=x+y%20z", a, `"x y z"`},
		{"escaped plus", "a=%2B", a, `"+"`},
		{"equals signs in a value", "a==b=", a, `"=b="`},
		{"escaped name", "%61=1", a, `"1"`},
		{"name with space", "x+y=1", query("x y"), `"1"`},
		{"name beyond ASCII", "%C3%B6=1", query("ö"), `"1"`},
		{"other case is another name", "A=1", a, ""},
		{"semicolon is no separator", "a=1;b=2", a, `"1;b=2"`},
		{"empty pieces", "&&a=1&&", a, `"1"`},
		{"escaped separators", "a=%26b%3D1", a, `"&b=1"`},
		{"quotes are escaped", `a=%22%0A`, a, `"\"\n"`},
		{"bad escape", "a=%2", a, "!query: a percent sign without two hexadecimal digits"},
		{"bad escape at the end", "a=%", a, "!query: a percent sign without two hexadecimal digits"},
		{"bad escape elsewhere", "b=%zz&a=1", a, "!query: a percent sign without two hexadecimal digits"},
		{"bad escape in a name", "%4=1&a=1", a, "!query: a percent sign without two hexadecimal digits"},
		{"invalid UTF-8", "a=%ff", a, "!query.a: invalid UTF-8"},
		{"invalid UTF-8 elsewhere", "b=%ff&a=1", a, `"1"`},
		{"repeated", "a=1&a=1", a, "!query.a: the parameter stands more than once"},
		{"repeated, bare", "a&%61", a, "!query.a: the parameter stands more than once"},
		{"required", "b=1", with(a, required), "!query.a: a required parameter is missing"},
		{"default", "b=1", with(a, defaults), `"d"`},
		{"default overruled", "a=", with(a, defaults), `""`},

		{"list", "a=2&b=0&a=1&a=2", with(a, list), `["2","1","2"]`},
		{"list of one", "a=1", with(a, list), `["1"]`},
		{"list with bare and empty", "a&a=", with(a, list), `[null,""]`},
		{"absent list", "b=1", with(a, list), ""},
		{"set", "a=2&a=1&a=2", with(a, set), `["1","2"]`},
		{"split", "a=2,1,,2", with(a, commas), `["2","1","","2"]`},
		{"split after decoding", "a=2%2C1", with(a, commas), `["2","1"]`},
		{"split of nothing", "a=", with(a, commas), `[""]`},
		{"split repeated", "a=1&a=2", with(a, commas), "!query.a: the parameter stands more than once"},
		{"bad element", "a=1&a=x", with(with(a, list), as(canon.Int)), "!query.a: an integer is expected"},

		{"boolean", "a=true", with(a, as(canon.Boolean)), `true`},
		{"no boolean", "a=1", with(a, as(canon.Boolean)), "!query.a: true or false is expected"},
		{"booleans", "a=true&a=false", with(with(a, list), as(canon.Boolean)), `[true,false]`},
		{"integer", "a=-0", with(a, as(canon.Int)), `"0"`},
		{"empty integer", "a=", with(a, as(canon.Int)), "!query.a: an integer is expected"},
		{"decimal", "a=1.50", with(a, as(canon.Decimal)), `"1.5"`},
		{"instant with a plus that is a space", "a=2024-01-01T00:00:00+01:00", with(a, as(canon.Instant)), "!query.a: an RFC 3339 date-time is expected"},
		{"instant", "a=2024-01-01T00:00:00%2B01:00", with(a, as(canon.Instant)), `"2023-12-31T23:00:00Z"`},
		{"generic", "a=5", with(a, as(canon.Generic)), `"5"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := readParams(t, canon.Request{Query: tt.query}, tt.param)
			if why, refused := strings.CutPrefix(tt.want, "!"); refused {
				require.NotNil(t, refusal)
				assert.Equal(t, why, refusal.Error())
				return
			}
			require.Nil(t, refusal)
			if tt.want == "" {
				assert.Equal(t, "{}", got)
				return
			}
			assert.Equal(t, `{"query":{`+quoted(tt.param.Name)+`:`+tt.want+`}}`, got)
		})
	}
}

// Names are looked up by halving, in UTF-16 order.
func TestQueryNames(t *testing.T) {
	names := []string{"", "A", "a", "ab", "b", "é", "😂", "\ufb33"}
	var params []canon.Param
	for _, name := range names {
		params = append(params, query(name))
	}
	got, refusal := readParams(t, canon.Request{Query: "b=5&\ufb33=8&😂=7&é=6&ab=4&A=2&a=3&=1"}, params...)
	require.Nil(t, refusal)
	assert.Equal(t, `{"query":{"":"1","A":"2","a":"3","ab":"4","b":"5","é":"6","😂":"7","`+"\ufb33"+`":"8"}}`, got)
}

func TestHeader(t *testing.T) {
	h := canon.Param{In: canon.InHeader, Name: "x-account-id", As: canon.Exact}
	tests := []struct {
		name  string
		lines []string
		param canon.Param
		want  string
	}{
		{"absent", nil, h, ""},
		{"value", []string{" a b\t"}, h, `"a b"`},
		{"empty", []string{""}, h, `""`},
		{"commas are no separators of one value", []string{"a,b"}, h, `"a,b"`},
		{"two lines", []string{"a", "a"}, h, "!header.x-account-id: the parameter stands more than once"},
		{"invalid UTF-8", []string{"\xe9"}, h, "!header.x-account-id: invalid UTF-8"},
		{"required", nil, with(h, required), "!header.x-account-id: a required parameter is missing"},
		{"list", []string{"a , b", "c,"}, with(h, commas), `["a","b","c",""]`},
		{"list of lines", []string{"a,b", "c"}, with(h, list), `["a,b","c"]`},
		{"set", []string{"b", "a", "b"}, with(h, set), `["a","b"]`},
		{"integer", []string{"12"}, with(h, as(canon.Int)), `"12"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := readParams(t, canon.Request{Header: map[string][]string{"X-Account-Id": tt.lines, "Other": {"x"}}}, tt.param)
			if why, refused := strings.CutPrefix(tt.want, "!"); refused {
				require.NotNil(t, refusal)
				assert.Equal(t, why, refusal.Error())
				return
			}
			require.Nil(t, refusal)
			if tt.want == "" {
				assert.Equal(t, "{}", got)
				return
			}
			assert.Equal(t, `{"header":{"x-account-id":`+tt.want+`}}`, got)
		})
	}
}

func TestPath(t *testing.T) {
	first := canon.Param{In: canon.InPath, Name: "a", As: canon.Exact, Required: true}
	second := canon.Param{In: canon.InPath, Name: "b", As: canon.Int, Index: 1, Required: true}
	got, refusal := readParams(t, canon.Request{Path: []string{"x/y z", "07"[1:]}}, first, second)
	require.Nil(t, refusal)
	assert.Equal(t, `{"path":{"a":"x/y z","b":"7"}}`, got)
	_, refusal = readParams(t, canon.Request{Path: []string{"x"}}, first, second)
	assert.Equal(t, &canon.Refusal{Place: "path.b", Offset: -1, Reason: "a required parameter is missing"}, refusal)
	_, refusal = readParams(t, canon.Request{Path: []string{"x\xff", "1"}}, first, second)
	assert.Equal(t, &canon.Refusal{Place: "path.a", Offset: -1, Reason: "invalid UTF-8"}, refusal)
	got, refusal = readParams(t, canon.Request{Path: []string{"c,a,b"}}, with(with(first, commas), set))
	require.Nil(t, refusal)
	assert.Equal(t, `{"path":{"a":["a","b","c"]}}`, got)
}

// Groups stand in their order, and only those that have a member.
func TestGroups(t *testing.T) {
	params := []canon.Param{
		{In: canon.InHeader, Name: "h", As: canon.Exact},
		{In: canon.InHeader, Name: "i", As: canon.Exact},
		{In: canon.InPath, Name: "p", As: canon.Exact},
		{In: canon.InQuery, Name: "q", As: canon.Exact},
		{In: canon.InQuery, Name: "r", As: canon.Exact},
	}
	tests := map[string]canon.Request{
		`{"header":{"h":"1","i":"2"},"path":{"p":"3"},"query":{"q":"4","r":"5"}}`: {
			Header: map[string][]string{"H": {"1"}, "I": {"2"}}, Path: []string{"3"}, Query: "r=5&q=4"},
		`{"header":{"i":"2"},"query":{"r":"5"}}`: {Header: map[string][]string{"I": {"2"}}, Query: "r=5"},
		`{"query":{"q":"4"}}`:                    {Query: "q=4"},
		`{}`:                                     {},
	}
	for want, request := range tests {
		got, refusal := readParams(t, request, params...)
		require.Nil(t, refusal)
		assert.Equal(t, want, got)
	}
}

func TestLookup(t *testing.T) {
	tests := []struct {
		body  string
		path  string
		want  string
		found canon.Found
	}{
		{`{"a":{"b":"k\u0065y"}}`, "a.b", "key", canon.FoundText},
		{`{"x":[{"a":1}],"\u0061":{"y":1,"b":12.50}}`, "a.b", "12.50", canon.FoundToken},
		{`{"a":{"b":true}}`, "a.b", "true", canon.FoundToken},
		{`{"a":{"b":null}}`, "a.b", "", canon.FoundNull},
		{`{"a":{"b":[1]}}`, "a.b", "", canon.FoundOther},
		{`{"a":{"b":{}}}`, "a.b", "", canon.FoundOther},
		{`{"a":{"b":""}}`, "a.b", "", canon.FoundText},
		{`{"a":{"c":1}}`, "a.b", "", canon.NotFound},
		{`{"a":null}`, "a.b", "", canon.NotFound},
		{`{"a":[{"b":1}]}`, "a.b", "", canon.NotFound},
		{`"text"`, "a.b", "", canon.NotFound},
		{``, "a.b", "", canon.NotFound},
		{`{"A":{"b":1}}`, "a.b", "", canon.NotFound},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			got, found, err := canon.Lookup([]byte(tt.body), strings.Split(tt.path, "."))
			require.NoError(t, err)
			assert.Equal(t, tt.found, found)
			assert.Equal(t, tt.want, got)
		})
	}
	got, found, err := canon.Lookup([]byte(`"k"`), nil)
	require.NoError(t, err)
	assert.Equal(t, canon.FoundText, found)
	assert.Equal(t, "k", got)
}

func TestLookupRefused(t *testing.T) {
	tests := []struct{ body, why string }{
		{`{"a":{"b":"1"},"a":{"b":"2"}}`, "body/a (byte 15): the member stands here a second time"},
		{`{"a":{"b":"1","b":"2"}}`, "body/a/b (byte 14): the member stands here a second time"},
		{`{"a":{"b":"1"},"z":1,"\u007a":2}`, "body/z (byte 21): the member stands here a second time"},
		{`{"a":{"b":"1"}`, "body/a (byte 14): the body ends too early"},
		{`{"a":{"b":tru}}`, "body/a/b (byte 10): a JSON value is expected"},
		{`{"a":{"b":"1"}} x`, "body (byte 16): data after the end of the JSON value"},
		{`{"a":{"b":"\ud800"}}`, "body/a/b (byte 11): a lone surrogate"},
		{"\ufeff{}", "body (byte 0): a byte order mark"},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			got, found, err := canon.Lookup([]byte(tt.body), []string{"a", "b"})
			assert.EqualError(t, err, tt.why)
			assert.Equal(t, canon.NotFound, found)
			assert.Empty(t, got)
		})
	}
}
