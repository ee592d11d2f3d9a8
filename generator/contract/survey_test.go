package contract_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

func surveys(t *testing.T, text string) []contract.Survey {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("openapi.yaml", []byte(text), 0o600))
	doc, found, err := openapi.Load("openapi.yaml", openapi.Options{})
	require.NoError(t, err)
	require.Empty(t, found.All())
	api, built := contract.Build(doc, contract.Options{Base: "openapi"})
	require.False(t, built.HasErrors(), "%v", built.All())
	return contract.Surveys(doc, api, "")
}

const surveyedDocument = `openapi: 3.1.0
info: {title: Surveyed, version: "1"}
paths:
  /{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      - {name: expand, in: query, schema: {type: array, items: {type: string}}}
      - {name: limit, in: query, schema: {type: integer, default: 5}}
      - {name: X-Region, in: header, schema: {type: string}}
      - {name: X-Key, in: header, schema: {type: string}}
    post:
      x-idempotency:
        scope: [tenant]
        key: {from: header.x-key, required: false}
        fingerprint:
          fields:
            - path.id
            - query.limit: {default: materialise}
            - body.card: {sensitive: true}
            - body.method
            - body.tags: set
            - body.rest: generic
            - body.labels
          ignored: [query.expand, body.meta, body.card.hint]
          unknown: reject
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [card]
              properties:
                id: {type: string, readOnly: true}
                card: {type: object, properties: {number: {type: string, writeOnly: true}, hint: {type: string}}}
                meta: {type: object, properties: {a: {type: string}}}
                method: {oneOf: [{type: string, format: uuid}, {type: object, properties: {iban: {type: string, default: 7}}}]}
                tags: {type: array, items: {type: string, enum: [a]}}
                rest: {type: object, properties: {b: {type: string}}}
                labels: {type: object, additionalProperties: {type: boolean}}
      responses: {"201": {description: Created}}
`

func TestSurveyTellsTheFateOfEveryPart(t *testing.T) {
	all := surveys(t, surveyedDocument)
	require.Len(t, all, 1)
	s := all[0]
	assert.Equal(t, "POST /{id}", s.Title())
	assert.Equal(t, s.Operation.Path, s.Contract.Path)
	fates := map[contract.Fate]string{contract.Counts: "counts", contract.LeftOut: "left out", contract.Never: "never", contract.Unlisted: "unlisted"}
	got := map[string]string{}
	byText := map[string]contract.Surveyed{}
	for _, p := range s.Parts {
		got[p.Text] += fates[p.Fate] + " "
		byText[p.Text] = p
		assert.True(t, p.Pos.IsValid(), p.Text)
	}
	assert.Equal(t, map[string]string{
		"header.X-Key": "never ", "header.X-Region": "unlisted ", "path.id": "counts ", "query.expand": "left out ", "query.limit": "counts ",
		"body": "counts ", "body.id": "never ", "body.card": "counts ", "body.card.number": "counts ", "body.card.hint": "left out ",
		"body.meta": "left out ", "body.method": "counts ", "body.method.iban": "counts ", "body.tags": "counts ", "body.tags[]": "counts ",
		"body.rest": "counts ", "body.labels": "counts ", "body.labels.*": "counts ",
	}, got)

	number := byText["body.card.number"]
	assert.True(t, number.Sensitive && number.WriteOnly && !number.Required)
	assert.Equal(t, []string{"hint", "number"}, number.Beside)
	assert.Equal(t, canon.Exact, number.As)
	assert.False(t, number.Said.IsValid())
	assert.True(t, byText["body.card"].Required && byText["body.card"].Said.IsValid())
	assert.Equal(t, canon.Generic, byText["body.rest"].As)
	assert.Zero(t, byText["body.tags"].As)
	assert.True(t, byText["body.tags[]"].Enum)
	assert.Equal(t, "tags", byText["body.tags[]"].Name)
	assert.Equal(t, canon.Boolean, byText["body.labels.*"].As)
	limit := byText["query.limit"]
	assert.True(t, limit.Materialised)
	assert.Equal(t, "5", limit.Default)
	assert.Empty(t, byText["body.method.iban"].Default, "no request could send it")
}

func TestSurveyHints(t *testing.T) {
	s := surveys(t, surveyedDocument)[0]
	assert.True(t, s.Listed())
	assert.Equal(t, "- body.tags: {as: set, sensitive: true}   # in fields", s.FieldsHint([]string{"body.tags"}, "sensitive", "true"))
	assert.Equal(t, "- body.labels: decimal   # in fields\n- body.card: {as: decimal, sensitive: true}   # in fields",
		s.FieldsHint([]string{"body.labels", "body.card"}, "as", "decimal"))
	assert.Equal(t, "- header.X-Region   # in fields: another value is another command; in ignored: it is the same one", s.DecideHint("header.X-Region"))
	assert.Equal(t, "execution: leased\nkey: {from: header.x-key, required: true}", s.LeasedHint())
	assert.False(t, s.InScope("path.id"))

	short := surveys(t, strings.Replace(strings.Replace(surveyedDocument, surveyedDocument[strings.Index(surveyedDocument, "      x-idempotency:\n"):strings.Index(surveyedDocument, "      requestBody:")],
		"      x-idempotency: required\n", 1), "info:", "x-idempotency: {scope: [path.id, header.x-region]}\ninfo:", 1))[0]
	assert.False(t, short.Listed())
	assert.Equal(t, "x-idempotency: {fingerprint: {fields: [path.id, query.expand, query.limit, body, 'body.tags[]': {sensitive: true}], unknown: include}}",
		short.FieldsHint([]string{"body.tags[]"}, "sensitive", "true"))
	assert.Equal(t, "x-idempotency: {fingerprint: {ignored: [header.X-Region]}}", short.DecideHint("header.X-Region"))
	assert.Equal(t, "x-idempotency: {execution: leased}", short.LeasedHint())
	assert.True(t, short.InScope("header.X-Region") && short.InScope("path.id"))
}
