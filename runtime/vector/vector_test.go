package vector_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

// echo takes the body as the canonical text, in capital letters, and refuses one that says bad.
func echo(r *canon.Request) (string, canon.Digest, error) {
	if strings.Contains(string(r.Body), "bad") {
		return "", canon.Digest{}, errors.New("a bad body")
	}
	text := strings.ToUpper(string(r.Body))
	return text, sha256.Sum256([]byte(text)), nil
}

func whole(name, body string) vector.Vector {
	sum := sha256.Sum256([]byte(strings.ToUpper(body)))
	return vector.Vector{Name: name, Request: vector.Request{Body: body}, Canonical: strings.ToUpper(body), SHA256: hex.EncodeToString(sum[:])}
}

func set(path, text string) []vector.Change { return []vector.Change{{Path: path, JSON: text}} }

func TestExpandChangesTheBody(t *testing.T) {
	const body = `{"a":1,"lines":[{"sku":"x"},{"sku":"y"}],"odd.name":{},"z":null}`
	for _, c := range []struct {
		name   string
		change vector.Vector
		want   string
	}{
		{"a member", vector.Vector{Set: set("body.a", `"b"`)}, `{"a":"b","lines":[{"sku":"x"},{"sku":"y"}],"odd.name":{},"z":null}`},
		{"the first element", vector.Vector{Set: set("body.lines[].sku", `1`)}, `{"a":1,"lines":[{"sku":1},{"sku":"y"}],"odd.name":{},"z":null}`},
		{"a new member", vector.Vector{Set: set(`body["odd.name"]["x\"y"]`, `1`)}, `{"a":1,"lines":[{"sku":"x"},{"sku":"y"}],"odd.name":{"x\"y":1},"z":null}`},
		{"a new member behind others", vector.Vector{Set: set(`body.lines[].qty`, `1`)}, `{"a":1,"lines":[{"sku":"x","qty":1},{"sku":"y"}],"odd.name":{},"z":null}`},
		{"a whole array", vector.Vector{Set: set("body.lines", `[]`)}, `{"a":1,"lines":[],"odd.name":{},"z":null}`},
		{"the whole body", vector.Vector{Set: set("body", `[]`)}, `[]`},
		{"several, in order", vector.Vector{Set: append(set("body.lines", `[{}]`), set("body.lines[].n", `2`)...)}, `{"a":1,"lines":[{"n":2}],"odd.name":{},"z":null}`},
		{"without the first member", vector.Vector{Remove: []string{"body.a"}}, `{"lines":[{"sku":"x"},{"sku":"y"}],"odd.name":{},"z":null}`},
		{"without the last member", vector.Vector{Remove: []string{"body.z"}}, `{"a":1,"lines":[{"sku":"x"},{"sku":"y"}],"odd.name":{}}`},
		{"without the only member", vector.Vector{Remove: []string{"body.lines[].sku"}}, `{"a":1,"lines":[{},{"sku":"y"}],"odd.name":{},"z":null}`},
		{"without an element", vector.Vector{Remove: []string{"body.lines[]"}}, `{"a":1,"lines":[{"sku":"y"}],"odd.name":{},"z":null}`},
		{"another body", vector.Vector{Request: vector.Request{Body: "[1]"}, Set: set("body[]", "2")}, `[2]`},
		{"no body", vector.Vector{Remove: []string{"body"}}, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.change.Name, c.change.Unlike = "changed", "base"
			got, err := vector.Expand([]vector.Vector{whole("base", body), c.change})
			require.NoError(t, err)
			assert.Equal(t, body, got[0].Body, "the base stays")
			assert.Equal(t, c.want, got[1].Body)
		})
	}
}

// A vector of a viewed body begins with what the view made.
func TestExpandReplacesTheView(t *testing.T) {
	base := whole("base", "")
	base.Request, base.Canonical = vector.Request{View: `{"a":1}`, Type: "application/jwt"}, "x"
	got, err := vector.Expand([]vector.Vector{base,
		{Name: "another", Unlike: "base", Request: vector.Request{View: `[]`}}, {Name: "query", Unlike: "base", Request: vector.Request{Query: "a"}},
		{Name: "absent", Unlike: "base", Remove: []string{"body"}}})
	require.NoError(t, err)
	assert.Equal(t, &canon.Request{Body: []byte(`{"a":1}`), View: []byte(`{"a":1}`), ContentType: "application/jwt"}, got[0].Canon("/x"))
	assert.Equal(t, `[]`, got[1].View)
	assert.Equal(t, `{"a":1}`, got[2].View)
	assert.Equal(t, vector.Request{}, got[3])
	base.Request.Body = "both"
	_, err = vector.Expand([]vector.Vector{base})
	require.ErrorContains(t, err, "it has a body and what a view made of one")
}

func TestExpandReplacesParameters(t *testing.T) {
	base := whole("base", "{}")
	base.Request.Query = "a=1&b=2&a=3&%62=4"
	base.Request.Path = []vector.Value{{Name: "id", Text: "1"}, {Name: "part", Text: "2"}}
	base.Request.Header = []vector.Value{{Name: "x-a", Text: "1"}, {Name: "x-b", Text: "2"}}
	got, err := vector.Expand([]vector.Vector{base,
		{Name: "values", Like: "base", Request: vector.Request{
			Type: "text/plain", Path: []vector.Value{{Name: "part", Text: "3"}}, Header: []vector.Value{{Name: "x-c", Text: "3"}, {Name: "x-a", Text: ""}}}},
		{Name: "less", Like: "values", Remove: []string{"query.b", "header.x-b"}},
		{Name: "query", Like: "base", Request: vector.Request{Query: "c"}, Remove: []string{"body"}},
	})
	require.NoError(t, err)
	assert.Equal(t, base.Request, got[0])
	assert.Equal(t, &canon.Request{Body: []byte("{}"), ContentType: "application/json", Query: base.Request.Query, Path: []string{"2", "", "1"},
		Header: map[string][]string{"X-A": {"1"}, "X-B": {"2"}}}, got[0].Canon("/{part}/x/{other}/{id}"))
	assert.Equal(t, []vector.Value{{Name: "id", Text: "1"}, {Name: "part", Text: "3"}}, got[1].Path)
	assert.Equal(t, []vector.Value{{Name: "x-a", Text: ""}, {Name: "x-b", Text: "2"}, {Name: "x-c", Text: "3"}}, got[1].Header)
	assert.Equal(t, "text/plain", got[1].ContentType())
	assert.Equal(t, "a=1&a=3", got[2].Query)
	assert.Equal(t, []vector.Value{{Name: "x-a", Text: ""}, {Name: "x-c", Text: "3"}}, got[2].Header)
	assert.Equal(t, "c", got[3].Query)
	assert.Empty(t, got[3].ContentType(), "without a body there is no type")
	assert.Equal(t, []byte{}, got[3].Canon("/").Body)
}

func TestExpandRefusesWhatIsNoVector(t *testing.T) {
	base := whole("base", `{"a":[1]}`)
	for _, c := range []struct {
		name   string
		vector vector.Vector
		want   string
	}{
		{"no name", vector.Vector{Like: "base"}, `vector: expand "": it has no name`},
		{"a name twice", whole("base", "{}"), `vector: expand "base": an earlier vector has the name`},
		{"two relations", vector.Vector{Like: "base", Refused: "base"}, "it is more than one of like, unlike and refused"},
		{"no digest", vector.Vector{Canonical: "{}"}, "a whole request needs its canonical text and its digest"},
		{"a change of nothing", vector.Vector{Canonical: "{}", SHA256: "00", Remove: []string{"body"}}, "a whole request has nothing to set or remove"},
		{"a digest of a refusal", vector.Vector{Refused: "base", SHA256: "00"}, "a refused request has neither canonical text nor digest"},
		{"a base that is not there", vector.Vector{Like: "bose"}, `no earlier vector is called "bose"`},
		{"a base that is refused", vector.Vector{Like: "refused"}, `"refused" is refused, nothing compares with it`},
		{"a later base", vector.Vector{Like: "later"}, `no earlier vector is called "later"`},
		{"a member of a number", vector.Vector{Like: "base", Set: set("body.a[].b", "1")}, "set body.a[].b: what is above it is neither object nor array"},
		{"below what is missing", vector.Vector{Like: "base", Set: set("body.b.c", "1")}, "set body.b.c: it is not there"},
		{"a member of an array", vector.Vector{Like: "base", Set: set("body.a.b", "1")}, "set body.a.b: it is not there"},
		{"an element of an object", vector.Vector{Like: "base", Set: set("body[]", "1")}, "set body[]: it is not there"},
		{"in a body that is none", vector.Vector{Like: "base", Request: vector.Request{Body: "{"}, Set: set("body.a", "1")}, "set body.a: the body is no JSON text"},
		{"in a broken member", vector.Vector{Like: "base", Request: vector.Request{Body: `{"a":x}`}, Set: set("body.a", "1")}, "set body.a: the body is no JSON text"},
		{"set of a parameter", vector.Vector{Like: "base", Set: set("query.a", "1")}, "set query.a: only the body can be set"},
		{"no path", vector.Vector{Like: "base", Set: set("boody.a", "1")}, `"boody.a" is no path`},
		{"an open quote", vector.Vector{Like: "base", Remove: []string{`body["a`}}, "a quoted name is not closed"},
		{"a dot too many", vector.Vector{Like: "base", Remove: []string{"body..a"}}, "a name is missing"},
		{"an index", vector.Vector{Like: "base", Remove: []string{"body[0]"}}, "a dot or a bracket is missing"},
		{"a missing member", vector.Vector{Like: "base", Remove: []string{"body.b"}}, "remove body.b: it is not there"},
		{"a missing name", vector.Vector{Like: "base", Remove: []string{"query.b"}}, "remove query.b: it is not there"},
		{"a missing header", vector.Vector{Like: "base", Remove: []string{"header.b"}}, "remove header.b: it is not there"},
		{"a path value", vector.Vector{Like: "base", Remove: []string{"path.b"}}, "remove path.b: a path value cannot be missing"},
		{"the whole query", vector.Vector{Like: "base", Remove: []string{"query"}}, "remove query: one name must follow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.vector.Name == "" && c.name != "no name" {
				c.vector.Name = "v"
			}
			list := []vector.Vector{base, {Name: "refused", Refused: "base"}, c.vector, whole("later", "{}")}
			_, err := vector.Expand(list)
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			faults := vector.Check(list, "/", echo)
			require.Len(t, faults, 1)
			assert.Equal(t, vector.Fault{Index: -1, Text: err.Error()}, faults[0])
		})
	}
}

func TestCheckTellsWhatIsWantedAndSeen(t *testing.T) {
	moved, digest := whole("moved", `{"b":1}`), whole("digest", `{"b":2}`)
	moved.Canonical = `{"B":9}`
	digest.SHA256 = strings.Repeat("0", 64)
	faults := vector.Check([]vector.Vector{
		whole("base", `{"a":"x"}`),
		{Name: "same", Like: "base", Set: set("body.a", `"X"`)},
		{Name: "other", Unlike: "base", Set: set("body.a", `"y"`)},
		{Name: "bad", Refused: "base", Set: set("body.a", `"bad"`)},
		{Name: "not same", Like: "base", Set: set("body.a", `"y"`)},
		{Name: "not other", Unlike: "base", Set: set("body.a", `"X"`)},
		{Name: "not bad", Refused: "base", Set: set("body.a", `"good"`)},
		{Name: "not accepted", Like: "base", Set: set("body.a", `"bad"`)},
		{Name: "not accepted either", Unlike: "base", Set: set("body.a", `"bad"`)},
		moved, digest, whole("last", "bad"),
	}, "/", echo)
	var got []string
	for _, f := range faults {
		got = append(got, f.Vector+": "+f.Text)
	}
	assert.Equal(t, []string{
		"not same: it must be the same command as \"base\"\n  canonical wanted: {\"A\":\"X\"}\n  canonical seen: {\"A\":\"Y\"}",
		"not other: it must be another command than \"base\"\n  canonical of both: {\"A\":\"X\"}",
		"not bad: it must be refused, and is accepted\n  canonical seen: {\"A\":\"GOOD\"}",
		"not accepted: it is refused: a bad body\n  canonical wanted: {\"A\":\"X\"}",
		"not accepted either: it is refused: a bad body\n  canonical wanted: any other than that of base",
		"moved: its canonical text moved\n  canonical wanted: {\"B\":9}\n  canonical seen: {\"B\":1}",
		"digest: its digest moved, for the same canonical text\n  sha256 wanted: " + strings.Repeat("0", 64) +
			"\n  sha256 seen: " + whole("", `{"b":2}`).SHA256 + "\n  canonical seen: {\"B\":2}",
		"last: it is refused: a bad body\n  canonical wanted: BAD",
	}, got)
	assert.Equal(t, 4, faults[0].Index)
}

// FuzzApply: whatever a vector says, there is a request or an error.
func FuzzApply(f *testing.F) {
	f.Add(`{"a":[{"b":1}]}`, "body.a[].b", "2", "query.x")
	f.Add(`[`, `body["\u00`, "", "body")
	f.Fuzz(func(t *testing.T, body, path, text, remove string) {
		v := vector.Vector{Name: "v", Like: "base", Set: set(path, text), Remove: []string{remove}}
		_, _ = vector.Apply(vector.Request{Body: body, Query: "x=1&y"}, &v)
	})
}
