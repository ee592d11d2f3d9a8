package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

// published compiles a schema that the command prints, with every object closed: a member that is written and not published is found.
func published(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	code, text, errs := output("schema", name)
	require.Equal(t, 0, code, errs)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	closeObjects(document)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource(name+".json", document))
	schema, err := c.Compile(name + ".json")
	require.NoError(t, err)
	return schema
}

func closeObjects(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if s["type"] == "object" {
			s["additionalProperties"] = false
		}
		for _, part := range s {
			closeObjects(part)
		}
	case []any:
		for _, part := range s {
			closeObjects(part)
		}
	}
}

func output(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func conforms(t *testing.T, schema *jsonschema.Schema, text string) {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err, text)
	assert.NoError(t, schema.Validate(document), text)
}

// Every broken document gives findings that the published schema describes, and annotations that a runner reads back as they were meant.
func TestFindingsAreWhatIsPublished(t *testing.T) {
	schema := published(t, "findings")
	files, err := filepath.Glob(filepath.Join(brokenFolder, "*.txtar"))
	require.NoError(t, err)
	seen := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("GIT_DIR", t.TempDir())
			document := ""
			for _, f := range archive.Files {
				require.NoError(t, os.MkdirAll(filepath.Dir(f.Name), 0o755))
				require.NoError(t, os.WriteFile(f.Name, f.Data, 0o644))
				if strings.HasPrefix(f.Name, "openapi.") {
					document = f.Name
				}
			}
			if document == "" {
				return
			}
			_, text, _ := output("lint", document, "--format", "json")
			conforms(t, schema, text)
			var found struct{ Diagnostics []annotation }
			require.NoError(t, json.Unmarshal([]byte(text), &found))
			seen += len(found.Diagnostics)
			_, text, _ = output("lint", document, "--format", "github")
			readBack(t, found.Diagnostics, text)
		})
	}
	assert.Greater(t, seen, 100)
	assert.Error(t, schema.Validate(map[string]any{"version": json.Number("1")}), "the schema demands what is there")
}

// annotation is what both formats say of a finding.
type annotation struct {
	File, Severity, Message, Hint string
	Code                          diag.Code
	Line, Col                     int
}

// command is a workflow command as the runner of GitHub Actions reads it: properties are parted by commas, a value's escapes undone.
var command = regexp.MustCompile(`^::(error|warning)(?: ([^:]*))?::(.*)$`)

func readBack(t *testing.T, want []annotation, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(want) == 0 {
		assert.Empty(t, text)
		return
	}
	require.Len(t, lines, len(want), "a line for each finding")
	undo := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
	for i, line := range lines {
		m := command.FindStringSubmatch(line)
		require.NotNil(t, m, line)
		assert.Equal(t, want[i].Severity, m[1])
		properties := map[string]string{}
		for _, property := range strings.Split(m[2], ",") {
			name, value, ok := strings.Cut(property, "=")
			require.True(t, ok, line)
			assert.Contains(t, []string{"file", "line", "col", "endColumn", "endLine", "title"}, name, "a property that the runner knows")
			properties[name] = undo.Replace(value)
		}
		assert.Equal(t, want[i].File, properties["file"])
		assert.Equal(t, string(want[i].Code), properties["title"])
		message := undo.Replace(m[3])
		assert.Equal(t, want[i].Message, strings.SplitN(message, "\n", 2)[0])
		if want[i].Hint != "" {
			assert.Contains(t, message, "\nhint: "+want[i].Hint)
		}
	}
}

// Comparisons with every verdict, an acceptance included.
func TestDiffIsWhatIsPublished(t *testing.T) {
	schema := published(t, "diff")
	t.Chdir(t.TempDir())
	t.Setenv("GIT_DIR", t.TempDir())
	document := func(scope, fields, members string) {
		text := "openapi: 3.0.3\ninfo: {title: P, version: '1'}\npaths:\n  /p:\n    post:\n      operationId: pay\n      x-idempotency: {scope: [" + scope + "]" + fields + "}\n" +
			"      requestBody: {required: true, content: {application/json: {schema: {type: object, additionalProperties: false, properties: {" + members + "}}}}}\n" +
			"      responses: {'201': {description: Created}}\n"
		require.NoError(t, os.WriteFile("api.yaml", []byte(text), 0o600))
	}
	document("tenant", "", "a: {type: string}")
	code, _, errs := output("generate", "api.yaml")
	require.Equal(t, 0, code, errs)
	require.NoError(t, os.Rename("api.idempotency.lock.yaml", "before.yaml"))
	document("tenant, user", ", retention: 1h, keyspace: other", "a: {type: string}, b: {type: string}")
	code, text, _ := output("diff", "api.yaml", "--against", "before.yaml", "--format", "json")
	assert.Equal(t, 1, code)
	conforms(t, schema, text)
	for _, verdict := range []string{"new version", "dangerous"} {
		assert.Contains(t, text, `"verdict": "`+verdict+`"`)
	}
	code, text, _ = output("diff", "api.yaml", "--against", "before.yaml", "--format", "sarif")
	assert.Equal(t, 1, code)
	assert.Contains(t, text, `"ruleId": "IDG3`)
	assert.Error(t, schema.Validate([]any{map[string]any{"document": "x"}}), "the schema demands what is there")
}
