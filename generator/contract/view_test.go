package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// through makes the body of op count through a view.
func through(op *openapi.Operation, name string) *openapi.Operation {
	if !op.Annotation.Fingerprint.Set {
		op.Annotation.Fingerprint = set(openapi.Fingerprint{Mode: openapi.FingerprintAll})
	}
	op.Annotation.Fingerprint.Value.View = set(openapi.View{Name: name})
	return op
}

func mandate(t testing.TB) *openapi.Operation {
	op := operationOf(object(property("sub!", typed("string")), property("iat", typed("integer"))), query("trace", typed("string")))
	op.Path = "/accounts/{accountId}/mandates"
	return through(choose(t, op, "path.accountId", "query.trace", ""), "claims")
}

func TestViewedContract(t *testing.T) {
	op := mandate(t)
	op.Body.Media = []openapi.Media{{Type: "application/jwt", Schema: nullable(typed("string")), Pos: at(50)}, {Type: "Application/JSON; charset=utf-8", Schema: bodyOf(op), Pos: at(51)},
		{Type: "multipart/mixed", Pos: at(52)}, {Type: "text/plain", Schema: typed("integer"), Pos: at(53)}}
	api, found := Build(document(op), Options{Base: "payments"})
	require.Empty(t, found.All(), "no media type is left out, and the body's members need no decision")
	c := api.Contracts[0]
	assert.Equal(t, []View{{Name: "claims", GoName: "Claims"}}, api.Views)
	assert.Equal(t, []string{"body: view(claims)/1 required", "path.accountId: exact/1 required"}, fieldLines(c.Version))
	assert.Equal(t, "claims", c.Version.View)
	assert.Equal(t, []string{"query.trace"}, c.Version.Ignored)
	assert.Equal(t, canon.BodySpec{Required: true, Accepts: []canon.Media{canon.Octets}, Types: []string{"application/json", "application/jwt", "multipart/mixed", "text/plain"}}, c.Version.Spec)
	assert.Equal(t, c.Version.Spec, c.Spec)
	assert.Equal(t, &Type{Kind: TypeBytes}, c.BodyType)
	assert.Equal(t, &Node{Kind: LeafNode, Field: 0, As: canon.Generic}, c.Version.Body)
	assert.Empty(t, c.Version.Sensitive)

	text := string(EncodeLock(api))
	assert.Contains(t, text, "\n          body: view(claims)/1 required\n")
	assert.NotContains(t, text, "unknown:")
	lock, problems := ParseLock([]byte(text), "lock")
	require.Empty(t, problems.All())
	assert.Equal(t, c.Version.Fields, lock.Contracts["createPayment"].Versions[1].Fields)
	require.NoError(t, CheckLock(api, []byte(text)))
	restored, err := lock.Contracts["createPayment"].Versions[1].restore(1, op.Path)
	require.NoError(t, err)
	assert.Equal(t, []any{"claims", c.Version.Body, c.Version.Spec}, []any{restored.View, restored.Body, restored.Spec})
	again, found := Build(document(op), Options{Base: "payments", Lock: lock})
	require.Empty(t, found.All())
	assert.Equal(t, text, string(EncodeLock(again)))

	for _, bad := range []string{"view()/1 required", "view(a-b)/1 required", "view(claims) required", "list/1 of view(claims)/1 required"} {
		_, problems := ParseLock([]byte(strings.Replace(text, "view(claims)/1 required", bad, 1)), "lock")
		assert.True(t, problems.HasErrors(), bad)
	}
}

// The id of a viewed body is the name of its view, whether there must be one, and the parameters; nothing of its schema and media types.
func TestIDOfAViewedBody(t *testing.T) {
	id := mustBuild(t, mandate(t)).Version.ID
	for name, change := range map[string]func(*openapi.Operation){
		"another schema": func(op *openapi.Operation) { op.Body.Media[0].Schema = array(typed("number")) },
		"no schema":      func(op *openapi.Operation) { op.Body.Media[0].Schema = nil },
		"a null schema":  func(op *openapi.Operation) { op.Body.Media[0].Schema = nullable(object()) },
		"another type":   func(op *openapi.Operation) { op.Body.Media[0].Type = "application/jwt" },
		"a further type": func(op *openapi.Operation) { op.Body.Media = append(op.Body.Media, openapi.Media{Type: "text/xml"}) },
		"sensitive":      func(op *openapi.Operation) { op.Annotation.Fingerprint.Value.View.Value.Sensitive = set(true) },
		"ignored query":  func(op *openapi.Operation) { op.Parameters[0].Schema = typed("integer") },
		"an unlisted head": func(op *openapi.Operation) {
			op.Parameters = append(op.Parameters, openapi.Parameter{Name: "X-A", In: openapi.InHeader, Schema: typed("string")})
		},
	} {
		op := mandate(t)
		change(op)
		assert.Equal(t, id, mustBuild(t, op).Version.ID, name)
	}
	seen := map[canon.ContractID]string{id: "the mandate"}
	for name, change := range map[string]func(*openapi.Operation){
		"another name":  func(op *openapi.Operation) { through(op, "claims2") },
		"another case":  func(op *openapi.Operation) { through(op, "Claims") },
		"no view":       func(op *openapi.Operation) { choose(t, op, "path.accountId body", "query.trace", "reject") },
		"generic":       func(op *openapi.Operation) { choose(t, op, "path.accountId body=generic", "query.trace", "") },
		"optional body": func(op *openapi.Operation) { op.Body.Required = false },
		"a parameter":   func(op *openapi.Operation) { through(choose(t, op, "path.accountId query.trace", "", ""), "claims") },
	} {
		op := mandate(t)
		change(op)
		id := mustBuild(t, op).Version.ID
		assert.Empty(t, seen[id], "%s has the id of %s", name, seen[id])
		seen[id] = name
	}
}

func TestSensitiveView(t *testing.T) {
	op := mandate(t)
	op.Annotation.Fingerprint.Value.View.Value.Sensitive = set(true)
	v := mustBuild(t, op).Version
	assert.Equal(t, []int{0}, v.Sensitive)
	assert.Equal(t, "view(claims)/1 required sensitive", v.Fields[0].lockRule())
}

// A business key is made of parameters, also beside a view, and the view is not called for it.
func TestBusinessKeyBesideAView(t *testing.T) {
	op := mandate(t)
	op.Annotation.Unique = uniqueOf(t, "path.accountId")
	c := mustBuild(t, op)
	require.NotNil(t, c.Unique)
	assert.Equal(t, []string{"path.accountId: exact/1 required"}, fieldLines(c.Unique.Version))
	assert.Empty(t, c.Unique.Version.View)
	assert.Nil(t, c.Unique.Version.Body)
	api := &API{Contracts: []*Contract{c}}
	require.NoError(t, CheckLock(api, EncodeLock(api)))
	op.Annotation.Unique = uniqueOf(t, "path.accountId", "body.sub")
	_, found := Build(document(op), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG315 body.sub can say nothing: the body is what the view claims makes of it"}, errorsOf(found))
}

// Parameters are decided upon as ever, also beside a view.
func TestParametersBesideAView(t *testing.T) {
	op := mandate(t)
	op.Parameters = append(op.Parameters, query("mode", typed("string")))
	_, found := Build(document(op), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG301 query.mode is neither in fields nor in ignored"}, errorsOf(found))
}

func TestViewsAreNamedApart(t *testing.T) {
	var ops []*openapi.Operation
	for _, name := range []string{"order", "claims", "Claims", "order", "_"} {
		op := through(operationOf(object()), name)
		op.ID += name + string(rune('a'+len(ops)))
		op.Path += "/" + op.ID
		ops = append(ops, op)
	}
	views := operationOf(object())
	views.ID, views.Path = "views", "/views"
	views.Body.Media[0].Schema.Properties = []openapi.Property{property("a", typed("string"))}
	api, found := Build(document(append(ops, views)...), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	assert.Equal(t, []View{{"Claims", "Claims"}, {"_", api.Views[1].GoName}, {"claims", "Claims2"}, {"order", "Order"}}, api.Views)
	for _, c := range api.Contracts {
		assert.NotContains(t, []string{"Views"}, c.GoName, "the struct of the package is called so")
	}
}

// A body whose media types cannot be told apart by name is one that no view is called for.
func TestViewWithoutAMediaType(t *testing.T) {
	op := mandate(t)
	op.Body.Media[0].Type = "xml"
	_, found := Build(document(op), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG340 POST /accounts/{accountId}/mandates: a body of type xml is not supported by this version"}, errorsOf(found))
}

// The vectors of a viewed body begin behind the program's function, and each of them holds.
func TestVectorsOfAView(t *testing.T) {
	c := mustBuild(t, mandate(t))
	made := allVectors(t, c.Version.Reference(c.Name), c.Path)
	assert.Equal(t, []string{
		`name: typical, request: {view: '{"body":1}', type: 'application/json', path: {accountId: 'accountId'}}`,
		`name: 'body matters', unlike: typical, request: {view: '{"body":"1"}'}`,
		`name: 'body spelled otherwise', like: typical, request: {view: '{"body":1.0}'}`,
		`name: 'body is no value: a member stands twice', refused: typical, request: {view: '{"body":1,"body":1}'}`,
		`name: 'body absent', refused: typical, remove: [body]`,
		`name: 'body null', unlike: typical, request: {view: 'null'}`,
		`name: 'path.accountId matters', unlike: typical, request: {path: {accountId: 'accountIdx'}}`,
	}, shorts(made))
	expanded, err := c.Expand()
	require.NoError(t, err)
	for _, v := range expanded {
		assert.Empty(t, v.Whole.Body, v.Name)
	}
}

func TestReferenceOfAView(t *testing.T) {
	v := &mustBuild(t, mandate(t)).Version
	got, err := agree(t, v, &canon.Request{Body: []byte("x"), View: []byte(`{"b":1.0,"a":null}`), ContentType: "application/json", Path: []string{"acc"}})
	require.NoError(t, err)
	assert.Equal(t, `{"body":{"object":{"a":null,"b":{"number":"1"}}},"path":{"accountId":"acc"}}`, got)
	_, err = agree(t, v, &canon.Request{Body: []byte("x"), View: []byte(`[`), ContentType: "application/json"})
	require.EqualError(t, err, "body: what its view gives cannot be compared: the body ends too early")
}
