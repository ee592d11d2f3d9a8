package generator

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
)

// enrichedCases are the cases of golden/pipeline whose enriched documents stand in golden/docs.
var enrichedCases = []string{"dry-run-query", "hostile-text", "key-in-body", "key-limits", "leased-charges"}

func TestEnrichedDocuments(t *testing.T) {
	golden, err := filepath.Abs("../golden/docs")
	require.NoError(t, err)
	for _, name := range enrichedCases {
		t.Run(name, func(t *testing.T) {
			want := filepath.Join(golden, name+".openapi.yaml")
			t.Chdir(filepath.Join("..", "golden", "pipeline", name))
			text, _, findings, err := EnrichedDocument("openapi.yaml", Options{Webhooks: true})
			require.NoError(t, err)
			require.False(t, findings.HasErrors())
			if *update {
				refuseUpdateInCI(t)
				require.NoError(t, os.WriteFile(want, text, 0o644))
			}
			known, err := os.ReadFile(want)
			require.NoError(t, err, "run go test ./generator -run TestEnrichedDocuments -update")
			assert.Equal(t, string(known), string(text))
		})
	}
}

// Whatever a document is like: what is added leaves the contracts as they are, and adding it again changes nothing.
func TestEnrichedGoldenDocumentsMeanTheSame(t *testing.T) {
	cases, err := filepath.Glob("../golden/pipeline/*/openapi.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, document := range cases {
		t.Run(filepath.Base(filepath.Dir(document)), func(t *testing.T) {
			opts := Options{Webhooks: true}
			if overlay := filepath.Join(filepath.Dir(document), "overlay.yaml"); exists(overlay) {
				opts.Overlays = []string{overlay}
			}
			require.True(t, assertEnriched(t, document, opts), "nothing can be generated from it")
		})
	}
}

func TestEnrichedRealDocumentsMeanTheSame(t *testing.T) {
	if _, err := os.Stat(specs); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the public documents are not here: %s does not exist", specs)
	}
	// Nothing can be generated from these: another version, no write, variables of paths that are not declared.
	without := map[string]bool{
		"oai-uber-swagger-2.0.yaml": true, "oai-webhook-3.1.yaml": true, "xero-webhooks.yaml": true, "ogen-quoted-field-name.json": true, "svix-server.json": true,
	}
	for _, document := range publicDocuments(t) {
		name := filepath.Base(document)
		t.Run(name, func(t *testing.T) {
			overlay, _ := everyWrite(t, document)
			assert.Equal(t, !without[name], assertEnriched(t, document, Options{Overlays: []string{overlay}, SkipUnsupported: true}))
		})
	}
}

// assertEnriched reports whether anything can be generated from the document.
func assertEnriched(t *testing.T, document string, opts Options) bool {
	t.Helper()
	opts.Lock = filepath.Join(t.TempDir(), "none.lock.yaml")
	before, err := compile(document, opts)
	require.NoError(t, err)
	if before.api == nil {
		return false
	}
	text, left, _, err := EnrichedDocument(document, opts)
	require.NoError(t, err)
	if len(left) == len(before.api.Contracts) {
		return true // all of them stand in other files
	}
	enriched := besides(t, document, text)
	after, err := compile(enriched, opts)
	require.NoError(t, err)
	require.False(t, after.findings.HasErrors(), "%v", after.findings.All())
	require.NotNil(t, after.api)
	require.Len(t, after.api.Contracts, len(before.api.Contracts))
	for i, c := range before.api.Contracts {
		assert.Equal(t, c.Version.ID, after.api.Contracts[i].Version.ID, c.Name)
		assert.Equal(t, c.Version.Fields, after.api.Contracts[i].Version.Fields, c.Name)
	}
	assert.Equal(t, string(contract.EncodeLock(before.api)), string(contract.EncodeLock(after.api)))
	again, _, _, err := EnrichedDocument(enriched, opts)
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
	return true
}

// besides puts the text beside copies of the files that the document refers to.
func besides(t *testing.T, document string, text []byte) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "copy"), os.DirFS(filepath.Dir(document))))
	path := filepath.Join(dir, "copy", filepath.Base(document))
	require.NoError(t, os.WriteFile(path, text, 0o644))
	return path
}

func TestAuthorsDeclarationsWin(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, ".", "openapi.yaml", `openapi: 3.1.0
info: {title: Payments, version: "1"}
x-idempotency: {scope: [tenant]}
paths:
  /all:
    parameters:
      - $ref: '#/components/parameters/Key'
    post:
      operationId: all
      x-idempotency: required
      responses:
        "201":
          description: made
          headers: {idempotent-replayed: {description: mine, schema: {type: string}}}
        default: {description: mine}
  /some:
    post:
      operationId: some
      x-idempotency: required
      responses:
        "201": {$ref: '#/components/responses/Made'}
        "425": {description: no outcome}
        4XX: {description: mine}
components:
  parameters:
    Key: {name: idempotency-key, in: header, required: true, schema: {type: string, maxLength: 255, minLength: 1}}
  schemas:
    IdempotencyProblem: {description: mine}
  responses:
    Made: {description: made}
`)
	text, _, findings, err := EnrichedDocument("openapi.yaml", Options{})
	require.NoError(t, err)
	assert.Zero(t, findings.Len())
	got := string(text)
	assert.Equal(t, 1, strings.Count(got, "idempotency-key"), "declared by the path item")
	assert.Equal(t, 1, strings.Count(got, "name: Idempotency-Key"), "not declared for the other one")
	assert.Contains(t, got, "headers: {idempotent-replayed: {description: mine, schema: {type: string}}}\n"+
		"        default: {description: mine, headers: {Idempotent-Replayed: {$ref: '#/components/headers/IdempotentReplayed'}}}\n  /some", "a default says what else comes")
	assert.Contains(t, got, "\"425\": {description: no outcome}\n        4XX: {description: mine, headers: {Idempotent-Replayed: {$ref: '#/components/headers/IdempotentReplayed'}}}\n"+
		"        '500': {$ref: '#/components/responses/Idempotency500'}\n        '503': {$ref:", "a range says what comes of it")
	assert.Contains(t, got, "IdempotencyProblem: {description: mine}\n")
	assert.Contains(t, got, "    Made: {description: made}\n", "a response of the components may be another operation's")
}

// What a team declares of a status stays; the codes that come in its handler's place, and the header, are added, once.
func TestDeclaredAnswersAreCompleted(t *testing.T) {
	for name, answers := range map[string]string{
		"flow": `        "201": {description: made}
        "400": {description: our validation, content: {application/json: {schema: {type: string}}}}
        "409": {description: "taken: ours", headers: {retry-after: {description: mine, schema: {type: string}}}}
        "422": {description: our rules}
        "500": {description: our fault}
        "503": {description: down}
`, "block": `        "201":
          description: made
        "400":
          description: our validation
          content:
            application/json:
              schema: {type: string}
        "409":
          description: 'taken: ours'
          headers:
            retry-after:
              description: mine
              schema: {type: string}
        "422":
          description: |
            our rules
        "500":
          description: our fault
        "503":
          description: >-
            down
`,
	} {
		for _, execution := range []string{"transactional", "leased"} {
			t.Run(name+" "+execution, func(t *testing.T) {
				t.Chdir(t.TempDir())
				put(t, ".", "openapi.yaml", "openapi: 3.1.0\ninfo: {title: Payments, version: \"1\"}\npaths:\n  /payments:\n    post:\n      operationId: pay\n"+
					"      x-idempotency: {scope: [tenant], execution: "+execution+"}\n      responses:\n"+answers)
				text, _, findings, err := EnrichedDocument("openapi.yaml", Options{})
				require.NoError(t, err)
				require.False(t, findings.HasErrors())
				assert.NotContains(t, string(text), "#/components/responses/")
				assertAnswers(t, text, execution == "leased")
				put(t, ".", "openapi.yaml", string(text))
				again, _, _, err := EnrichedDocument("openapi.yaml", Options{})
				require.NoError(t, err)
				assert.Equal(t, string(text), string(again))
			})
		}
	}
}

func assertAnswers(t *testing.T, text []byte, leased bool) {
	t.Helper()
	doc, err := openapi.ParseText("openapi.yaml", text)
	require.NoError(t, err)
	responses := doc.Root().Member("paths").Member("/payments").Member("post").Member("responses")
	for status, says := range map[string][]string{
		"201": {"made"}, "400": {"our validation", "`IDEMPOTENCY_KEY_MISSING`", "`IDEMPOTENCY_REQUEST_MALFORMED`"},
		"409": {"taken: ours", "`IDEMPOTENCY_IN_FLIGHT`", "`IDEMPOTENCY_OUTCOME_UNKNOWN`"}, "422": {"our rules", "`IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST`"},
		"500": {"our fault", "`IDEMPOTENCY_COMPLETION_FAILED`", "`IDEMPOTENCY_NOT_BOUND`"}, "503": {"down", "`IDEMPOTENCY_TRY_AGAIN`"},
	} {
		description := responses.Member(status).Member("description").String()
		for i, what := range says {
			assert.Contains(t, description, what, status)
			assert.True(t, i > 0 || strings.HasPrefix(description, what), description)
		}
		assert.Equal(t, len(says) > 1, strings.Contains(description, "IDEMPOTENCY_"), status)
		assert.Equal(t, status == "503", responses.Member(status).Member("headers").Member("Retry-After").Exists(), "%s: what the author declares is the author's", status)
	}
	assert.Equal(t, "mine", responses.Member("409").Member("headers").Member("retry-after").Member("description").String())
	assert.Equal(t, leased, strings.Contains(responses.Member("500").Member("description").String(), "carried out, in other systems too"))
}

func TestParagraphFollowsTheContract(t *testing.T) {
	t.Chdir(t.TempDir())
	const document = `openapi: 3.1.0
info: {title: Payments, version: "1"}
paths:
  /payments:
    post:
      operationId: createPayment
      description: Before.
      x-idempotency: {scope: [tenant], retention: 24h}
      responses: {default: {description: made}}
`
	put(t, ".", "openapi.yaml", document)
	text, _, _, err := EnrichedDocument("openapi.yaml", Options{})
	require.NoError(t, err)
	assert.Contains(t, string(text), "for 24 hours")
	put(t, ".", "openapi.yaml", strings.NewReplacer("retention: 24h", "retention: 45d", "<!-- /idempotency -->", "<!-- /idempotency -->\n\n        After.").Replace(string(text)))
	text, _, _, err = EnrichedDocument("openapi.yaml", Options{})
	require.NoError(t, err)
	assert.Contains(t, string(text), "for 45 days")
	assert.NotContains(t, string(text), "24 hours")
	assert.Equal(t, 1, strings.Count(string(text), "<!-- idempotency -->"))
	assert.Regexp(t, `(?s)Before\..*45 days.*After\.`, string(text))
}
