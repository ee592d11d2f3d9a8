package openapi_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// These tests hold ANNOTATION.md, the language's reference for users, to what the code does.

// around is a document with a hole for the root's annotation and one for the operation's.
const around = `openapi: 3.1.0
info: {title: Payments, version: 1.0.0}
ROOT
paths:
  /accounts/{accountId}/payments:
    post:
      operationId: createPayment
OPERATION
      parameters:
        - {name: accountId, in: path, required: true, schema: {type: string}}
        - {name: expand, in: query, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [amount]
              properties:
                amount: {type: string}
                currency: {type: [string, 'null'], default: EUR}
                note: {type: string}
                reference: {type: string}
                lines:
                  type: array
                  items: {type: object, properties: {sku: {type: string}, count: {type: integer}}}
`

// underOverlay is a document that the reference's overlay fits.
const underOverlay = `openapi: 3.1.0
info: {title: Payments, version: 1.0.0}
paths:
  /payments:
    post:
      operationId: createPayment
      x-idempotency: required
      requestBody: {content: {application/json: {schema: {type: object, properties: {amount: {type: string}, note: {type: string}}}}}}
`

func TestReferenceDocuments(t *testing.T) {
	documents := referenceBlocks(t)["document"]
	require.Len(t, documents, 7, "the recipes")
	for _, text := range documents {
		_, found := build(t, text, "")
		assert.Empty(t, found.All(), text)
	}
}

func TestReferenceAnnotations(t *testing.T) {
	annotations := referenceBlocks(t)["annotation"]
	require.NotEmpty(t, annotations)
	for _, text := range annotations {
		_, found := build(t, document("", text), "")
		assert.False(t, found.HasErrors(), "%v\n%s", found.All(), text)
	}
}

func TestReferenceOverlay(t *testing.T) {
	overlays := referenceBlocks(t)["overlay"]
	require.Len(t, overlays, 1)
	api, found := build(t, underOverlay, overlays[0])
	require.Empty(t, found.All())
	require.Len(t, api.Contracts, 1)
	assert.Equal(t, []string{"body.note"}, api.Contracts[0].Version.Ignored)
}

// The lock that the reference explains is the one of a recipe.
func TestReferenceLock(t *testing.T) {
	blocks := referenceBlocks(t)
	require.Len(t, blocks["lock"], 1)
	var locks strings.Builder
	for _, text := range blocks["document"] {
		api, _ := build(t, text, "")
		locks.Write(contract.EncodeLock(api))
	}
	assert.True(t, strings.Contains(locks.String(), blocks["lock"][0]), "no recipe has this lock:\n%s", blocks["lock"][0])
	require.Len(t, blocks["vectors"], 1)
	for line := range strings.Lines(blocks["vectors"][0]) { // some of many
		assert.True(t, strings.Contains(locks.String(), "\n"+line), "no recipe has this line:\n%s", line)
	}
}

func TestReferenceNamesEveryMember(t *testing.T) {
	text := referenceProse(t)
	for object, members := range knownMembers(t) {
		for _, name := range members {
			assert.True(t, strings.Contains(text, "`"+name+"`"), "the reference does not name %s, a member of %s", name, object)
		}
	}
}

func TestReferenceNamesEveryNormaliser(t *testing.T) {
	text := referenceProse(t)
	for n := canon.Exact; !strings.HasPrefix(n.String(), "normaliser"); n++ {
		assert.True(t, strings.Contains(text, "`"+n.String()+"`"), "the reference does not name %s", n)
	}
	for k := canon.List; !strings.HasPrefix(k.String(), "array kind"); k++ {
		assert.True(t, strings.Contains(text, "`"+k.String()+"`"), "the reference does not name %s", k)
	}
}

func TestReferenceNamesCodesThatExist(t *testing.T) {
	codes := regexp.MustCompile(`IDG[0-9]{3}`).FindAllString(referenceProse(t), -1)
	require.NotEmpty(t, codes)
	for _, code := range codes {
		_, known := diag.Lookup(diag.Code(code))
		assert.True(t, known, code)
	}
}

// TestReferenceSpeaksOfThisVersion fails when something that section 10 calls refused is generated: then the reference is behind.
func TestReferenceSpeaksOfThisVersion(t *testing.T) {
	const parameter, media = "schema: {type: string}}\n      requestBody", "application/json"
	for written, later := range map[string]string{
		parameter: "style: deepObject, schema: {type: object, properties: {a: {type: string}}}}\n      requestBody", media: "multipart/mixed",
	} {
		text := document("x-idempotency: {scope: [tenant]}", "x-idempotency: required")
		require.Contains(t, text, written)
		_, found := build(t, strings.Replace(text, written, later, 1), "")
		assert.Equal(t, []diag.Code{diag.NotSupported}, codesOf(found), later)
	}
}

// noMember is a name that is near to no member's.
const noMember = "zzzzzzzz"

// knownMembers asks the decoder what the objects of an annotation may have: it lists them to whoever writes a member that is none.
func knownMembers(t *testing.T) map[string][]string {
	t.Helper()
	known := map[string][]string{}
	ask := func(object, root, operation string) {
		_, found := load(t, document(root, operation), "")
		known[object] = membersIn(found)
	}
	ask("the annotation", "", "x-idempotency: {retention: 24h, "+noMember+": 1}")
	ask("the root's annotation", "x-idempotency: {retention: 24h, "+noMember+": 1}", "x-idempotency: required")
	ask("a field's rule", "", "x-idempotency: {fingerprint: {fields: [body.note: {"+noMember+": 1}]}}")
	require.Subset(t, known["the annotation"], []string{"key", "scope", "fingerprint", "concurrent", "keep", "replay", "errors"})
	for _, member := range known["the annotation"] {
		ask(member, "", "x-idempotency: {retention: 24h, "+member+": {"+noMember+": 1}}")
	}
	for _, object := range []string{"the root's annotation", "a field's rule", "key", "scope", "fingerprint", "concurrent", "keep", "replay", "errors"} {
		require.NotEmpty(t, known[object], "the decoder does not say what %s may have", object)
	}
	return known
}

func membersIn(found diag.List) []string {
	for _, d := range found.All() {
		if _, list, ok := strings.Cut(d.Message, "; it has "); ok && d.Code == diag.AnnotationUnknownMember {
			return strings.Split(list, ", ")
		}
	}
	return nil
}

func codesOf(found diag.List) (codes []diag.Code) {
	for _, d := range found.All() {
		codes = append(codes, d.Code)
	}
	return codes
}

// document puts annotations into around.
func document(root, operation string) string {
	operation = "      " + strings.ReplaceAll(strings.TrimSpace(operation), "\n", "\n      ")
	return strings.NewReplacer("ROOT", root, "OPERATION", operation).Replace(around)
}

// build goes as far as the contracts: a document that loads may still contradict itself there.
func build(t *testing.T, text, overlay string) (*contract.API, diag.List) {
	t.Helper()
	doc, found := load(t, text, overlay)
	require.NotNil(t, doc, found.All())
	api, more := contract.Build(doc, contract.Options{Base: "api"})
	found.Append(more)
	return api, found
}

func load(t *testing.T, text, overlay string) (*openapi.Document, diag.List) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	var opts openapi.Options
	if overlay != "" {
		opts.Overlays = []string{write("overlay.yaml", overlay)}
	}
	doc, found, err := openapi.Load(write("api.yaml", text), opts)
	require.NoError(t, err)
	return doc, found
}

var referenceFence = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// referenceBlocks gives the fenced blocks of the reference by kind.
func referenceBlocks(t *testing.T) map[string][]string {
	t.Helper()
	kinds := []struct{ start, kind string }{
		{"openapi:", "document"}, {"x-idempotency:", "annotation"}, {"overlay:", "overlay"}, {"        id:", "lock"}, {"        vectors:", "vectors"},
	}
	blocks := map[string][]string{}
	for _, match := range referenceFence.FindAllStringSubmatch(readReference(t), -1) {
		require.Equal(t, "yaml", match[1], "a block that no test looks at:\n%s", match[2])
		for _, k := range kinds {
			if strings.HasPrefix(match[2], k.start) {
				blocks[k.kind] = append(blocks[k.kind], match[2])
				match[2] = ""
			}
		}
		require.Empty(t, match[2], "a block that no test looks at")
	}
	return blocks
}

// referenceProse is the reference without its fenced blocks.
func referenceProse(t *testing.T) string {
	t.Helper()
	return referenceFence.ReplaceAllString(readReference(t), "")
}

func readReference(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("ANNOTATION.md")
	require.NoError(t, err)
	return string(text)
}
