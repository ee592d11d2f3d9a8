package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// discriminated is a union by the member type; values are name=branch, in the order of the mapping.
func discriminated(branches map[string]*openapi.Schema) *openapi.Schema {
	s := &openapi.Schema{Pos: at(40), Discriminator: &openapi.Discriminator{Property: "type"}}
	for _, label := range sortedKeys(branches) {
		if !slices.Contains(s.OneOf, branches[label]) {
			s.OneOf = append(s.OneOf, branches[label])
		}
		s.Discriminator.Mapping = append(s.Discriminator.Mapping, openapi.DiscriminatorBranch{Value: label, Schema: branches[label]})
	}
	return s
}

func sortedKeys(m map[string]*openapi.Schema) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func kindOf(name string, props ...openapi.Property) *openapi.Schema {
	return closed(append([]openapi.Property{property("type!", typed("string"))}, props...)...)
}

func oneOfSchemas(s ...*openapi.Schema) *openapi.Schema {
	return &openapi.Schema{Pos: at(40), OneOf: s}
}

func TestUnionsThatCanBeToldApart(t *testing.T) {
	card, iban := kindOf("card", property("number", typed("string"))), kindOf("iban", property("iban", typed("string")))
	implied := discriminated(map[string]*openapi.Schema{"Card": card, "card": card, "Iban": iban})
	implied.Discriminator.Mapping[0].Implied, implied.Discriminator.Mapping[1].Implied = true, true // sorted: Card, Iban, card
	nested := discriminated(map[string]*openapi.Schema{"a": kindOf("a"), "b": kindOf("b")})
	based := with(object(property("type!", typed("string")), property("note", typed("string"))), func(s *openapi.Schema) {
		u := discriminated(map[string]*openapi.Schema{"x": object(property("x", typed("string"))), "y": object(property("y!", typed("integer")))})
		s.OneOf, s.Discriminator = u.OneOf, u.Discriminator
	})
	for _, c := range []struct {
		name   string
		schema *openapi.Schema
		want   []string
	}{
		{"one schema of several values stands once", discriminated(map[string]*openapi.Schema{"visa": card, "amex": card, "iban": iban}), []string{
			"body.u: union(type) optional", "body.u{amex,visa}: object unknown=reject", "body.u{amex,visa}.number: exact/1 optional", "body.u{amex,visa}.type: exact/1 required",
			"body.u{iban}: object unknown=reject", "body.u{iban}.iban: exact/1 optional", "body.u{iban}.type: exact/1 required"}},
		{"a schema's name counts where the mapping does not list it", implied, []string{
			"body.u: union(type) optional", "body.u{Iban}: object unknown=reject", "body.u{Iban}.iban: exact/1 optional", "body.u{Iban}.type: exact/1 required",
			"body.u{card}: object unknown=reject", "body.u{card}.number: exact/1 optional", "body.u{card}.type: exact/1 required"}},
		{"what stands beside the branches is in each", based, []string{
			"body.u: union(type) optional", "body.u{x}: object", "body.u{x}.note: exact/1 optional", "body.u{x}.type: exact/1 required", "body.u{x}.x: exact/1 optional",
			"body.u{y}: object", "body.u{y}.note: exact/1 optional", "body.u{y}.type: exact/1 required", "body.u{y}.y: int/1 required"}},
		{"null of a branch is the union's", oneOfSchemas(nullable(typed("string")), typed("integer")),
			[]string{"body.u: union optional null=distinct", "body.u{number}: int/1", "body.u{string}: exact/1"}},
		{"a union by type in a union by type is one union", oneOfSchemas(oneOfSchemas(typed("string"), typed("boolean")), array(typed("number"))),
			[]string{"body.u: union optional", "body.u{array}[]: list/1 of decimal/1", "body.u{boolean}: boolean/1", "body.u{string}: exact/1"}},
		{"a union by member is an object", oneOfSchemas(nested, typed("string")),
			[]string{"body.u: union optional", "body.u{object}: union(type)", "body.u{object}{a}: object unknown=reject", "body.u{object}{a}.type: exact/1 required",
				"body.u{object}{b}: object unknown=reject", "body.u{object}{b}.type: exact/1 required", "body.u{string}: exact/1"}},
		{"a discriminator where types suffice", discriminated(map[string]*openapi.Schema{"a": kindOf("a"), "b": typed("string")}),
			[]string{"body.u: union optional", "body.u{object}: object unknown=reject", "body.u{object}.type: exact/1 required", "body.u{string}: exact/1"}},
		{"an integer is a number", &openapi.Schema{Types: []string{"string", "integer", "number"}}, []string{"body.u: union optional", "body.u{number}: decimal/1", "body.u{string}: exact/1"}},
		{"of a list of types each takes what is its", &openapi.Schema{Types: []string{"object", "array", "string"}, Format: "uuid", Items: typed("string"),
			Properties: []openapi.Property{property("x!", typed("string"))}, Additional: openapi.Additional{Set: true}},
			[]string{"body.u: union optional", "body.u{array}[]: list/1 of exact/1", "body.u{object}: object unknown=reject", "body.u{object}.x: exact/1 required", "body.u{string}: uuid/1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := mustBuild(t, operationOf(object(property("u", c.schema)))).Version
			assert.Equal(t, append([]string{"body: object required"}, c.want...), fieldLines(v))
		})
	}
}

func TestUnionsThatCannot(t *testing.T) {
	a, b := kindOf("a"), kindOf("b")
	union := func(change func(*openapi.Schema)) *openapi.Schema {
		return with(discriminated(map[string]*openapi.Schema{"a": a, "b": b}), change)
	}
	for name, s := range map[string]*openapi.Schema{
		"two of one type":                   oneOfSchemas(typed("string"), typed("string:uuid")),
		"integer and number":                oneOfSchemas(typed("integer"), typed("number")),
		"a branch that is anything":         oneOfSchemas(typed("string"), &openapi.Schema{Enum: []string{"1", `"a"`}}),
		"two objects":                       oneOfSchemas(a, b),
		"a value that is missing":           union(func(s *openapi.Schema) { s.Discriminator.Mapping = s.Discriminator.Mapping[:1] }),
		"no member":                         union(func(s *openapi.Schema) { s.Discriminator.Property = "" }),
		"a branch does not declare it":      discriminated(map[string]*openapi.Schema{"a": a, "b": closed(property("x", typed("string")))}),
		"a branch declares it as a number":  discriminated(map[string]*openapi.Schema{"a": a, "b": closed(property("type", typed("integer")))}),
		"two unions at once":                {OneOf: []*openapi.Schema{a, typed("string")}, AnyOf: []*openapi.Schema{a, typed("string")}},
		"a union that is one of its values": union(func(s *openapi.Schema) { s.OneOf = append(s.OneOf, s) }),
	} {
		assert.Equal(t, []string{"body: object required", "body.u: generic/1 optional"}, fieldLines(mustBuild(t, operationOf(object(property("u", s)))).Version), name)
	}
}

func TestPathsGoThroughEveryBranch(t *testing.T) {
	body := func() *openapi.Schema {
		return closed(property("u", discriminated(map[string]*openapi.Schema{
			"a": kindOf("a", property("n", typed("string")), property("only", typed("string"))),
			"b": kindOf("b", property("n", typed("string")), property("in", closed(property("x", typed("string"))))),
		})), property("s", oneOfSchemas(typed("string"), closed(property("x", typed("string"))))))
	}
	build := func(fields, ignored string) ([]string, []string, *API) {
		api, found := Build(document(choose(t, operationOf(body()), fields, ignored, "")), Options{Base: "payments"})
		return errorsOf(found), warningsOf(found), api
	}
	errs, warnings, api := build("body.u.type body.u.n=ascii-lower body.u.only body.s", "body.u.in body.s.x")
	assert.Empty(t, errs)
	assert.Equal(t, []string{"IDG311 body.s.x fits only some branches of body.s", "IDG311 body.u.in fits only some branches of body.u", "IDG311 body.u.only fits only some branches of body.u"}, warnings)
	assert.Equal(t, []string{"body.s: union optional", "body.s{object}: object", "body.s{string}: exact/1", "body.u: union(type) optional",
		"body.u{a}: object", "body.u{a}.n: ascii-lower/1 optional", "body.u{a}.only: exact/1 optional", "body.u{a}.type: exact/1 required",
		"body.u{b}: object", "body.u{b}.n: ascii-lower/1 optional", "body.u{b}.type: exact/1 required"}, fieldLines(api.Contracts[0].Version)[1:])
	assert.Equal(t, []string{"body.s{object}.x", "body.u{b}.in"}, api.Contracts[0].Version.Ignored)

	errs, _, _ = build("body.u.n", "body.s.x")
	assert.Equal(t, []string{
		"IDG301 body.s is neither in fields nor in ignored", // its text has no parts
		"IDG301 body.u.in is neither in fields nor in ignored", "IDG301 body.u.only is neither in fields nor in ignored", "IDG301 body.u.type is neither in fields nor in ignored",
	}, errs, "a member of several branches is one part")
	errs, _, _ = build("body.u.n=int body.u body.s", "body.u.nn")
	assert.Equal(t, []string{"IDG303 body.u.nn is not declared"}, errs)
	errs, _, _ = build("body.u=set body.u.in=exact body.s=uuid body.u.n=set", "")
	assert.Equal(t, []string{"IDG305 body.s: uuid does not fit a union", "IDG305 body.u.in: exact does not fit an object",
		"IDG305 body.u.n: set needs an array, and this is a string", "IDG305 body.u: set needs an array, and this is a union"}, errs)
}

// What a line of fields asks of a union as a whole must fit each kind of value.
func TestUnionAsAWhole(t *testing.T) {
	op := operationOf(closed(property("amount", oneOfSchemas(typed("string"), typed("number"))), property("tags", oneOfSchemas(typed("string"), array(typed("string"))))))
	v := mustBuild(t, choose(t, op, "body.amount=decimal body.tags body.tags[]=ascii-lower", "", "")).Version
	assert.Equal(t, []string{"body: object required", "body.amount: decimal/1 optional", "body.tags: union optional", "body.tags{array}[]: list/1 of ascii-lower/1", "body.tags{string}: exact/1"},
		fieldLines(v))
	text, refused := canonical(v, &canon.Request{Body: []byte(`{"amount":"1e1","tags":["A"]}`)})
	require.Empty(t, refused)
	assert.Equal(t, `{"body":{"amount":"10","tags":{"array":["a"]}}}`, text)
}

func TestKeyInEachBranch(t *testing.T) {
	op := operationOf(discriminated(map[string]*openapi.Schema{"a": kindOf("a", property("key", typed("string"))), "b": kindOf("b", property("key", typed("integer")))}))
	op.Annotation.Key = set(openapi.Key{From: set(path(t, "body.key"))})
	c := mustBuild(t, op)
	assert.True(t, c.Key.Numbers)
	assert.Equal(t, []string{"body{a}.key", "body{b}.key"}, c.Version.Ignored)
	assert.NotContains(t, fmt.Sprint(fieldLines(c.Version)), "key")
}

func TestRecursionIsDecidedAtItsFirstTurn(t *testing.T) {
	node := closed(property("name", typed("string")), property("note", typed("string")))
	node.Properties = append(node.Properties, property("next", node))
	_, found := Build(document(choose(t, operationOf(node), "body.name body.next body.next.next.name", "body.next.note", "")), Options{Base: "payments"})
	require.Len(t, errorsOf(found), 3)
	d := found.All()
	assert.Equal(t, []string{"IDG301 body.note is neither in fields nor in ignored", "IDG303 body.next.next.name repeats what body.next.name decides: body.next is body once more",
		"IDG303 body.next.note repeats what body.note decides: body.next is body once more"}, errorsOf(found))
	assert.Equal(t, "body.note", d[2].Hint)

	v := mustBuild(t, choose(t, operationOf(node), "body.name=ascii-upper body.next", "body.note", "")).Version
	text, refused := canonical(v, &canon.Request{Body: []byte(`{"name":"a","next":{"name":"b","note":{},"next":{}}}`)})
	require.Empty(t, refused)
	assert.Equal(t, `{"body":{"name":"A","next":{"name":"B","next":{}}}}`, text)
}

func TestDefaultsInRecursiveSchemas(t *testing.T) {
	node := closed(property("n", withDefault(typed("integer"), "1")))
	node.Properties = append(node.Properties, property("next", with(object(), func(s *openapi.Schema) { *s = openapi.Schema{AllOf: []*openapi.Schema{node}, Default: `{"n":1}`} })))
	_, found := Build(document(choose(t, operationOf(node), "body.n body.next|materialise", "", "")), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG307 the default of body.next could not be sent: it lacks what it is the default of, so it has no end"}, errorsOf(found))

	list := closed(property("n", withDefault(typed("integer"), "1")))
	list.Properties = append(list.Properties, property("kids", withDefault(array(list), `[]`)))
	v := mustBuild(t, choose(t, operationOf(list), "body.n|materialise body.kids|materialise", "", "")).Version
	text, refused := canonical(v, &canon.Request{Body: []byte(`{"kids":[{}]}`)})
	require.Empty(t, refused)
	assert.Equal(t, `{"body":{"kids":[{"kids":[],"n":"1"}],"n":"1"}}`, text)
}

func TestPathsOfBranches(t *testing.T) {
	for text, want := range map[string]string{
		"body.u{card}.number": "body.u.number", "body{a,b}": "body", `body.u{"odd } label","b"}[].x`: "body.u[].x", `body["a{b}"]{c}`: `body["a{b}"]`,
		`body.u{"\"}"}.x`: "body.u.x",
	} {
		assert.Equal(t, want, PlainPath(text))
		assert.True(t, isFieldPath(text), text)
	}
	for _, text := range []string{"body.u{}", "body.u{a", "body.u{a,}", "body.u{{a}}", "body.u}a"} {
		assert.False(t, isFieldPath(text), text)
	}
}

// The lock of contracts with unions and recursion reads back as it was written.
func TestLockOfShapes(t *testing.T) {
	node := closed(property("odd name{", typed("string")))
	node.Properties = append(node.Properties, property("kids", array(nullable(with(&openapi.Schema{AllOf: []*openapi.Schema{node}}, func(*openapi.Schema) {})))))
	u := discriminated(map[string]*openapi.Schema{"a b": kindOf("a", property("node", node)), `"}`: kindOf("b")})
	u.Discriminator.Property = "type"
	op := operationOf(closed(property("u!", u), property("v", oneOfSchemas(typed("string"), array(node)))))
	api, found := Build(document(op), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	lock, found := ParseLock(EncodeLock(api), "api.lock.yaml")
	require.Empty(t, errorsOf(found))
	want := api.Contracts[0].Version
	var got []Field
	got = append(got, lock.Contracts["createPayment"].Versions[1].Fields...)
	assert.Equal(t, want.Fields, got)
	assert.Contains(t, fieldLines(want), `body.u{"a b"}.node.kids[]: list/1 of (recursion of body.u{"a b"}.node null=distinct) optional`)
}

// Whoever names the elements has decided upon the arrays around them.
func TestElementsOfArraysInArrays(t *testing.T) {
	grid := func() *openapi.Operation {
		return operationOf(closed(property("grid", array(array(typed("integer"))))))
	}
	want := []string{"body: object required", "body.grid[]: list/1 optional", "body.grid[][]: set/1 of int/1"}
	assert.Equal(t, want, fieldLines(mustBuild(t, choose(t, grid(), "body.grid[][]=set", "", "")).Version))
	assert.Equal(t, want, fieldLines(mustBuild(t, choose(t, grid(), "body.grid body.grid[][]=set", "", "")).Version))
	assert.Equal(t, []string{"body: object required"}, fieldLines(mustBuild(t, choose(t, grid(), "", "body.grid[][]", "")).Version))
}

// Unions of unions that share their branches have more kinds of values than anybody could list.
func TestUnionsWithoutEnd(t *testing.T) {
	a, b := kindOf("a", property("n", typed("string"))), kindOf("b", property("n", typed("string")))
	x, y := a, b
	for range 60 {
		x, y = discriminated(map[string]*openapi.Schema{"a": x, "b": y}), discriminated(map[string]*openapi.Schema{"a": x, "b": y})
	}
	next := kindOf("a")
	for range 60 {
		next = discriminated(map[string]*openapi.Schema{"a": kindOf("a", property("next", next)), "b": kindOf("b", property("next", next))})
	}
	start := time.Now()
	for _, body := range []*openapi.Schema{x, next, closed(property("u", x))} {
		for _, mediaType := range []string{"application/json", "multipart/form-data"} {
			op := taking(openapi.Media{Type: mediaType, Schema: body})
			_, found := Build(document(op), Options{Base: "payments"})
			assert.Contains(t, strings.Join(errorsOf(found), ""), "IDG310 the body", "all of it")
			_, found = Build(document(choose(t, op, "body.type body.u.n body.next.next.next.next.type", "body.next.next.next.next.next.n", "reject")), Options{Base: "payments"})
			assert.NotEmpty(t, errorsOf(found))
		}
	}
	assert.Less(t, time.Since(start), 20*time.Second)
}
