package generator

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documentedCases are the cases of golden/pipeline whose sheets stand in golden/docs, one for each thing that a sheet can say.
var documentedCases = []string{
	"duplicates-wait", "form-and-json", "hostile-text", "key-limits", "leased-charges", "multipart-upload", "nested-key",
	"received-webhook", "union-by-member", "unique-reference", "viewed-bodies",
}

// TestDocs writes each sheet from two working folders.
func TestDocs(t *testing.T) {
	pipeline, err := filepath.Abs("../golden/pipeline")
	require.NoError(t, err)
	golden, err := filepath.Abs("../golden/docs")
	require.NoError(t, err)
	for _, name := range documentedCases {
		t.Run(name, func(t *testing.T) {
			want := filepath.Join(golden, name+".md")
			t.Chdir(filepath.Join(pipeline, name))
			near := sheetOf(t, "openapi.yaml")
			if *update {
				refuseUpdateInCI(t)
				require.NoError(t, os.WriteFile(want, near, 0o644))
			}
			text, err := os.ReadFile(want)
			require.NoError(t, err, "run go test ./generator -run TestDocs -update")
			assert.Equal(t, string(text), string(near))
			t.Chdir(filepath.Dir(pipeline))
			assert.Equal(t, string(text), string(sheetOf(t, filepath.Join("pipeline", name, "openapi.yaml"))))
		})
	}
}

func sheetOf(t *testing.T, document string) []byte {
	t.Helper()
	text, findings, err := Docs(document, Options{Webhooks: true})
	require.NoError(t, err)
	require.False(t, findings.HasErrors())
	return text
}

// blocks are the lines that a sheet may have. Nothing of a document stands at a line's beginning, so this is all the structure there is.
var blocks = regexp.MustCompile("^(" + strings.Join([]string{
	"# Idempotency: .*", "## (Operations|Retrying|States|`[^`]*`|<code>[^`<]*</code>)", "### (Comparison|Answers|Example)", `\*\*[A-Z][a-z ]+\.\*\* .*`, "[1-4]\\. .*", "   long as .*",
	`\|( [^|]+ \|| +\|){3,5}`, "```(mermaid|sh)?", "stateDiagram-v2", "    direction LR", `    (\[\*\]|[A-Z][a-z]+) --> .*`, "curl -i .*", `  (-[HdFX]|--data).*`,
	"[A-Z].*", "[`<].*", "server keeps .*", "the request that .*", "",
}, "|") + ")$")

func TestHostileTextKeepsTheStructureOfASheet(t *testing.T) {
	t.Chdir("../golden/pipeline/hostile-text")
	sheet := string(sheetOf(t, "openapi.yaml"))
	headings, fences := 0, 0
	for line := range strings.Lines(sheet) {
		line = strings.TrimSuffix(line, "\n")
		assert.Regexp(t, blocks, line)
		if strings.HasPrefix(line, "## ") {
			headings++
		}
		if strings.HasPrefix(line, "```") {
			fences++
		}
	}
	const operations, fixed = 5, 3
	assert.Equal(t, operations+fixed, headings)
	assert.Equal(t, 2*(operations+1), fences)
	for _, r := range sheet {
		assert.NotContains(t, "\r\u0085\u2028\u2029\u202e\x00", string(r))
	}
}

// The document gives an example of each value. None of them may be anywhere in what is written: they are its authors' secrets as often as not.
func TestExamplesOfADocumentAreNotRead(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, ".", "openapi.yaml", `openapi: 3.1.0
info: {title: Payments, version: "1"}
paths:
  /payments:
    post:
      operationId: createPayment
      x-idempotency: {scope: [tenant]}
      parameters:
        - {name: region, in: query, required: true, example: secret-1, schema: {type: string, example: secret-2}}
      requestBody:
        content:
          application/json:
            example: {method: secret-3}
            schema:
              type: object
              example: {method: secret-4}
              required: [method, amount]
              properties:
                method: {type: string, examples: [secret-5], enum: [card, iban]}
                amount: {type: string, format: decimal, example: secret-6}
      responses: {"201": {description: made}}
`)
	sheet := string(sheetOf(t, "openapi.yaml"))
	assert.NotContains(t, sheet, "secret")
	assert.Contains(t, sheet, `?region=string'`)
	assert.Contains(t, sheet, `-d '{"amount":"10.5","method":"card"}'`, "of the declared type, and one of the enum")
}
