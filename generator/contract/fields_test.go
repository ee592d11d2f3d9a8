package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

func TestPaymentContract(t *testing.T) {
	op := operationOf(closed(
		property("reference", typed("string")),
		property("amount!", typed("string:decimal")),
		property("currency!", typed("string")),
		property("lines", array(closed(property("sku!", typed("string")), property("tags", array(typed("string")))))),
		property("metadata", typed("object")),
	), query("expand", array(typed("string"))), openapi.Parameter{Name: "accountId", In: openapi.InPath, Required: true, Style: "simple", Schema: typed("string")})
	op.Path = "/accounts/{accountId}/payments"
	choose(t, op, "path.accountId body.amount=decimal body.currency=ascii-upper body.lines[]=list body.lines[].tags=set body.lines[].tags[]=ascii-lower body.reference",
		"body.metadata query.expand", "reject")
	c := mustBuild(t, op)

	assert.Equal(t, "createPayment", c.Name)
	assert.Equal(t, []string{
		"body: object required",
		"body.amount: decimal/1 required",
		"body.currency: ascii-upper/1 required",
		"body.lines[]: list/1 of object optional",
		"body.lines[].sku: exact/1 required",
		"body.lines[].tags[]: set/1 of ascii-lower/1 optional",
		"body.reference: exact/1 optional",
		"path.accountId: exact/1 required",
	}, fieldLines(c.Version))
	assert.Equal(t, []string{"body.metadata", "query.expand"}, c.Version.Ignored)
	assert.Equal(t, canon.RejectUnknown, c.Version.Unknown)
	assert.Regexp(t, "^[0-9a-f]{16}$", string(c.Version.ID))

	text, refused := canonical(c.Version, &canon.Request{Path: []string{"acc_1"},
		Body: []byte(`{"metadata":{"a":1},"currency":"eur","lines":[{"sku":"x","tags":["B","a","b"]}],"amount":"1e1"}`)})
	require.Empty(t, refused)
	assert.Equal(t, `{"body":{"amount":"10","currency":"EUR","lines":[{"sku":"x","tags":["a","b"]}]},"path":{"accountId":"acc_1"}}`, text)

	_, refused = canonical(c.Version, &canon.Request{Path: []string{"acc_1"}, Body: []byte(`{"amount":"1","currency":"EUR","tip":1}`)})
	assert.Contains(t, refused, "body/tip")
}

func TestUndecidedPartsAreReportedAllAtOnce(t *testing.T) {
	op := operationOf(closed(
		property("amount!", typed("number")),
		property("tip", typed("number")),
		property("id", readOnly(typed("string"))),
		property("shipping", closed(property("street", typed("string")), property("zip", typed("string")))),
		property("buyer", closed(property("name", typed("string")), property("mail", typed("string")))),
	), query("dry_run", typed("boolean")), openapi.Parameter{Name: "X-Trace", In: openapi.InHeader, Schema: typed("string")})
	choose(t, op, "body.amount body.buyer.name", "", "")
	_, found := Build(document(op), Options{Base: "payments"})
	assert.Equal(t, []string{
		"IDG301 body.buyer.mail is neither in fields nor in ignored",
		"IDG301 body.shipping is neither in fields nor in ignored",
		"IDG301 body.tip is neither in fields nor in ignored",
		"IDG301 query.dry_run is neither in fields nor in ignored",
	}, errorsOf(found))
	first := found.All()[0]
	assert.Equal(t, at(5), first.Pos, "at the annotation's fingerprint")
	assert.Equal(t, at(20), first.Related[0].Pos, "and where the property stands")
	assert.Equal(t, "- body.buyer.mail   # in fields: another value is another command; in ignored: it is the same one", first.Hint)
	assert.Equal(t, diag.Error, first.Severity)
}
