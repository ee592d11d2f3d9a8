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

// What explain shows as bad gives the finding that it explains, and what it shows as good does not.
func TestExplanationsAreTrue(t *testing.T) {
	for _, info := range diag.Codes() {
		if !strings.HasPrefix(string(info.Code), "IDG5") || info.Code == diag.AcceptanceUnused { // of idemgen.yaml
			continue
		}
		t.Run(string(info.Code), func(t *testing.T) {
			assert.Contains(t, reviewed(t, info.Bad), info.Code)
			assert.NotContains(t, reviewed(t, info.Good), info.Code)
		})
	}
}

// reviewed gives the codes of what rules find in a snippet, in the surroundings that it leaves out.
func reviewed(t *testing.T, snippet string) (codes []diag.Code) {
	t.Helper()
	indented := func(by, text string) string {
		return by + strings.ReplaceAll(text, "\n", "\n"+by) + "\n"
	}
	const head = "openapi: 3.1.0\ninfo: {title: Payments, version: \"1\"}\nwebhooks: {}\nx-idempotency: {scope: [tenant]}\n"
	const body = "      requestBody: {content: {application/json: {schema: {type: object, properties: {note: {type: string}}}}}}\n"
	path := "  /payments:\n"
	if strings.Contains(snippet, "path.accountId") {
		path = "  /{accountId}:\n    parameters: [{name: accountId, in: path, required: true, schema: {type: string}}]\n"
	}
	const answers = "      responses: {\"201\": {description: Created}}\n"
	var text string
	switch word, _, _ := strings.Cut(snippet, ":"); word {
	case "paths":
		text = snippet + "\n" + answers
	case "post":
		text = "paths:\n" + path + indented("    ", snippet) + answers
	case "responses":
		text = "paths:\n" + path + "    post:\n      x-idempotency: required\n" + indented("      ", snippet)
	default:
		text = "paths:\n" + path + "    post:\n      x-idempotency:\n" + indented("        ", snippet) + body + answers
	}
	doc, api := load(t, head+text)
	require.NotNil(t, doc)
	found := lint.Check(lint.Document{Document: doc, Surveys: contract.Surveys(doc, api, ""), Extension: "x-idempotency"}, lint.All)
	for _, d := range found.All() {
		codes = append(codes, d.Code)
	}
	return codes
}
