package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// taking is an operation whose body is declared with media types, each with its schema.
func taking(media ...openapi.Media) *openapi.Operation {
	op := operationOf(object())
	op.Body.Media = media
	for i := range media {
		media[i].Pos = at(50 + i)
	}
	return op
}

func TestMediaTypesThatAreTaken(t *testing.T) {
	body := object(property("a", typed("string")))
	binary := typed("string:binary")
	for _, c := range []struct {
		name     string
		media    []openapi.Media
		want     canon.BodySpec
		lines    []string
		warnings int
	}{
		{"JSON in every spelling", []openapi.Media{{Type: "Application/JSON; charset=utf-8", Schema: body}, {Type: "application/vnd.x+json", Schema: body}},
			canon.BodySpec{Accepts: []canon.Media{canon.JSON}}, []string{"body: object required", "body.a: exact/1 optional"}, 0},
		{"any type is JSON", []openapi.Media{{Type: "*/*", Schema: body}}, canon.BodySpec{Accepts: []canon.Media{canon.JSON}}, []string{"body: object required", "body.a: exact/1 optional"}, 0},
		{"any type of bytes", []openapi.Media{{Type: "*/*", Schema: binary}}, canon.BodySpec{Accepts: []canon.Media{canon.Octets}, Types: []string{"*/*"}}, []string{"body: digest/1 required"}, 0},
		{"what has members is one", []openapi.Media{{Type: "multipart/form-data", Schema: body}, {Type: "application/x-www-form-urlencoded", Schema: body}, {Type: "application/json", Schema: body}},
			canon.BodySpec{Accepts: []canon.Media{canon.JSON, canon.Form, canon.Multipart}}, []string{"body: object required", "body.a: exact/1 optional"}, 0},
		{"beside it nothing else is taken", []openapi.Media{{Type: "text/plain", Schema: typed("string")}, {Type: "application/json", Schema: body}, {Type: "application/xml"}},
			canon.BodySpec{Accepts: []canon.Media{canon.JSON}}, []string{"body: object required", "body.a: exact/1 optional"}, 1},
		{"text", []openapi.Media{{Type: "text/plain", Schema: typed("string:uuid")}, {Type: "text/csv", Schema: typed("string:uuid")}},
			canon.BodySpec{Accepts: []canon.Media{canon.Text}, Types: []string{"text/csv"}}, []string{"body: uuid/1 required"}, 0},
		{"text is text whatever its schema says", []openapi.Media{{Type: "text/plain", Schema: body}}, canon.BodySpec{Accepts: []canon.Media{canon.Text}}, []string{"body: exact/1 required"}, 0},
		{"text beside bytes is bytes", []openapi.Media{{Type: "text/plain", Schema: typed("string")}, {Type: "image/png"}, {Type: "image/png; q=1"}},
			canon.BodySpec{Accepts: []canon.Media{canon.Octets}, Types: []string{"image/png", "text/plain"}}, []string{"body: digest/1 required"}, 0},
		{"XML", []openapi.Media{{Type: "text/xml", Schema: body}}, canon.BodySpec{Accepts: []canon.Media{canon.Octets}, Types: []string{"text/xml"}}, []string{"body: digest/1 required"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			op := taking(c.media...)
			api, found := Build(document(op), Options{Base: "payments"})
			require.Empty(t, errorsOf(found))
			assert.Len(t, warningsOf(found), c.warnings)
			c.want.Required = true
			assert.Equal(t, c.want, api.Contracts[0].Version.Spec)
			assert.Equal(t, c.want, api.Contracts[0].Spec)
			assert.Equal(t, c.lines, fieldLines(api.Contracts[0].Version))
		})
	}
	for _, mediaType := range []string{"multipart/mixed", "json", "text/", "/plain"} {
		_, found := Build(document(taking(openapi.Media{Type: mediaType})), Options{Base: "payments"})
		assert.Equal(t, []string{"IDG340 POST /payments: a body of type " + mediaType + " is not supported by this version"}, errorsOf(found))
	}
}

// Whether a body counts or not, the command is read from what the operation takes.
func TestSpecOfABodyThatDoesNotCount(t *testing.T) {
	op := choose(t, taking(openapi.Media{Type: "application/x-www-form-urlencoded", Schema: object(property("a", typed("string")))}), "", "body", "")
	c := mustBuild(t, op)
	assert.Equal(t, canon.BodySpec{}, c.Version.Spec)
	assert.Equal(t, canon.BodySpec{Required: true, Accepts: []canon.Media{canon.Form}}, c.Spec)
}

func TestParts(t *testing.T) {
	binary := typed("string:binary")
	body := closed(property("file", binary), property("any", &openapi.Schema{}), property("pdf", with(typed("string"), func(s *openapi.Schema) { s.MediaType = "application/pdf" })),
		property("b64", with(typed("string"), func(s *openapi.Schema) { s.MediaType, s.Encoding = "image/png", "base64" })), property("text", typed("string")), property("n", array(typed("integer"))),
		property("files", array(binary)), property("o", closed(property("inner", binary))), property("os", array(closed())), property("free", typed("object")),
		property("xml", closed(property("x", typed("string")))), property("json", typed("string")), property("either", oneOfSchemas(binary, array(binary))), property("plain", closed(property("x", typed("string")))))
	op := taking(openapi.Media{Type: "multipart/form-data", Schema: body, Encoding: map[string]openapi.Encoding{
		"xml": {ContentType: "application/xml"}, "json": {ContentType: "application/vnd.x+json"}, "plain": {ContentType: "text/plain"}, "file": {ContentType: "text/csv"}}})
	c := mustBuild(t, op)
	kinds := map[string]canon.PartKind{}
	for _, p := range c.Spec.Parts {
		kinds[p.Name] = p.Kind
	}
	assert.Equal(t, map[string]canon.PartKind{"file": canon.FilePart, "any": canon.FilePart, "pdf": canon.FilePart, "files": canon.FilePart, "xml": canon.FilePart, "either": canon.FilePart,
		"o": canon.JSONPart, "os": canon.JSONPart, "free": canon.JSONPart, "json": canon.JSONPart}, kinds)
	assert.Equal(t, []string{"body: object required", "body.any: digest/1 optional", "body.b64: base64/1 optional", "body.either: union optional", "body.either{array}[]: list/1 of digest/1",
		"body.either{string}: digest/1", "body.file: digest/1 optional", "body.files[]: list/1 of digest/1 optional", "body.free: generic/1 optional", "body.json: exact/1 optional",
		"body.n[]: list/1 of int/1 optional", "body.o: object optional", "body.o.inner: exact/1 optional", "body.os[]: list/1 of object optional", "body.pdf: digest/1 optional",
		"body.plain: object optional", "body.plain.x: exact/1 optional", "body.text: exact/1 optional", "body.xml: digest/1 optional"}, fieldLines(c.Version))
	assert.Equal(t, TypeBytes, field(t, c.BodyType, "file").Type.Kind)
	assert.Equal(t, TypeBytes, field(t, c.BodyType, "files").Type.Elem.Kind)
	assert.Equal(t, TypeBytes, field(t, c.BodyType, "xml").Type.Kind)
	assert.Equal(t, TypeString, field(t, field(t, c.BodyType, "o").Type, "inner").Type.Kind)

	_, found := Build(document(choose(t, op, "body.file=exact body.files=set body.text=digest body.o.inner=digest body.pdf=digest body.any body.b64 body.n body.os body.free body.xml body.json body.either body.plain", "", "")), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG305 body.file: exact does not fit a file", "IDG305 body.o.inner: digest does not fit a string", "IDG305 body.text: digest does not fit a string"}, errorsOf(found))
}

// In a form every single value is a text: a number and an object can be told apart in JSON alone.
func TestUnionsInForms(t *testing.T) {
	body := func() *openapi.Schema {
		return closed(property("a", oneOfSchemas(typed("integer"), closed())), property("b", oneOfSchemas(typed("string"), typed("integer"))), property("c", oneOfSchemas(array(typed("string")), closed())))
	}
	lines := func(mediaType string) []string {
		return fieldLines(mustBuild(t, taking(openapi.Media{Type: mediaType, Schema: body()})).Version)
	}
	assert.Contains(t, lines("application/json"), "body.a: union optional")
	for _, mediaType := range []string{"application/x-www-form-urlencoded", "multipart/form-data"} {
		got := lines(mediaType)
		assert.Contains(t, got, "body.a: generic/1 optional")
		assert.Contains(t, got, "body.b: union optional")
		assert.Contains(t, got, "body.c: union optional")
	}
}

func TestSensitiveIsNoPartOfTheID(t *testing.T) {
	body := closed(property("a", typed("string")), property("o", closed(property("x", typed("string")))), property("l", array(typed("string"))))
	plain := mustBuild(t, choose(t, operationOf(body), "body.a body.o body.l", "", "")).Version
	op := choose(t, operationOf(body), "body.a body.o body.l[]", "", "")
	for i := range op.Annotation.Fingerprint.Value.Fields {
		op.Annotation.Fingerprint.Value.Fields[i].Sensitive = set(true)
	}
	v := mustBuild(t, op).Version
	assert.Equal(t, plain.ID, v.ID)
	assert.Empty(t, plain.Sensitive)
	assert.Equal(t, []int{1, 2, 3, 4}, v.Sensitive, "all but the body: what stands inside is sensitive too")
	api := &API{Contracts: []*Contract{{Name: "c", Compare: true, Version: v, Method: "POST", Path: "/", Key: Key{From: "header.K", MinLength: 1, MaxLength: 2}, Keyspace: "c", RetentionText: "24h", Execution: "transactional"}}}
	api.Contracts[0].Version.Number, api.Contracts[0].Version.RetentionText = 1, "24h"
	lock, found := ParseLock(EncodeLock(api), "api.lock.yaml")
	require.Empty(t, errorsOf(found))
	assert.Equal(t, v.Fields, lock.Contracts["c"].Versions[1].Fields)
}

// A field of a command is never called like the method that some commands have.
func TestNoFieldIsCalledUnmarshalJSON(t *testing.T) {
	c := mustBuild(t, operationOf(object(property("unmarshalJson", typed("string")), property(`a"b`, typed("string")))))
	assert.Equal(t, "UnmarshalJSON2", field(t, c.BodyType, "unmarshalJson").GoName)
}

func TestWebhook(t *testing.T) {
	op := operationOf(object(property("a", typed("string"))))
	op.ID, op.Method, op.Path, op.Webhook = "", "", "", "payment settled"
	api, found := Build(document(op), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	c := api.Contracts[0]
	assert.Equal(t, "payment settled", c.Name)
	assert.Equal(t, "PaymentSettled", c.GoName)
	lock, found := ParseLock(EncodeLock(api), "api.lock.yaml")
	require.Empty(t, errorsOf(found))
	assert.Equal(t, "webhook payment settled", lock.Contracts["payment settled"].Operation)

	again := operationOf(nil)
	again.ID, again.Method, again.Path, again.Webhook = "", "", "", "payment settled"
	_, found = Build(document(op, again), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG330 webhook payment settled and webhook payment settled both have the contract name payment settled"}, errorsOf(found))
}
