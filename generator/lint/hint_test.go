package lint_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/lint"
	"github.com/idemgen/idemgen/openapi/diag"
)

// faulty is a document with a hole for an operation's annotation, and something to say of many of its parts.
const faulty = `openapi: 3.1.0
info: {title: Payments, version: "1"}
security: [{bearerAuth: []}]
x-idempotency: {scope: [tenant]}
paths:
  /{accountId}/payments:
    parameters:
      - {name: accountId, in: path, required: true, schema: {type: string}}
      - {name: notify, in: query, schema: {type: boolean, default: false}}
      - {name: X-Region, in: header, schema: {type: string}}
    post:
      ANNOTATION
      callbacks: {paid: {'{$request.body#/url}': {post: {responses: {"200": {description: OK}}}}}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                currency: {type: string, default: EUR}
                cards: {type: array, items: {type: object, properties: {cvc: {type: string}}}}
                'odd secret': {type: string}
                requestId: {type: string}
                sentAt: {type: string}
      responses: {"201": {description: Created}}
`

func reviewAnnotation(t *testing.T, annotation string) ([]diag.Diagnostic, *contract.Contract) {
	t.Helper()
	doc, api := load(t, strings.Replace(faulty, "ANNOTATION", strings.ReplaceAll(annotation, "\n", "\n      "), 1))
	found := lint.Check(lint.Document{Document: doc, Surveys: contract.Surveys(doc, api, ""), Extension: "x-idempotency"}, lint.All)
	return found.All(), api.Contracts[0]
}

// A hint that is pasted where its finding stands takes the finding away, and no other one comes. Only what the hint is about moves the id.
func TestHintsCanBePasted(t *testing.T) {
	for _, annotation := range []string{"x-idempotency: required", "x-idempotency: optional", "x-idempotency: {fingerprint: {ignored: [body.requestId]}}",
		"x-idempotency: {key: header.X-Key, fingerprint: all}"} {
		before, c := reviewAnnotation(t, annotation)
		pasted := 0
		for _, d := range before {
			if !strings.HasPrefix(d.Hint, "x-idempotency: ") && !strings.HasPrefix(d.Hint, "fingerprint: ") && !strings.HasPrefix(d.Hint, "- ") {
				continue // of the schema or the answers
			}
			pasted++
			after, mended := reviewAnnotation(t, paste(t, annotation, d.Hint))
			for _, left := range after {
				assert.False(t, left.Code == d.Code && left.Message == d.Message, "%s\nis still there after %s", d, d.Hint)
			}
			assert.Len(t, after, len(before)-1, d.Hint)
			if d.Code == diag.SecretGuessable || d.Code == diag.HeaderUnlisted || d.Code == diag.CallsInside {
				assert.Equal(t, c.Version.ID, mended.Version.ID, d.Hint)
			} else {
				assert.NotEqual(t, c.Version.ID, mended.Version.ID, d.Hint)
			}
		}
		assert.GreaterOrEqual(t, pasted, 5, annotation)
	}
}

// paste puts a hint into an annotation in one line.
func paste(t *testing.T, annotation, hint string) string {
	t.Helper()
	if strings.HasPrefix(hint, "x-idempotency: ") {
		return hint
	}
	if entry, ok := strings.CutPrefix(hint, "- "); ok {
		entry, _, _ = strings.Cut(entry, "   # in ignored")
		return strings.Replace(annotation, "ignored: [", "ignored: ["+entry+", ", 1)
	}
	before, _, ok := strings.Cut(annotation, "fingerprint: ")
	if !ok {
		before = strings.TrimSuffix(annotation, "}") + ", "
	}
	require.Contains(t, before, "{")
	return before + hint + "}"
}

func TestRulesKeepToWhatIsWanted(t *testing.T) {
	doc, api := load(t, strings.Replace(faulty, "ANNOTATION", "x-idempotency: required", 1))
	all := lint.Document{Document: doc, Surveys: contract.Surveys(doc, api, ""), Extension: "x-idempotency"}
	found := lint.Check(all, func(code diag.Code) bool { return code == diag.KeyCounts })
	require.Equal(t, 1, found.Len())
	assert.Equal(t, diag.KeyCounts, found.All()[0].Code)
	assert.Equal(t, "postAccountIDPayments", found.All()[0].About)
	assert.False(t, lint.Wanted(func(diag.Code) bool { return false }))
	assert.True(t, lint.Wanted(func(code diag.Code) bool { return code == diag.PatternsNotGo }))
}
