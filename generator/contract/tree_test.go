package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

func TestLinesOfAllKindsOfSchemas(t *testing.T) {
	recursive := object(property("value", typed("integer")))
	recursive.Properties = append(recursive.Properties, property("next", recursive), property("all", array(recursive)))
	for _, c := range []struct {
		name   string
		schema *openapi.Schema
		want   []string
	}{
		{"text formats", object(
			property("a", typed("string:decimal")), property("b", typed("string:int64")), property("c", typed("string:date-time")), property("d", typed("string:uuid")),
			property("e", typed("string:byte")), property("f", typed("string:binary")), property("g", typed("string:date")), property("h", typed("string:email")),
			property("i", with(typed("string"), func(s *openapi.Schema) { s.Encoding = "base64" })),
			property("j", with(typed("string:date-time"), func(s *openapi.Schema) { s.Enum = []string{`"a"`} })),
		), []string{"body: object required", "body.a: decimal/1 optional", "body.b: int/1 optional", "body.c: instant/1 optional", "body.d: uuid/1 optional",
			"body.e: base64/1 optional", "body.f: exact/1 optional", "body.g: exact/1 optional", "body.h: exact/1 optional", "body.i: base64/1 optional", "body.j: exact/1 optional"}},
		{"scalars", object(property("a", typed("integer")), property("b", typed("number")), property("c", typed("boolean")),
			property("d", &openapi.Schema{Types: []string{"integer", "number"}})),
			[]string{"body: object required", "body.a: int/1 optional", "body.b: decimal/1 optional", "body.c: boolean/1 optional", "body.d: decimal/1 optional"}},
		{"what is any value", object(property("a", &openapi.Schema{}), property("b", typed("object")), property("c", &openapi.Schema{OneOf: []*openapi.Schema{typed("string"), typed("string:uuid")}}),
			property("e", nil)),
			[]string{"body: object required", "body.a: generic/1 optional", "body.b: generic/1 optional", "body.c: generic/1 optional", "body.e: generic/1 optional"}},
		{"a list of types, and a union of them", object(property("c", &openapi.Schema{Types: []string{"string", "integer"}}),
			property("d", &openapi.Schema{OneOf: []*openapi.Schema{typed("string"), object()}})),
			[]string{"body: object required", "body.c: union optional", "body.c{number}: int/1", "body.c{string}: exact/1", "body.d: union optional", "body.d{object}: generic/1", "body.d{string}: exact/1"}},
		{"recursion goes back", recursive,
			[]string{"body: object required", "body.all[]: list/1 of (recursion of body) optional", "body.next: recursion of body optional", "body.value: int/1 optional"}},
		{"null", object(property("a", nullable(typed("string"))), property("b", nullable(closed(property("x", typed("string"))))), property("c", nullable(array(nullable(typed("string"))))),
			property("d", array(nullable(closed())))),
			[]string{"body: object required", "body.a: exact/1 optional null=distinct", "body.b: object optional null=distinct unknown=reject", "body.b.x: exact/1 optional",
				"body.c[]: list/1 of (exact/1 null=distinct) optional null=distinct", "body.d[]: list/1 of (object null=distinct unknown=reject) optional"}},
		{"maps and arrays", object(property("a", mapOf(typed("integer"))), property("b", array(array(typed("number")))), property("c", mapOf(mapOf(array(typed("string"))))),
			property("d", array(mapOf(typed("string")))), property("e", with(mapOf(typed("string")), func(s *openapi.Schema) { s.Properties = []openapi.Property{property("x!", typed("integer"))} }))),
			[]string{"body: object required", "body.a: map optional", "body.a.*: int/1", "body.b[]: list/1 optional", "body.b[][]: list/1 of decimal/1",
				"body.c: map optional", "body.c.*: map", "body.c.*.*[]: list/1 of exact/1", "body.d[]: list/1 of map optional", "body.d[].*: exact/1",
				"body.e: map optional", "body.e.x: int/1 required", "body.e.*: exact/1"}},
		{"a type that is not written", &openapi.Schema{Properties: []openapi.Property{property("a", &openapi.Schema{Items: typed("string")}), property("b", &openapi.Schema{Enum: []string{`"x"`}}),
			property("c", &openapi.Schema{Enum: []string{`"x"`, "null"}, Nullable: true}), property("d", &openapi.Schema{Enum: []string{`"x"`, "1"}}), property("e", &openapi.Schema{Enum: []string{"null"}, Nullable: true})}},
			[]string{"body: object required", "body.a[]: list/1 of exact/1 optional", "body.b: exact/1 optional", "body.c: exact/1 optional null=distinct", "body.d: generic/1 optional", "body.e: generic/1 optional"}},
		{"a body that is no object", array(typed("string")), []string{"body[]: list/1 of exact/1 required"}},
		{"a body that is any value", &openapi.Schema{}, []string{"body: generic/1 required"}},
		{"oneOf that only demands members", with(object(property("a", typed("string")), property("b", typed("string"))), func(s *openapi.Schema) {
			s.OneOf = []*openapi.Schema{{Properties: []openapi.Property{property("a!", nil)}}, {Properties: []openapi.Property{property("b!", &openapi.Schema{})}}}
		}), []string{"body: object required", "body.a: exact/1 optional", "body.b: exact/1 optional"}},
		{"anything or text is no text", object(property("a", &openapi.Schema{AnyOf: []*openapi.Schema{{}, typed("string")}})),
			[]string{"body: object required", "body.a: generic/1 optional"}},
		{"null in a part of allOf", object(property("a", &openapi.Schema{AllOf: []*openapi.Schema{nullable(typed("string")), {Description: "a note"}}}),
			property("b", &openapi.Schema{AllOf: []*openapi.Schema{nullable(typed("string")), typed("string")}})),
			[]string{"body: object required", "body.a: exact/1 optional null=distinct", "body.b: exact/1 optional"}},
		{"a closed part closes a map", &openapi.Schema{AllOf: []*openapi.Schema{mapOf(typed("string")), closed(property("a", typed("string")))}},
			[]string{"body: object required", "body.a: exact/1 optional"}},
		{"canonical order", object(property("b", typed("string")), property("B", typed("string")), property("\ufb33", typed("string")), property("\U0001f602", typed("string"))),
			[]string{"body: object required", "body.B: exact/1 optional", "body.b: exact/1 optional", "body.\U0001f602: exact/1 optional", "body.\ufb33: exact/1 optional"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, fieldLines(mustBuild(t, operationOf(c.schema)).Version))
		})
	}
}

func TestAllOfHoldsAtOnce(t *testing.T) {
	base := object(property("id", typed("string")), property("amount", typed("number")))
	demand := &openapi.Schema{Properties: []openapi.Property{property("amount!", nil)}}
	narrow := object(property("amount", typed("integer")), property("ref", &openapi.Schema{AllOf: []*openapi.Schema{base}, Nullable: true}))
	body := &openapi.Schema{AllOf: []*openapi.Schema{base, demand, {AllOf: []*openapi.Schema{narrow, base}}}}
	body.AllOf = append(body.AllOf, body) // a schema may consist of itself
	assert.Equal(t, []string{
		"body: object required", "body.amount: int/1 required", "body.id: exact/1 optional",
		"body.ref: object optional null=distinct", "body.ref.amount: decimal/1 optional", "body.ref.id: exact/1 optional",
	}, fieldLines(mustBuild(t, operationOf(body)).Version))
}

func TestSharedSchemaIsNoRecursion(t *testing.T) {
	money := closed(property("value!", typed("string:decimal")))
	body := closed(property("price", money), property("tip", money), property("lines", array(closed(property("price", money)))))
	assert.NotContains(t, strings.Join(fieldLines(mustBuild(t, operationOf(body)).Version), "\n"), "generic")
}

func TestMutualRecursion(t *testing.T) {
	a, b := object(property("x", typed("string"))), object(property("y", typed("string")))
	a.Properties = append(a.Properties, property("b", b))
	b.Properties = append(b.Properties, property("a", a))
	assert.Equal(t, []string{"body: object required", "body.b: object optional", "body.b.a: recursion of body optional", "body.b.y: exact/1 optional", "body.x: exact/1 optional"},
		fieldLines(mustBuild(t, operationOf(a)).Version))
	assert.Equal(t, TypeRaw, field(t, field(t, mustBuild(t, operationOf(a)).BodyType, "b").Type, "a").Type.Kind)
}

// bomb unfolds to 2^levels fields, from as many schemas as it has levels.
func bomb(levels int) *openapi.Schema {
	s := typed("string")
	for i := range levels {
		s = with(object(property("a", s), property("b", s)), func(s *openapi.Schema) { s.Name = fmt.Sprint("L", i) })
	}
	return s
}

func TestSchemasThatUnfoldWithoutEnd(t *testing.T) {
	t.Cleanup(func(start time.Time) func() {
		return func() { assert.Less(t, time.Since(start), 5*time.Second) }
	}(time.Now()))
	large := func() *openapi.Operation {
		return operationOf(object(property("small", typed("string")), property("large", bomb(60))))
	}
	build := func(op *openapi.Operation) ([]string, *API) {
		api, found := Build(document(op), Options{Base: "payments"})
		return errorsOf(found), api
	}

	got, _ := build(large())
	assert.Equal(t, []string{"IDG310 the body has more than 5000 fields, most of them below body.large"}, got)
	got, _ = build(choose(t, large(), "body.small body.large", "", "reject"))
	assert.Equal(t, []string{"IDG310 the body has more than 5000 fields, most of them below body.large"}, got)

	got, api := build(choose(t, large(), "body.small body.large=generic", "", "reject"))
	require.Empty(t, got, "a value that counts as a whole is not unfolded")
	assert.Equal(t, []string{"body: object required", "body.large: generic/1 optional", "body.small: exact/1 optional"}, fieldLines(api.Contracts[0].Version))
	got, api = build(choose(t, large(), "body.small", "body.large", "reject"))
	require.Empty(t, got, "nor is what is ignored")
	assert.Equal(t, TypeStruct, field(t, api.Contracts[0].BodyType, "large").Type.Kind, "and each structure has one type")

	got, _ = build(choose(t, large(), "body.small", "", "reject"))
	assert.Equal(t, "IDG301 body.large is neither in fields nor in ignored", got[0], "what is wholly undecided is one part")

	deep := typed("string")
	for range 70 {
		deep = closed(property("a", deep))
	}
	got, _ = build(operationOf(deep))
	assert.Equal(t, []string{"IDG310 the body is more than 64 levels deep, most of them below body.a"}, got)

	union := &openapi.Schema{OneOf: []*openapi.Schema{typed("string"), typed("integer")}}
	for range 60 {
		union = &openapi.Schema{OneOf: []*openapi.Schema{union, union, typed("string")}}
	}
	op := operationOf(object(property("u", union)))
	op.Annotation.Scope.Value.Now = append(op.Annotation.Scope.Value.Now, openapi.ScopeTerm{Path: fieldPath(path(t, "body.u.x.y.z"))})
	got, _ = build(op)
	assert.Equal(t, []string{"IDG303 body.u.x.y.z is not declared"}, got)

	both := typed("string")
	for range 60 {
		both = &openapi.Schema{AllOf: []*openapi.Schema{both, both}}
	}
	got, _ = build(operationOf(object(property("a", both))))
	assert.Empty(t, got)
}

func fieldPath(p openapi.FieldPath) *openapi.FieldPath { return &p }

func TestDecisionsNest(t *testing.T) {
	body := func() *openapi.Schema {
		return object(
			property("a", object(property("x", typed("string")), property("y", object(property("p", typed("string")), property("q", typed("string")))))),
			property("m", with(mapOf(typed("string")), func(s *openapi.Schema) { s.Properties = []openapi.Property{property("k", typed("string"))} })),
		)
	}
	for _, c := range []struct {
		name, fields, ignored, unknown, in, want string
	}{
		{"ignored inside selected", "body.a", "body.a.y body.m", "include", `{"a":{"x":"1","y":{"p":"2"},"z":3}}`, `{"body":{"a":{"x":"1","z":{"number":"3"}}}}`},
		{"selected inside ignored", "body.a.y.p", "body.a body.m", "include", `{"a":{"x":"1","y":{"p":"2","q":"3","r":4},"z":3}}`, `{"body":{"a":{"y":{"p":"2"}}}}`},
		{"an object on the way stands", "body.a.x", "body.a.y.p body.a.y.q body.m", "ignore", `{"a":{"y":{"p":"2"}}}`, `{"body":{"a":{"y":{}}}}`},
		{"only ignored members", "", "body.a body.m", "reject", `{"a":{}}`, `{"body":{}}`},
		{"the whole body", "body", "", "reject", `{"a":{"x":"1"},"m":{"k":"1","l":"2"}}`, `{"body":{"a":{"x":"1"},"m":{"k":"1","l":"2"}}}`},
		{"all but the body", "", "body", "", `{"a":{"x":"1"}}`, `{}`},
		{"entries without a declared member", "body.a body.m.*", "body.m.k", "reject", `{"m":{"k":"1","l":"2"}}`, `{"body":{"m":{"l":"2"}}}`},
		{"a declared member without entries", "body.a body.m.k", "body.m.*", "reject", `{"m":{"k":"1","l":"2"}}`, `{"body":{"m":{"k":"1"}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := mustBuild(t, choose(t, operationOf(body()), c.fields, c.ignored, c.unknown)).Version
			text, refused := canonical(v, &canon.Request{Body: []byte(c.in)})
			require.Empty(t, refused)
			assert.Equal(t, c.want, text)
		})
	}
}

func TestValuesThroughTheContract(t *testing.T) {
	op := operationOf(object(
		property("amount", withDefault(typed("number"), "10.50")),
		property("currency", withDefault(typed("string"), `"EUR"`)),
		property("note", nullable(typed("string"))),
		property("tags", withDefault(array(typed("string")), `["b","a"]`)),
		property("extra", withDefault(typed("object"), `{"n":1}`)),
		property("id!", readOnly(typed("string"))),
		property("token", typed("string")),
	), query("page", withDefault(typed("integer"), "1")), query("tags", array(typed("string"))),
		openapi.Parameter{Name: "X-Version", In: openapi.InHeader, Style: "simple", Schema: typed("string")})
	op.Annotation.Key = set(openapi.Key{From: set(path(t, "body.token"))})
	choose(t, op, "body.amount|materialise body.currency=ascii-upper|materialise body.note|absent body.tags=set|materialise body.extra|materialise query.page|materialise query.tags=set query.tags[]=ascii-lower header.x-version", "", "include")
	c := mustBuild(t, op)
	assert.Equal(t, []string{
		"body: object required",
		"body.amount: decimal/1 optional default=\"10.5\"",
		"body.currency: ascii-upper/1 optional default=\"EUR\"",
		`body.extra: generic/1 optional default={"object":{"n":{"number":"1"}}}`,
		"body.note: exact/1 optional null=absent",
		`body.tags[]: set/1 of exact/1 optional default=["a","b"]`,
		"header.x-version: exact/1 optional",
		`query.page: int/1 optional default="1"`,
		"query.tags[]: set/1 of ascii-lower/1 optional",
	}, fieldLines(c.Version))
	assert.Equal(t, []string{"body.id", "body.token"}, c.Version.Ignored)
	assert.Equal(t, Key{From: "body.token", In: "body", Path: []string{"token"}, Required: true, MinLength: 1, MaxLength: 255}, c.Key)

	full := `{"body":{"amount":"10.5","currency":"EUR","extra":{"object":{"n":{"number":"1"}}},"tags":["a","b"]},"header":{"x-version":"2"},"query":{"page":"1","tags":["x"]}}`
	for _, body := range []string{`{}`, `{"amount":10.50,"currency":"eur","note":null,"token":"k","id":"sent"}`, `{"tags":["b","a","b"],"extra":{"n":1.0}}`} {
		text, refused := canonical(c.Version, &canon.Request{Body: []byte(body), Query: "tags=X&tags=x", Header: map[string][]string{"X-Version": {"2"}}})
		require.Empty(t, refused)
		assert.Equal(t, full, text, body)
	}
}

func TestParameterStyles(t *testing.T) {
	list := func(style string, explode bool) openapi.Parameter {
		p := query("q", array(typed("integer")))
		p.Style, p.Explode = style, explode
		return p
	}
	for _, c := range []struct {
		name  string
		param openapi.Parameter
		query string
		rule  string
	}{
		{"repeated", list("form", true), "q=1&q=2", "query.q[]: list/1 of int/1 optional"},
		{"commas", list("form", false), "q=1,2", `query.q[]: list/1 of int/1 optional split=","`},
		{"blanks", list("spaceDelimited", false), "q=1%202", `query.q[]: list/1 of int/1 optional split=" "`},
		{"bars", list("pipeDelimited", false), "q=1|2", `query.q[]: list/1 of int/1 optional split="|"`},
		{"blanks, exploded", list("spaceDelimited", true), "q=1&q=2", "query.q[]: list/1 of int/1 optional"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := mustBuild(t, operationOf(nil, c.param)).Version
			assert.Equal(t, []string{c.rule}, fieldLines(v))
			text, refused := canonical(v, &canon.Request{Query: c.query})
			require.Empty(t, refused)
			assert.Equal(t, `{"query":{"q":["1","2"]}}`, text)
		})
	}
	header := openapi.Parameter{Name: "X-List", In: openapi.InHeader, Style: "simple", Explode: true, Schema: array(typed("string"))}
	inPath := openapi.Parameter{Name: "ids", In: openapi.InPath, Style: "simple", Required: true, Schema: array(typed("string"))}
	op := operationOf(nil, header, inPath, query("u", &openapi.Schema{OneOf: []*openapi.Schema{typed("string"), typed("integer")}}))
	op.Path = "/things/{ids}/{undeclared}"
	choose(t, op, "header.X-List path.ids path.undeclared query.u", "", "")
	assert.Equal(t, []string{`header.x-list[]: list/1 of exact/1 optional split=","`, `path.ids[]: list/1 of exact/1 required split=","`, "path.undeclared: exact/1 required", "query.u: exact/1 optional"},
		fieldLines(mustBuild(t, op).Version))
}

func TestWhatIsUndecidedAltogether(t *testing.T) {
	build := func(op *openapi.Operation) []string {
		_, found := Build(document(choose(t, op, "query.q", "", "reject")), Options{Base: "payments"})
		return errorsOf(found)
	}
	inner := closed(property("x", typed("string")))
	assert.Equal(t, []string{"IDG301 body.a is neither in fields nor in ignored", "IDG301 body.b is neither in fields nor in ignored"},
		build(operationOf(closed(property("a", inner), property("b", typed("string"))), query("q", typed("string")))), "the body's members, one by one")
	assert.Equal(t, []string{"IDG301 body is neither in fields nor in ignored"},
		build(operationOf(closed(property("id", readOnly(typed("string")))), query("q", typed("string")))), "a body of which no member can count")
	assert.Equal(t, []string{"IDG301 body is neither in fields nor in ignored"}, build(operationOf(array(typed("string")), query("q", typed("string")))))
}

func TestNothingInsideReadOnlyCounts(t *testing.T) {
	op := operationOf(closed(property("stamp", readOnly(closed(property("at", typed("string")))))),
		openapi.Parameter{Name: "Idempotency-Key", In: openapi.InHeader, Required: true, Schema: typed("string")})
	_, found := Build(document(choose(t, op, "body.stamp.at header.Idempotency-Key", "", "")), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG301 body is neither in fields nor in ignored", "IDG308 body.stamp.at is readOnly and never counts",
		"IDG308 header.Idempotency-Key is the idempotency key and never counts"}, errorsOf(found))
}

func TestHintsNameTheNearestSpelling(t *testing.T) {
	body := closed(property("amount!", typed("number")), property("lines", array(closed(property("sku", typed("string"))))), property("labels", mapOf(closed(property("x", typed("string"))))))
	for text, want := range map[string]string{
		"body.amuont":      "body.amount",
		"body.Amount":      "body.amount",
		"body.lines.sku":   "body.lines[].sku",
		"body.lines[].skU": "body.lines[].sku",
		"body.lines.*.sku": "body.lines[].sku",
		"body.labels.foo":  "body.labels.*",
		"body.labels[].x":  "body.labels.*.x",
		"body.amount[]":    "body.amount",
		"body.amount.x":    "",
		"query.dry-run":    "query.dry_run",
		"body.zzzzzzzz":    "body.amount\nbody.labels\nbody.lines",
	} {
		op := choose(t, operationOf(body, query("dry_run", typed("boolean"))), "body", "", "reject")
		op.Annotation.Fingerprint.Value.Ignored = []openapi.FieldPath{path(t, "query.dry_run"), path(t, text)}
		_, found := Build(document(op), Options{Base: "payments"})
		require.Equal(t, []string{"IDG303 " + text + " is not declared"}, errorsOf(found))
		assert.Equal(t, want, found.All()[0].Hint, text)
	}
}
