package contract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
)

// A number that the document declares as a text is sent as one: a client that checks itself against the vectors can send them. What the
// normaliser takes beside it is told by one other spelling.
func TestNumbersDeclaredAsTextsAreSentAsTexts(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("openapi.yaml", []byte(`openapi: 3.1.0
info: {title: P, version: "1"}
x-idempotency: {scope: [tenant]}
paths:
  /p:
    post:
      operationId: pay
      x-idempotency: {fingerprint: {fields: [body, body.chosen: decimal], unknown: reject}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                text: {type: string, format: decimal}
                chosen: {type: string}
                count: {type: string, format: int64}
                number: {type: number}
                whole: {type: integer}
                list: {type: array, items: {type: string, format: decimal}}
      responses: {"201": {description: Created}}
`), 0o600))
	doc, found, err := openapi.Load("openapi.yaml", openapi.Options{})
	require.NoError(t, err)
	require.Empty(t, found.All())
	api, found := contract.Build(doc, contract.Options{Base: "openapi"})
	require.Empty(t, found.All())
	lock := string(contract.EncodeLock(api))
	assert.Contains(t, lock, `request: {body: '{"chosen":"2.5","count":"3","list":["5.5","6.5"],"number":7.5,"text":"8.5","whole":9}'}`)
	for _, line := range []string{
		`{name: 'body.text matters', unlike: typical, set: {body.text: '"8.51"'}}`,
		`{name: 'body.text spelled otherwise', like: typical, set: {body.text: '"85e-1"'}}`,
		`{name: 'body.count matters', unlike: typical, set: {body.count: '"4"'}}`,
		`{name: 'body.count spelled otherwise', like: typical, set: {body.count: '3'}}`,
		`{name: 'body.count is no integer', refused: typical, set: {body.count: '"3.0"'}}`,
		`{name: 'body.number spelled otherwise', like: typical, set: {body.number: '75e-1'}}`,
		`{name: 'body.whole spelled otherwise', like: typical, set: {body.whole: '"9"'}}`,
	} {
		assert.Contains(t, lock, line)
	}
}
