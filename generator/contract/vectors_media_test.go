package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

// Where no JSON is taken, the same changes are spelled as a form, and what a form cannot say is left out.
func TestVectorsOfForms(t *testing.T) {
	line := &canon.Node{Kind: canon.ObjectNode, Members: []canon.NodeMember{{Name: "sku", Required: true, Node: leafNode(canon.Exact)}}}
	note := leafNode(canon.Exact)
	note.Null = canon.NullDistinct
	c := &canon.Contract{Accepts: []canon.Media{canon.Form}, BodyRequired: true, Body: &canon.Node{Kind: canon.ObjectNode, Members: []canon.NodeMember{
		{Name: "amount", Required: true, Node: leafNode(canon.Decimal)},
		{Name: "card", Node: &canon.Node{Kind: canon.ObjectNode, Members: []canon.NodeMember{{Name: "a b", Node: leafNode(canon.Boolean)}}}},
		{Name: "lines", Node: &canon.Node{Kind: canon.ArrayNode, Array: canon.List, Elem: line}},
		{Name: "note", Node: note},
		{Name: "tags", Node: &canon.Node{Kind: canon.ArrayNode, Array: canon.Set, Elem: leafNode(canon.Exact)}},
	}}, Params: []canon.Param{{In: canon.InQuery, Name: "q", As: canon.Exact}}}
	made, left := makeVectors(c, 100)
	assert.Zero(t, left)
	const form = "application/x-www-form-urlencoded"
	assert.Equal(t, []string{
		`name: minimal, request: {body: 'amount=2.5', type: '` + form + `'}`,
		`name: typical, request: {body: 'amount=2.5&card%5Ba+b%5D=true&lines%5B0%5D%5Bsku%5D=sku&lines%5B1%5D%5Bsku%5D=sku2&note=note&tags=tags&tags=tags2', ` +
			`type: '` + form + `', query: 'q=q'}`,
	}, shorts(made)[:2])
	got := strings.Join(shorts(made), "\n")
	for _, want := range []string{
		`name: 'members in another order', like: typical, request: {body: 'tags=tags&tags=tags2&note=note&lines%5B0`,
		`name: 'body.amount spelled otherwise', like: typical, request: {body: 'amount=25e-1&card`,
		`name: 'body.amount is no number', refused: typical, request: {body: 'amount=NaN&card`,
		`name: 'body.amount absent', refused: typical, request: {body: 'card%5B`,
		`name: 'body.card["a b"] matters', unlike: typical, request: {body: 'amount=2.5&card%5Ba+b%5D=false&`,
		`name: 'body.lines in another order', unlike: typical, request: {body: 'amount=2.5&card%5Ba+b%5D=true&lines%5B0%5D%5Bsku%5D=sku2&lines%5B1%5D%5Bsku%5D=sku&`,
		`name: 'body.tags with one element less', unlike: typical, request: {body: 'amount=2.5&card%5Ba+b%5D=true&lines%5B0%5D%5Bsku%5D=sku&lines%5B1%5D%5Bsku%5D=sku2&note=note&tags=tags'}`,
		`name: 'body.note empty', unlike: 'body.note absent', request: {body: '`,
		`name: 'beyond ASCII', unlike: typical, request: {body: '`,
		`name: 'body with an undeclared member', refused: typical, request: {body: '`,
		`name: 'body absent', refused: typical, remove: [body]`,
		`name: 'query.q matters', unlike: typical, request: {query: 'q=qx'}`,
	} {
		assert.Contains(t, got, want)
	}
	for _, no := range []string{"null", "set: ", "JSON", "as escapes", "body.lines empty"} {
		assert.NotContains(t, got, no)
	}
	assert.Empty(t, vector.Check(made, "/", interpret(c)))

	c.Accepts = []canon.Media{canon.Form, canon.JSON}
	assert.Contains(t, strings.Join(shorts(allVectors(t, c, "/")), "\n"), `name: 'as a form', like: typical, request: {body: 'amount=2.5&card%5Ba+b%5D=true&lines`)
}

func TestVectorsOfTextsAndOctets(t *testing.T) {
	for _, c := range []struct {
		accepts canon.Media
		types   []string
		as      canon.Normaliser
		want    string
	}{
		{canon.Text, nil, canon.Exact, "text/plain"}, {canon.Text, []string{"text/csv"}, canon.Exact, "text/csv"},
		{canon.Octets, []string{"image/*"}, canon.ContentDigest, "image/x"}, {canon.Octets, []string{"*/*"}, canon.ContentDigest, "application/octet-stream"},
		{canon.Octets, []string{"image/png", "image/gif"}, canon.ContentDigest, "image/png"},
	} {
		made, _ := makeVectors(&canon.Contract{Accepts: []canon.Media{c.accepts}, Types: c.types, BodyRequired: true, Body: leafNode(c.as)}, 40)
		got := shorts(made)
		require.NotEmpty(t, got, c.want)
		assert.Equal(t, `name: typical, request: {body: 'body', type: '`+c.want+`'}`, got[0])
		assert.Contains(t, got, `name: 'body matters', unlike: typical, request: {body: 'bodyx'}`)
		assert.Contains(t, got, `name: 'body absent', refused: typical, remove: [body]`)
	}
}

// A text may stand for a number or a boolean.
func TestVectorsOfOtherScalarsAsText(t *testing.T) {
	for as, want := range map[canon.Normaliser][]string{
		canon.Int:     {`name: typical, request: {body: '1', type: 'text/plain'}`, `name: 'body matters', unlike: typical, request: {body: '2'}`, `name: 'body is no integer', refused: typical, request: {body: '1.0'}`},
		canon.Decimal: {`name: typical, request: {body: '1.5', type: 'text/plain'}`, `name: 'body spelled otherwise', like: typical, request: {body: '15e-1'}`},
		canon.Boolean: {`name: typical, request: {body: 'true', type: 'text/plain'}`, `name: 'body matters', unlike: typical, request: {body: 'false'}`},
	} {
		made, _ := makeVectors(&canon.Contract{Accepts: []canon.Media{canon.Text}, BodyRequired: true, Body: leafNode(as)}, 40)
		got := shorts(made)
		for _, w := range append(want, `name: 'body absent', refused: typical, remove: [body]`) {
			assert.Contains(t, got, w)
		}
	}
}

// Members of a multipart body are parts of three kinds; what is beside names and contents does not count.
func TestVectorsOfMultipartBodies(t *testing.T) {
	owner := &canon.Node{Kind: canon.ObjectNode, Members: []canon.NodeMember{{Name: "id", Required: true, Node: leafNode(canon.Int)}}}
	body := &canon.Node{Kind: canon.ObjectNode, Members: []canon.NodeMember{
		{Name: "file", Required: true, Node: leafNode(canon.ContentDigest)}, {Name: `no "te"`, Node: leafNode(canon.Exact)}, {Name: "owner", Node: owner},
		{Name: "pages", Node: &canon.Node{Kind: canon.ArrayNode, Array: canon.List, Elem: leafNode(canon.ContentDigest)}},
	}}
	c := &canon.Contract{Accepts: []canon.Media{canon.Multipart}, BodyRequired: true, Body: body, Params: []canon.Param{{In: canon.InQuery, Name: "q", As: canon.Exact}},
		Parts: []canon.Part{{Name: "file", Kind: canon.FilePart}, {Name: "owner", Kind: canon.JSONPart}, {Name: "pages", Kind: canon.FilePart}}}
	made, left := makeVectors(c, 100)
	assert.Zero(t, left)
	var got []string
	for _, v := range made {
		got = append(got, v.Name)
	}
	const (
		first = "--part\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nfile\r\n"
		note  = "--part\r\nContent-Disposition: form-data; name=\"no \\\"te\\\"\"\r\n\r\nnote\r\n"
		own   = "--part\r\nContent-Disposition: form-data; name=\"owner\"\r\n\r\n{\"id\":5}\r\n"
		page  = "--part\r\nContent-Disposition: form-data; name=\"pages\"\r\n\r\npages\r\n"
	)
	typical := vectorOf(t, made, "typical")
	assert.Equal(t, first+note+own+page+strings.Replace(page, "\r\npages\r\n", "\r\npages2\r\n", 1)+"--part--\r\n", typical.Request.Body)
	assert.Equal(t, "multipart/form-data; boundary=part", typical.Request.Type)
	nothing, _ := makeVectors(&canon.Contract{Accepts: c.Accepts, Body: &canon.Node{Kind: canon.ObjectNode}}, 100)
	assert.Equal(t, "--part--\r\n", vectorOf(t, nothing, "typical").Request.Body)
	other := vectorOf(t, made, "another boundary, with types of parts")
	assert.Equal(t, "typical", other.Like)
	assert.Contains(t, other.Request.Body, "--another\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a file.png\"\r\nContent-Type: image/png\r\n\r\nfile\r\n")
	assert.Contains(t, other.Request.Body, "name=\"owner\"\r\nContent-Type: application/json\r\n\r\n{\"id\":5}\r\n")
	for _, name := range []string{"minimal", "parts in another order", "a member twice", "a name in another case", "without the last boundary", "body.file matters", "body.file absent", "body.owner.id matters", "body.owner.id spelled otherwise",
		"body.owner is no object", "body.owner null", "body.pages in another order", "body.pages with one element less", "query.q matters", "body absent"} {
		assert.Contains(t, got, name)
	}
	for _, no := range []string{"body.file null", "body.file is no text", "body.pages empty"} {
		assert.NotContains(t, got, no)
	}
	for _, v := range made {
		assert.Empty(t, v.Set, v.Name)
	}
	assert.Empty(t, vector.Check(made, "/", interpret(c)))

	c.Accepts = []canon.Media{canon.JSON, canon.Multipart}
	asJSON, _ := makeVectors(c, 100)
	as := vectorOf(t, asJSON, "as a multipart body")
	assert.Equal(t, typical.Request.Type, as.Request.Type)
	assert.Contains(t, as.Request.Body, own)
	body.Members[1] = canon.NodeMember{Name: "a\nb", Required: true, Node: leafNode(canon.Exact)}
	made, _ = makeVectors(&canon.Contract{Accepts: []canon.Media{canon.Multipart}, BodyRequired: true, Body: body}, 40)
	assert.Empty(t, made, "no part has such a name")
}

func vectorOf(t *testing.T, made []vector.Vector, name string) vector.Vector {
	t.Helper()
	i := slices.IndexFunc(made, func(v vector.Vector) bool { return v.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return made[i]
}
