package openapi

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	schemakind "github.com/santhosh-tekuri/jsonschema/v6/kind"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// compiled gives a schema that can judge; compiling holds it to the metaschema of its draft.
func compiled(t testing.TB, text []byte, err error) *jsonschema.Schema {
	t.Helper()
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, SchemaDialect, document.(map[string]any)["$schema"])
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("schema.json", document))
	schema, err := compiler.Compile("schema.json")
	require.NoError(t, err)
	return schema
}

func annotationSchema(t testing.TB) *jsonschema.Schema {
	text, err := AnnotationSchema()
	return compiled(t, text, err)
}

func documentSchema(t testing.TB) *jsonschema.Schema {
	text, err := DocumentSchema("")
	return compiled(t, text, err)
}

// valueOf is what a JSON Schema judges of n; ok is false where JSON has no such value.
func valueOf(t testing.TB, n *yaml.Node) (value any, ok bool) {
	t.Helper()
	text, err := jsonText(n)
	if err != nil {
		return nil, false
	}
	value, err = jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err, text)
	return value, true
}

func TestSchemasAreASCIIAndHoldToTheirDraft(t *testing.T) {
	for _, make := range []func() ([]byte, error){AnnotationSchema, func() ([]byte, error) { return DocumentSchema("x-once") }} {
		text, err := make()
		require.NotNil(t, compiled(t, text, err))
		assert.Equal(t, -1, bytes.IndexFunc(text, func(r rune) bool { return r >= 0x7F }))
	}
}

// soundDocuments are the documents of the repository whose annotations can be read, whatever else is wrong with them.
func soundDocuments(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, pattern := range []string{"golden/pipeline/*/*.yaml", "golden/broken/*.txtar", "examples/quickstart/openapi.yaml", "cmd/idemgen/testdata/script/*.txtar"} {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			if filepath.Ext(file) != ".txtar" {
				out[file] = data
				continue
			}
			for _, f := range txtar.Parse(data).Files {
				if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(f.Name)) {
					out[file+"/"+f.Name] = f.Data
				}
			}
		}
	}
	return out
}

// What the decoder takes is valid: in every golden document, and in every example of the reference.
func TestWhatTheDecoderTakesIsValid(t *testing.T) {
	schema, annotation := documentSchema(t), annotationSchema(t)
	judged := 0
	documents := soundDocuments(t)
	for i, text := range fencedYAML(t) {
		documents["ANNOTATION.md/"+string(rune('a'+i))] = []byte(text)
	}
	for name, data := range documents {
		s, found := parseSource(name, data)
		if s == nil || found.HasErrors() || !isObject(s.root) || !readable(s) {
			continue
		}
		value, ok := valueOf(t, s.root)
		if !ok {
			continue
		}
		judged++
		if n := child(s.root, defaultExtension); n != nil && len(s.root.Content) == 2 { // an example of an annotation alone
			require.NoError(t, annotation.Validate(value.(map[string]any)[defaultExtension]), name)
			continue
		}
		assert.NoError(t, schema.Validate(value), name)
	}
	assert.Greater(t, judged, 150)
}

// fencedYAML gives the fenced blocks of the reference.
func fencedYAML(t *testing.T) (out []string) {
	t.Helper()
	text, err := os.ReadFile("ANNOTATION.md")
	require.NoError(t, err)
	for i, block := range strings.Split(string(text), "```") {
		if yaml, ok := strings.CutPrefix(block, "yaml\n"); ok && i%2 == 1 {
			out = append(out, yaml)
		}
	}
	require.Greater(t, len(out), 8)
	return out
}

// readable decodes every annotation of the tree where it stands, and reports whether nothing was wrong with any.
func readable(s *source) bool {
	ds := &diag.List{}
	if n := child(s.root, defaultExtension); n != nil && child(s.root, "paths") != nil {
		decodeDefaults(s, n, ds)
	}
	for _, action := range items(child(s.root, "actions")) {
		if n := child(child(action, "update"), defaultExtension); n != nil {
			decodeDefaults(s, n, ds)
		}
	}
	for _, section := range []string{"paths", "webhooks"} {
		for _, item := range entries(child(s.root, section)) {
			if n := child(item, defaultExtension); n != nil {
				decodePathDefaults(s, n, ds)
			}
			for member, op := range entries(item) {
				if n := child(op, defaultExtension); n != nil && grammars[pathItemKind].members[member.Value] == operationRule {
					decodeAnnotation(s, n, ds)
				}
			}
		}
	}
	return !ds.HasErrors()
}

// unsaid are the lines of broken documents whose fault no schema can say, and why.
var unsaid = map[string][]string{
	"annotation_bounds.txtar":      {"length: [64, 8]"},                                                   // two numbers compared
	"annotation_leased_only.txtar": {"lease: 30s", "takeover: hold", "attempts: 3", "{takeover: retake}"}, // the execution may be inherited
	"annotation_scope.txtar":       {"{now: [tenant], before: [tenant]}"},                                 // two members compared
	"annotation_twice.txtar": { // one thing in two spellings, or in two lists
		`unique: [body.reference`, "fields: [body.amount", "ignored: [body.amount]", "headers: [Location, location]"},
}

// Whatever is wrong with an annotation by itself is invalid, at the line where the decoder finds it.
func TestWhatTheDecoderRefusesIsInvalid(t *testing.T) {
	schema := documentSchema(t)
	files, err := filepath.Glob(filepath.Join("..", "golden", "broken", "annotation_*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		name := filepath.Base(file)
		found := loadBrokenAnnotation(t, archive)
		s, _ := parseSource("openapi.yaml", archive.Files[0].Data)
		lines := strings.Split(string(archive.Files[0].Data), "\n")
		value, ok := valueOf(t, s.root)
		require.True(t, ok)
		invalid := invalidLines(schema.Validate(value), s)
		for _, d := range found.All() {
			line := lines[d.Pos.Line-1]
			excused := slices.ContainsFunc(unsaid[name], func(text string) bool { return strings.Contains(line, text) })
			assert.Equal(t, !excused, invalid[d.Pos.Line], "%s: %s\n%s", name, d, line)
		}
	}
}

// invalidLines gives the lines of the values that a schema refuses.
func invalidLines(err error, s *source) map[int]bool {
	out := map[int]bool{}
	var visit func(e *jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			visit(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		n := s.root
		for _, step := range e.InstanceLocation {
			n = stepInto(n, step)
		}
		out[n.Line] = true
		if extra, ok := e.ErrorKind.(*schemakind.AdditionalProperties); ok {
			for _, name := range extra.Properties {
				key, _ := entry(n, name)
				out[key.Line] = true
			}
		}
	}
	if fault, ok := err.(*jsonschema.ValidationError); ok { //nolint:errorlint // Validate gives this type
		visit(fault)
	}
	return out
}

func stepInto(n *yaml.Node, step string) *yaml.Node {
	if n.Kind == yaml.SequenceNode {
		i := 0
		for _, c := range step {
			i = 10*i + int(c-'0')
		}
		return n.Content[i]
	}
	return child(n, step)
}
