package generator

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every place that a sensitive value can stand at: members, elements, maps, unions, turns of a recursion, parameters, undeclared members.
const sensitivePlaces = `openapi: 3.1.0
info: {title: Cards, version: "1"}
x-idempotency: {scope: [tenant]}
paths:
  /cards/{vault}:
    post:
      operationId: storeCard
      x-idempotency:
        fingerprint:
          fields:
            - path.vault: {sensitive: true}
            - query.hint: {sensitive: true}
            - query.open
            - header.X-Pin: {sensitive: true}
            - body.number: {sensitive: true}
            - body.holder: {sensitive: true}
            - body.lines
            - body.lines[].note: {sensitive: true}
            - body.tags: {as: set, sensitive: true}
            - body.names.*: {sensitive: true}
            - body.method
            - body.method.pan: {sensitive: true}
            - body.tree
            - body.tree.secret: {sensitive: true}
          unknown: include
      parameters:
        - {name: vault, in: path, required: true, schema: {type: string}}
        - {name: hint, in: query, schema: {type: string}}
        - {name: open, in: query, schema: {type: string}}
        - {name: X-Pin, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                number: {type: [string, "null"]}
                holder: {type: object, properties: {name: {type: string}}}
                lines: {type: array, items: {type: object, properties: {sku: {type: string}, note: {type: string}}}}
                tags: {type: array, items: {type: string}}
                names: {type: object, additionalProperties: {type: string}}
                method:
                  oneOf: [{$ref: '#/components/schemas/card'}, {$ref: '#/components/schemas/bank'}]
                  discriminator: {propertyName: type}
                tree: {$ref: '#/components/schemas/tree'}
      responses: {"201": {description: Created}}
components:
  schemas:
    card: {type: object, required: [type], properties: {type: {type: string}, pan: {type: string}}}
    bank: {type: object, required: [type], properties: {type: {type: string}, iban: {type: string}}}
    tree: {type: object, properties: {secret: {type: string}, next: {$ref: '#/components/schemas/tree'}}}
`

func TestExplanationsMaskSensitiveValues(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("openapi.yaml", []byte(sensitivePlaces), 0o600))
	sent := Sent{
		Path: map[string]string{"vault": "S0"}, Query: "hint=S1&open=o",
		Header: http.Header{"X-Pin": {"S2"}, "Content-Type": {"application/json"}},
		Body: []byte(`{"number":"S3","holder":{"name":"S4","S5":"S6"},"lines":[{"sku":"a","note":"S7"},{"sku":"b"}],"tags":["S8"],"names":{"n":"S9"},` +
			`"method":{"type":"card","pan":"S10"},"tree":{"secret":"S11","next":{"secret":"S12","next":{}}},"extra":{"x":1}}`),
	}
	e, found, err := Explain("openapi.yaml", Question{Operation: "storeCard", Requests: []Sent{sent}}, Options{})
	require.NoError(t, err)
	require.NotNil(t, e, "%v", found.All())
	r := e.Versions[0].Requests[0]
	require.Empty(t, r.Refused)
	assert.True(t, r.Masked)
	assert.Empty(t, r.SHA256, "what is masked could be guessed from it")
	assert.NotRegexp(t, `S[0-9]`, r.Canonical)
	for _, kept := range []string{
		`"lines":[{"note":"<sensitive>","sku":"a"},{"sku":"b"}]`, `"names":{"n":"<sensitive>"}`, `"open":"o"`, `"next":{"next":{},"secret":"<sensitive>"}`,
		`"header":{"x-pin":"<sensitive>"}`, `"path":{"vault":"<sensitive>"}`, `"holder":"<sensitive>"`, `"extra":{"object":{"x":{"number":"1"}}}`,
	} {
		assert.Contains(t, r.Canonical, kept)
	}

	r0 := r
	e, _, err = Explain("openapi.yaml", Question{Operation: "storeCard", Requests: []Sent{sent}, ShowSensitive: true}, Options{})
	require.NoError(t, err)
	r = e.Versions[0].Requests[0]
	assert.Contains(t, r.Canonical, "S12")
	assert.False(t, r.Masked)
	assert.Len(t, r.SHA256, 64)

	// The same under a version that comes out of the lock alone.
	before, found, err := Prepare([]string{"openapi.yaml"}, Options{})
	require.NoError(t, err)
	require.False(t, found.HasErrors(), "%v", found.All())
	_, err = before.Write()
	require.NoError(t, err)
	renamed := strings.ReplaceAll(strings.ReplaceAll(sensitivePlaces, "            - query.open\n", ""), "unknown: include", "ignored: [query.open]\n          unknown: include")
	require.NoError(t, os.WriteFile("openapi.yaml", []byte(renamed), 0o600))
	e, _, err = Explain("openapi.yaml", Question{Operation: "storeCard", Requests: []Sent{sent}}, Options{})
	require.NoError(t, err)
	require.Len(t, e.Versions, 2)
	assert.Equal(t, r0.Canonical, e.Versions[1].Requests[0].Canonical)

	inside := Sent{Path: sent.Path, Header: sent.Header, Body: []byte(`{"holder":{"S5":1,"S5":2}}`)}
	e, _, err = Explain("openapi.yaml", Question{Operation: "storeCard", Requests: []Sent{inside}}, Options{})
	require.NoError(t, err)
	assert.Equal(t, "body/holder (byte 18): the member stands here a second time", e.Versions[0].Requests[0].Refused)

	plain := Sent{Path: sent.Path, Body: []byte(`{}`), Header: http.Header{"Content-Type": {"application/json"}}}
	other := Sent{Path: sent.Path, Body: []byte(`{"holder":{"name":"S4"},"number":null}`), Header: plain.Header}
	e, _, err = Explain("openapi.yaml", Question{Operation: "storeCard", Requests: []Sent{plain, other}}, Options{})
	require.NoError(t, err)
	for _, d := range e.Versions[0].Differ {
		assert.Empty(t, d.Values, d.Field)
	}
	assert.False(t, *e.Versions[0].Same)
	assert.Equal(t, `{"body":{"holder":"<sensitive>","number":"<sensitive>"},"path":{"vault":"<sensitive>"}}`, e.Versions[0].Requests[1].Canonical)
}
