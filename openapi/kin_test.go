package openapi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

const threeOperations = header + `
paths:
  /a: {post: {x-idempotency: {scope: [tenant]}, requestBody: {content: {a/b: {schema: {$ref: '#/components/schemas/S'}}}}}}
  /bad: {put: {x-idempotency: {scope: [tenant]}, requestBody: {content: {a/b: {schema: {format: bad}}}}}}
  /c: {post: {x-idempotency: {scope: [tenant]}, requestBody: {content: {a/b: {schema: {$ref: '#/components/schemas/S'}}}}}}
components: {schemas: {S: {type: string}}}
`

func TestAnOperationThatTheLibraryRefusesIsNamed(t *testing.T) {
	ds := diag.List{}
	l := newLoading(memory{"a.yaml": threeOperations}, Options{}, &ds)
	l.kin = func(text []byte) (*openapi3.T, error) {
		if strings.Contains(string(text), `"bad"`) {
			return nil, errors.New("refused")
		}
		return readReduced(text)
	}
	doc, err := l.document("a.yaml")
	require.NoError(t, err)
	assert.Equal(t, "a.yaml:6:10: error: PUT /bad cannot be read: refused [IDG149]\n", short(ds))
	require.Len(t, doc.Operations, 2)
	assert.Same(t, doc.Operations[0].Body.Media[0].Schema, doc.Operations[1].Body.Media[0].Schema, "the others still share")
}

func TestOperationsThatTheLibraryRefusesOnlyTogether(t *testing.T) {
	ds := diag.List{}
	l := newLoading(memory{"a.yaml": threeOperations}, Options{}, &ds)
	l.kin = func(text []byte) (*openapi3.T, error) {
		if strings.Contains(string(text), `"/1"`) {
			return nil, errors.New("refused")
		}
		return readReduced(text)
	}
	doc, err := l.document("a.yaml")
	require.NoError(t, err)
	assert.Equal(t, "a.yaml:1:1: error: the annotated operations cannot be read together: refused [IDG149]\n", short(ds))
	assert.Empty(t, doc.Operations)
}

func TestReadReducedReachesNothingOutside(t *testing.T) {
	for _, ref := range []string{"/etc/passwd", "other.yaml#/x", "http://127.0.0.1:1/x"} {
		_, err := readReduced([]byte(`{"openapi":"3.0.3","info":{"title":"","version":""},"paths":{},"components":{"schemas":{"A":{"$ref":"` + ref + `"}}}}`))
		require.ErrorContains(t, err, "a reduced document refers to nothing outside of it")
	}
}

func TestReadReducedSurvivesAPanic(t *testing.T) {
	_, err := guarded(func() (*openapi3.T, error) { panic("boom") })
	assert.EqualError(t, err, "openapi: load reduced document: panic: boom")
}

// Names and texts of a document must pass through the reduced text unchanged, whatever they hold.
func TestNamesPassThroughTheReducedDocument(t *testing.T) {
	names := []string{"plain", "a b", "ünï", "💸", `q"q`, `b\b`, "<<", "yes", "null", "1", "~", "# no comment", "a: b", "- x", "{x}", "$ref",
		"x-idempotency", "\u2028", "\u0085", "\u007f", "\ufeff", "tab\there", "line\nbreak", "", " ", "%41", strings.Repeat("long", 600)}
	var b strings.Builder
	for _, n := range names {
		b.WriteString(quoteJSON(n) + `: {"type": "string", "format": ` + quoteJSON(n) + "},")
	}
	text := `{"openapi": "3.1.0", "paths": {"/a": {"post": {"x-idempotency": {"scope": ["tenant"]}, "requestBody": {"content": {"a/b": {"schema":
		{"properties": {` + strings.TrimSuffix(b.String(), ",") + `}}}}}}}}}`
	doc, ds, err := load(memory{"a.json": text}, "a.json", Options{})
	require.NoError(t, err)
	require.Empty(t, short(ds))
	var got, formats []string
	for _, p := range doc.Operations[0].Body.Media[0].Schema.Properties {
		got = append(got, p.Name)
		formats = append(formats, p.Schema.Format)
	}
	assert.Equal(t, names, got)
	assert.Equal(t, names, formats)
}

func quoteJSON(s string) string { return string(appendString(nil, s)) }

// The same document gives the same result, whatever the maps on the way do.
func TestLoadDependsOnTheFilesAlone(t *testing.T) {
	file := filepath.Join(specs(t), "coinbase-cdp.yaml")
	data, err := disk{}.read(file)
	require.NoError(t, err)
	from := memory{"a.yaml": string(annotate("a.yaml", data))}
	dump := func() string {
		doc, ds, err := load(from, "a.yaml", Options{})
		require.NoError(t, err)
		var b strings.Builder
		b.WriteString(short(ds))
		for _, op := range doc.Operations {
			fmt.Fprintln(&b, op.Pos, op.Method, op.Path)
			for _, p := range op.Parameters {
				fmt.Fprintln(&b, p.Pos, p.Name, p.In, show(p.Schema))
			}
			if op.Body != nil {
				for _, m := range op.Body.Media {
					fmt.Fprintln(&b, m.Pos, m.Type, show(m.Schema))
				}
			}
		}
		return b.String()
	}
	assert.Equal(t, dump(), dump())
}

// Many schemas that refer to many others: the work grows with the text. With the ways through it, this test would not end.
func TestLoadOfManyReferencesEnds(t *testing.T) {
	const schemas, refs = 600, 20
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString(`{"openapi": "3.1.0", "paths": {"/a": {"post": {"x-idempotency": {"scope": ["tenant"]}, "requestBody":
		{"content": {"a/b": {"schema": {"$ref": "#/components/schemas/S0"}}}}}}}, "components": {"schemas": {`)
	for i := range schemas {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"S%d": {"properties": {"n": {"properties": {"n": {"items": {"$ref": "#/components/schemas/S%d"}}`, i, (i+1)%schemas)
		for j := range refs {
			fmt.Fprintf(&b, `, "p%d": {"$ref": "#/components/schemas/S%d"}`, j, random.IntN(schemas))
		}
		b.WriteString("}}}}")
	}
	b.WriteString("}}}")
	doc, ds, err := load(memory{"a.json": b.String()}, "a.json", Options{})
	require.NoError(t, err)
	require.Empty(t, short(ds))
	checkDocument(t, doc)
}

func FuzzLoad(f *testing.F) {
	for _, schema := range []string{
		`{$ref: '#/components/schemas/A'}`, `{allOf: [{$ref: '#/components/schemas/B'}], oneOf: [{$ref: '#/components/schemas/A'}]}`,
		`{anyOf: [{$ref: '#/components/schemas/B'}, {type: "null"}]}`, `{type: [string, null], default: .5, enum: [a, 0x1]}`,
		`{discriminator: {propertyName: k, mapping: {a: A, b: '#/components/schemas/B'}}}`, `&a {properties: {x: *a}}`,
		`{<<: {type: string}, $ref: '#/components/schemas/A', readOnly: true}`, `{$ref: '#/paths'}`, `{$ref: 'b.yaml'}`, `{$ref: '#/a.yaml'}`,
	} {
		f.Add(header + "paths: {'/a/{x}': {x-idempotency: {scope: [t]}, parameters: [{name: x, in: path}], post: {x-idempotency: required, requestBody: {content: {a/b: {schema: " +
			schema + "}}}}}}\ncomponents: {schemas: {A: {$ref: '#/components/schemas/B'}, B: " + schema + "}}\n")
	}
	f.Add(header + "paths: {/a: {$ref: '#/paths/~1a'}, /b: {$ref: 'b.yaml#/x'}}\nwebhooks: {w: {post: {x-idempotency: {}}}}\nx-idempotency: {operations: {a: {}}}")
	f.Add(`{"openapi":"3.0.0","paths":{"/a":{"post":{"x-idempotency":true,"parameters":[{"$ref":"#/paths/~1a/post/parameters/0"}],"responses":{"200":{"$ref":"#/x"}},"security":[{}]}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		files := memory{"a.yaml": text, "b.yaml": "$ref: a.yaml\n"}
		doc, ds, err := load(files, "a.yaml", Options{Webhooks: true})
		require.NoError(t, err)
		for _, d := range ds.All() {
			lines := strings.Split(files[d.Pos.File], "\n")
			require.True(t, d.Pos.IsValid() && d.Pos.Line <= len(lines) && d.Pos.Col >= 1 && d.Pos.Col <= len(lines[d.Pos.Line-1])+1, "%s has no place in its file", d)
			require.NotEqual(t, diag.Unreadable, d.Code, "the library refused what was meant to be clean: %s", d)
		}
		if doc == nil {
			require.True(t, ds.HasErrors())
			return
		}
		checkDocument(t, doc)
	})
}
