package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// agree holds the reference interpreter against a scan of v.
func agree(t *testing.T, v *Version, r *canon.Request) (string, error) {
	t.Helper()
	reference := v.Reference("createPayment")
	want, wantErr := reference.Canonical(r)
	s := canon.Acquire()
	defer s.Release()
	s.Start(r)
	v.Scan(s)
	digest, err := s.Finish("createPayment", v.ID)
	if wantErr != nil {
		var scanned, interpreted *canon.Refusal
		require.ErrorAs(t, err, &scanned)
		require.ErrorAs(t, wantErr, &interpreted)
		assert.Equal(t, scanned.Place, interpreted.Place)
		return "", wantErr
	}
	require.NoError(t, err)
	assert.Equal(t, string(s.AppendCanonical(nil)), string(want))
	referenceDigest, err := reference.Digest(r)
	require.NoError(t, err)
	assert.Equal(t, digest, referenceDigest)
	return string(want), nil
}

func TestReference(t *testing.T) {
	line := closed(property("sku!", typed("string")), property("qty", typed("integer")))
	op := operationOf(closed(
		property("amount!", typed("number")), property("at", nullable(typed("string:date-time"))), property("currency", withDefault(typed("string"), `"EUR"`)),
		property("lines", array(line)), property("more", array(line)), property("labels", mapOf(typed("string"))), property("free", typed("object")),
		property("note", nullable(typed("string"))), property("skip", typed("string")), property("open", object(property("x", typed("string"))))),
		query("limit", typed("integer")), query("tag", array(typed("string"))))
	choose(t, op, "body.amount body.at|absent body.currency=ascii-upper|materialise body.lines[]=set body.more body.labels body.free body.note body.open query.limit query.tag",
		"body.skip", "include")
	v := &mustBuild(t, op).Version
	reference := v.Reference("createPayment")
	assert.Equal(t, "createPayment", reference.Name)
	assert.Equal(t, v.ID, reference.ID)
	require.Len(t, reference.Fields, len(v.Fields))
	assert.Equal(t, v.Fields[0].Path, reference.Fields[0])

	for body, want := range map[string]string{
		`{"amount":10.0}`: `{"body":{"amount":"10","currency":"EUR"},"query":{"limit":"5","tag":["b","a"]}}`,
		`{"amount":"1e1","at":null,"currency":"usd","note":null,"skip":"s","free":{"a":1},"labels":{"b":"2","a":"1"},"open":{"y":1,"x":"2"}}`: `{"body":{"amount":"10","currency":"USD","free":{"object":{"a":{"number":"1"}}},"labels":{"a":"1","b":"2"},"note":null,"open":{"x":"2","y":{"number":"1"}}},` +
			`"query":{"limit":"5","tag":["b","a"]}}`,
		`{"amount":1,"lines":[{"sku":"b"},{"sku":"a"},{"sku":"b"}],"more":[{"sku":"b"},{"sku":"a"}],"at":"2026-01-01T01:00:00+01:00"}`: `{"body":{"amount":"1","at":"2026-01-01T00:00:00Z","currency":"EUR","lines":[{"sku":"a"},{"sku":"b"}],"more":[{"sku":"b"},{"sku":"a"}]},` +
			`"query":{"limit":"5","tag":["b","a"]}}`,
	} {
		got, err := agree(t, v, &canon.Request{Body: []byte(body), ContentType: "application/json", Query: "tag=b&limit=5&tag=a"})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, body := range []string{``, `{}`, `null`, `{"amount":1,"Note":""}`, `{"amount":1,"lines":[{}]}`, `{"amount":1,"lines":[{"sku":"a","x":1}]}`, `{"amount":1,"labels":null}`, `{"amount":1`} {
		_, err := agree(t, v, &canon.Request{Body: []byte(body), ContentType: "application/json"})
		assert.Error(t, err, body)
	}
}

// Nodes that are shared stay shared, so that a schema costs what it is long, and a node may stand below itself.
func TestReferenceKeepsSharing(t *testing.T) {
	shared := &Node{Kind: LeafNode, As: canon.Exact, Field: -1}
	body := &Node{Kind: ObjectNode, Unknown: canon.RejectUnknown}
	body.Members = []Member{
		{Name: "a", Key: `"a":`, Node: shared}, {Name: "b", Key: `"b":`, Node: shared},
		{Name: "kids", Key: `"kids":`, Node: &Node{Kind: ArrayNode, Array: canon.List, Elem: body}}, {Name: "skip", Key: `"skip":`, Ignored: true},
	}
	v := &Version{ID: "0123456789abcdef", Spec: canon.BodySpec{Accepts: []canon.Media{canon.JSON}}, Body: body}
	out := v.Reference("tree").Body
	assert.Same(t, out.Members[0].Node, out.Members[1].Node)
	assert.Same(t, out, out.Members[2].Node.Elem)
	assert.Nil(t, out.Members[3].Node)
	got, err := agree(t, v, &canon.Request{Body: []byte(`{"kids":[{"b":"2","a":"1","skip":[]},{"kids":[]}]}`)})
	require.NoError(t, err)
	assert.Equal(t, `{"body":{"kids":[{"a":"1","b":"2"},{"kids":[]}]}}`, got)
}

func TestReferenceWithoutBody(t *testing.T) {
	op := operationOf(nil, query("limit", withDefault(typed("integer"), "10")))
	op.Annotation.Fingerprint = set(openapi.Fingerprint{Mode: openapi.FingerprintAll})
	v := &mustBuild(t, op).Version
	got, err := agree(t, v, &canon.Request{Body: []byte("not looked at"), Query: "limit=7"})
	require.NoError(t, err)
	assert.Equal(t, `{"query":{"limit":"7"}}`, got)
}
