package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// referenced is POST /accounts/{id}/payments with values that may name a payment.
func referenced(t testing.TB, unique ...string) *openapi.Operation {
	card := closed(property("kind!", typed("string")), property("number", typed("string")))
	bank := closed(property("kind!", typed("string")), property("iban", typed("string")))
	method := &openapi.Schema{OneOf: []*openapi.Schema{card, bank}, Discriminator: &openapi.Discriminator{Property: "kind",
		Mapping: []openapi.DiscriminatorBranch{{Value: "bank", Schema: bank}, {Value: "card", Schema: card}}}}
	op := operationOf(object(
		property("amount!", typed("number")),
		property("reference", nullable(typed("string"))),
		property("channel", withDefault(typed("string"), `"web"`)),
		property("number", &openapi.Schema{Types: []string{"string", "integer"}}),
		property("customer", nullable(object(property("ref", typed("string:uuid")), property("name", typed("string"))))),
		property("method", method),
		property("lines", array(typed("string"))),
		property("any", &openapi.Schema{}),
		property("made", readOnly(typed("string"))),
	), query("q", typed("string")), query("list", array(typed("string"))),
		openapi.Parameter{Pos: at(31), Name: "X-Ref", In: openapi.InHeader, Schema: typed("string")})
	op.Path = "/accounts/{id}/payments"
	op.Annotation.Unique = uniqueOf(t, unique...)
	return op
}

func TestBusinessKeyOfPlainValues(t *testing.T) {
	op := referenced(t, "path.id", "body.reference")
	choose(t, op, "body.amount body.reference=ascii-lower body.channel body.number body.customer body.method body.lines body.any query.q query.list path.id", "", "include")
	u := mustBuild(t, op).Unique
	require.NotNil(t, u)
	assert.Equal(t, []string{"body.reference", "path.id"}, u.Paths)
	assert.Equal(t, []string{"body: object required", "body.reference: ascii-lower/1 required", "path.id: exact/1 required"}, fieldLines(u.Version),
		"spellings are one value where they are for the fingerprint")
	assert.Empty(t, u.Version.Ignored)
	for body, want := range map[string]string{
		`{"amount":1,"reference":"A-1"}`:                           `{"body":{"reference":"a-1"},"path":{"id":"i"}}`,
		`{"reference":"a-1","amount":2,"lines":["x"],"else":[{}]}`: `{"body":{"reference":"a-1"},"path":{"id":"i"}}`,
		`{"amount":1}`:                  "",
		`{"amount":1,"reference":null}`: "",
		`{"amount":1,"reference":5}`:    "",
		`null`:                          "",
		``:                              "",
	} {
		text, refused := canonical(u.Version, &canon.Request{Body: []byte(body), Path: []string{"i"}})
		assert.Equal(t, want, text, body)
		assert.Equal(t, want == "", refused != "", body)
	}
}

// Every place on the way has to be there, be it optional and null for the fingerprint.
func TestBusinessKeyDemandsTheWay(t *testing.T) {
	op := referenced(t, "body.customer.ref", "query.q", "header.x-ref")
	op.Body.Required = false
	u := mustBuild(t, op).Unique
	assert.Equal(t, []string{"body.customer.ref", "header.x-ref", "query.q"}, u.Paths)
	assert.Equal(t, []string{"body: object required", "body.customer: object required", "body.customer.ref: uuid/1 required",
		"header.x-ref: exact/1 required", "query.q: exact/1 required"}, fieldLines(u.Version))
	assert.True(t, u.Version.Spec.Required)
	request := func(body, query string, header ...string) *canon.Request {
		return &canon.Request{Body: []byte(body), Query: query, Header: map[string][]string{"X-Ref": header}, Path: []string{"i"}}
	}
	const customer = `{"customer":{"ref":"0192A1B2-0000-7000-8000-00000000ABCD"}}`
	text, _ := canonical(u.Version, request(customer, "q=1", "h"))
	assert.Equal(t, `{"body":{"customer":{"ref":"0192a1b2-0000-7000-8000-00000000abcd"}},"header":{"x-ref":"h"},"query":{"q":"1"}}`, text)
	for _, r := range []*canon.Request{request(`{"customer":null}`, "q=1", "h"), request(`{}`, "q=1", "h"), request("", "q=1", "h"), request(customer, "", "h"), request(customer, "q=1")} {
		_, refused := canonical(u.Version, r)
		assert.NotEmpty(t, refused, "%s %s", r.Body, r.Query)
	}
}

// A missing member that means its default has it; every other one names nothing.
func TestBusinessKeyTakesMaterialisedDefaults(t *testing.T) {
	op := referenced(t, "body.channel", "body.reference")
	fp := openapi.Fingerprint{Mode: openapi.FingerprintFields, Unknown: set("include")}
	for _, text := range []string{"body.amount", "body.reference", "body.channel", "body.number", "body.customer", "body.method", "body.lines", "body.any", "query.q", "query.list", "path.id"} {
		r := openapi.FieldRule{Path: path(t, text)}
		if text == "body.channel" {
			r.Default = set("materialise")
		}
		fp.Fields = append(fp.Fields, r)
	}
	op.Annotation.Fingerprint = set(fp)
	u := mustBuild(t, op).Unique
	assert.Equal(t, []string{"body: object required", `body.channel: exact/1 optional default="web"`, "body.reference: exact/1 required"}, fieldLines(u.Version))
	text, _ := canonical(u.Version, &canon.Request{Body: []byte(`{"reference":"r"}`), Path: []string{"i"}})
	assert.Equal(t, `{"body":{"channel":"web","reference":"r"}}`, text)
	_, refused := canonical(u.Version, &canon.Request{Body: []byte(`{}`), Path: []string{"i"}})
	assert.NotEmpty(t, refused)
}

// The kind of a value counts, and a kind that lacks the value has no business key.
func TestBusinessKeyThroughUnions(t *testing.T) {
	api, found := Build(document(referenced(t, "body.method.number", "body.number")), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	assert.Equal(t, []string{"IDG311 body.method.number fits only some branches of body.method"}, warningsOf(found))
	v := api.Contracts[0].Unique.Version
	assert.Equal(t, []string{"body: object required", "body.method: union(kind) required", "body.method{card}: object", "body.method{card}.number: exact/1 required",
		"body.number: union required", "body.number{number}: int/1", "body.number{string}: exact/1"}, fieldLines(v))
	for body, want := range map[string]string{
		`{"number":5,"method":{"kind":"card","number":"n"}}`:           `{"body":{"method":{"card":{"number":"n"}},"number":{"number":"5"}}}`,
		`{"number":"5","method":{"kind":"card","number":"n"}}`:         `{"body":{"method":{"card":{"number":"n"}},"number":{"string":"5"}}}`,
		`{"number":"5","method":{"kind":"bank","iban":"i"}}`:           "",
		`{"number":true,"method":{"kind":"card","number":"n"}}`:        "",
		`{"number":null,"method":{"kind":"card","number":"n"}}`:        "",
		`{"number":5,"method":{"kind":"card"}}`:                        "",
		`{"number":5,"method":{"kind":"other","number":"n"}}`:          "",
		`{"number":5,"method":null}`:                                   "",
		`{"number":5,"method":{"kind":"card","number":"n","extra":1}}`: `{"body":{"method":{"card":{"number":"n"}},"number":{"number":"5"}}}`,
	} {
		text, _ := canonical(v, &canon.Request{Body: []byte(body), Path: []string{"i"}})
		assert.Equal(t, want, text, body)
	}
	lock, found := ParseLock(EncodeLock(api), "lock")
	require.Empty(t, found.All())
	assert.Equal(t, []string{"body.method.number", "body.number"}, lock.Contracts["createPayment"].Unique.paths())
}

// Nothing that a business key is not made of moves it.
func TestBusinessKeyIsMovedByItsValuesAlone(t *testing.T) {
	id := func(change func(*openapi.Operation)) canon.ContractID {
		op := referenced(t, "body.reference")
		change(op)
		return mustBuild(t, op).Unique.Version.ID
	}
	same := id(func(*openapi.Operation) {})
	body := func(op *openapi.Operation) *openapi.Schema { return op.Body.Media[0].Schema }
	for name, change := range map[string]func(*openapi.Operation){
		"required":      func(op *openapi.Operation) { body(op).Properties[1].Required = true },
		"not null":      func(op *openapi.Operation) { body(op).Properties[1].Schema = typed("string") },
		"a member less": func(op *openapi.Operation) { body(op).Properties = body(op).Properties[:2] },
		"closed":        func(op *openapi.Operation) { body(op).Additional = openapi.Additional{Set: true} },
		"optional body": func(op *openapi.Operation) { op.Body.Required = false },
		"none compared": func(op *openapi.Operation) {
			op.Annotation.Fingerprint = set(openapi.Fingerprint{Mode: openapi.FingerprintNone})
		},
		"another policy": func(op *openapi.Operation) {
			op.Annotation.Fingerprint = set(openapi.Fingerprint{Mode: openapi.FingerprintAll, Unknown: set("ignore")})
		},
	} {
		assert.Equal(t, same, id(change), name)
	}
	for name, change := range map[string]func(*openapi.Operation){
		"another type": func(op *openapi.Operation) { body(op).Properties[1].Schema = typed("integer") },
		"a value more": func(op *openapi.Operation) { op.Annotation.Unique = uniqueOf(t, "body.reference", "path.id") },
	} {
		assert.NotEqual(t, same, id(change), name)
	}
}

// Where nothing is compared the media types still have to name a thing alike.
func TestBusinessKeyIsOneInAllMediaTypes(t *testing.T) {
	build := func(form *openapi.Schema) diag.List {
		op := operationOf(object(property("reference", typed("string")), property("note", typed("string"))))
		op.Body.Media = append(op.Body.Media, openapi.Media{Pos: at(11), Type: "application/x-www-form-urlencoded", Schema: form})
		op.Annotation.Fingerprint = set(openapi.Fingerprint{Mode: openapi.FingerprintNone})
		op.Annotation.Unique = uniqueOf(t, "body.reference")
		_, found := Build(document(op), Options{Base: "payments"})
		return found
	}
	assert.Empty(t, errorsOf(build(object(property("reference!", typed("string")), property("other", typed("integer"))))))
	for _, form := range []*openapi.Schema{object(property("reference", typed("integer"))), object(property("ref", typed("string")))} {
		assert.Equal(t, []string{"IDG312 POST /payments: application/x-www-form-urlencoded leads to other fields than application/json"}, errorsOf(build(form)))
	}
}

// A business key and a fingerprint of the same values are two digests.
func TestBusinessKeyIsNoFingerprint(t *testing.T) {
	op := operationOf(closed(property("reference!", typed("string"))))
	op.Annotation.Unique = uniqueOf(t, "body.reference")
	c := mustBuild(t, op)
	assert.Equal(t, fieldLines(c.Version), fieldLines(c.Unique.Version))
	assert.NotEqual(t, c.Version.ID, c.Unique.Version.ID)
	assert.NotEqual(t, c.Name, c.Unique.DigestName(c.Name))
	assert.False(t, validName(c.Unique.DigestName(c.Name)), "no contract can have this name")
}

func TestWhatNamesNothing(t *testing.T) {
	for path, want := range map[string]string{
		"body.lines":          "IDG322 body.lines is an array, no single value",
		"body.customer":       "IDG322 body.customer is an object, no single value",
		"body.any":            "IDG322 body.any is a schema without a type, no single value",
		"query.list":          "IDG322 query.list is no single value",
		"body.made":           "IDG308 body.made is readOnly and never counts",
		"header.x-undeclared": "IDG303 header.x-undeclared is not declared",
		"body.referenc":       "IDG303 body.referenc is not declared",
		"body.method":         "IDG322 body.method is a union, no single value",
	} {
		_, found := Build(document(referenced(t, path)), Options{Base: "payments"})
		assert.Equal(t, []string{want}, errorsOf(found), path)
	}
	op := referenced(t, "body.reference")
	op.Annotation.Key = set(openapi.Key{From: set(path(t, "body.reference"))})
	_, found := Build(document(op), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG308 body.reference is the idempotency key and never counts"}, errorsOf(found))
}

// What counts and what nobody may guess is said of the value or of what it stands in.
func TestSensitiveAndIgnoredValuesNameNothing(t *testing.T) {
	const rest = "body.amount body.channel body.number body.method body.lines body.any query.q query.list path.id"
	build := func(unique, fields, ignored string, sensitive string) diag.List {
		op := choose(t, referenced(t, unique), fields, ignored, "include")
		for i, f := range op.Annotation.Fingerprint.Value.Fields {
			if f.Path.String() == sensitive {
				op.Annotation.Fingerprint.Value.Fields[i].Sensitive = set(true)
			}
		}
		_, found := Build(document(op), Options{Base: "payments"})
		return found
	}
	secret := " is sensitive: a business key is found by a digest without a secret, and its values could be guessed from that"
	without := " is ignored: a request that names another thing would be the same command, and get the answer about the first"
	for _, c := range []struct{ unique, fields, ignored, sensitive, want string }{
		{"body.reference", rest + " body.reference body.customer", "", "body.reference", "IDG316 body.reference" + secret},
		{"body.customer.ref", rest + " body.reference body.customer", "", "body.customer", "IDG316 body.customer.ref" + secret},
		{"query.q", rest + " body.reference body.customer", "", "query.q", "IDG316 query.q" + secret},
		{"body.reference", rest + " body.customer", "body.reference", "", "IDG316 body.reference" + without},
		{"body.customer.ref", rest + " body.reference", "body.customer", "", "IDG316 body.customer.ref" + without},
		{"body.customer.ref", rest + " body.reference body.customer.ref", "body.customer", "", ""},
		{"body.customer.ref", rest + " body.reference body.customer", "body.customer.name", "", ""},
		{"body.reference", rest + " body.reference body.customer", "", "body.customer", ""},
	} {
		found := build(c.unique, c.fields, c.ignored, c.sensitive)
		if c.want == "" {
			assert.Empty(t, errorsOf(found), c.unique)
			continue
		}
		require.Equal(t, []string{c.want}, errorsOf(found))
		for _, d := range found.All() {
			if d.Code == diag.UniqueMisfit {
				assert.Len(t, d.Related, 1)
			}
		}
	}
}
