package openapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Whatever stands in a file, decoding it ends with an annotation or with findings that have a place, never with a panic. What is an
// annotation is valid by its schema.
func FuzzDecodeAnnotation(f *testing.F) {
	for _, c := range faults {
		f.Add(c.text)
	}
	for _, seed := range []string{everyMember, "required", "{}", "~", "{5: x, [1]: y, {a: b}: c}", "{<<: {key: header.A}, scope: [a]}", "&a [*a]",
		"{scope: &s [a], unique: *s}", "!!binary aGk=", "!foo {key: !bar header.A}", "{operations: {a: {operations: {a: required}}}}",
		"{? {a: b} : c}", "{key: !!str 5, attempts: !!int '5', retention: !!null ''}", "{fingerprint: {fields: [!!set {body.a}]}}",
		"{fingerprint: {fields: [], ignored: []}, keep: {except: []}, replay: {headers: []}, retention: 007s, lease: P1W1DT1M}", "{key: {}, errors: {}, replay: {}}",
		`{key: 'header["X.a"]', unique: ['body["é\u0301"]', body.größe], scope: [a-b_9, 'header.X-A'], keyspace: 'a b'}`} {
		f.Add(seed)
	}
	schema := annotationSchema(f)
	f.Fuzz(func(t *testing.T, text string) {
		if s, _ := parseSource("a.yaml", []byte(text)); s != nil {
			decodeEverywhere(t, s)
			ds := &diag.List{}
			decodeAnnotation(s, s.root, ds)
			if value, ok := valueOf(t, s.root); ok && !ds.HasErrors() {
				require.NoError(t, schema.Validate(value), text)
			}
		}
		// A tree as the YAML library gives it, with aliases and merge keys, is more than a source ever holds.
		var raw yaml.Node
		if yaml.Unmarshal([]byte(text), &raw) == nil && len(raw.Content) == 1 {
			decodeEverywhere(t, &source{file: "raw.yaml", root: raw.Content[0]})
		}
	})
}

func decodeEverywhere(t *testing.T, s *source) {
	ds := &diag.List{}
	a := decodeAnnotation(s, s.root, ds)
	require.Equal(t, ds.HasErrors(), a.Broken)
	require.True(t, a.Mode.Set || a.Broken, "neither a mode nor a finding")
	item := decodePathDefaults(s, s.root, ds)
	root, operations := decodeDefaults(s, s.root, ds)
	for _, op := range operations {
		checkAnnotation(op, inheritAnnotation(root, item, op), ds)
	}
	checkAnnotation(a, inheritAnnotation(root, item, a), ds)
	for _, d := range ds.All() {
		require.True(t, d.Pos.IsValid() && d.Pos.Col > 0, "%s has no place", d)
		require.NotEmpty(t, d.Message)
		_, known := diag.Lookup(d.Code)
		require.True(t, known, d.Code)
	}
}

// No overlay on no document panics, and the two forms of the document stay equal.
func FuzzApplyOverlay(f *testing.F) {
	for _, seed := range [][2]string{
		{"{a: {b: [1, {c: 2}]}}", "- {target: $.a.b, update: {n: 1}}\n- {target: '$..[?@.n]', remove: true}"},
		{"{a: {b: 1}}", "- {target: $.a, update: {b: {c: 1}}}"},
		{"[1, 2, [3]]", "- {target: '$[2]', update: 4}\n- {target: $, update: 5}\n- {target: '$[0]', remove: true}"},
		{"x", "- {target: $, update: {a: 1}}"},
		{"{a: &x {n: {}}, b: *x}", "- {target: $..n, update: {m: 1}}"},
		{"{paths: {/x: {post: {}}}}", "- {target: $.paths./x.post, update: {}}\n- {target: $.paths['/y'].post, update: {}}"},
		{"{a: [{}]}", "- {target: '$.a[?length(@.b) > 1 || match(@.c, \"x\")]', remove: true}"},
		{"{a: [{}, 1]}", "- {target: '$.a[?@.b.c < @.d || @ <= $.zz[0]]', remove: true}"},
		{"{a: [1, 2, 3]}", "- {target: '$.a[::-1, 0, -1]', remove: true}"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, doc, actions string) {
		s, _ := parseSource("doc.yaml", []byte(doc))
		o, _ := parseSource("overlay.yaml", []byte(overlayHead+actions))
		if s == nil || o == nil {
			return
		}
		ds := &diag.List{}
		run := &overlayRun{reader: overlayReader{s: o, ds: ds}, doc: s, tree: newOverlayTree(s.root)}
		for _, a := range run.reader.actions() {
			run.apply(a)
			require.Equal(t, plainValue(run.tree.root), run.tree.value)
		}
		for _, d := range ds.All() {
			require.True(t, d.Pos.IsValid(), "%s has no place", d)
			require.Equal(t, "overlay.yaml", d.Pos.File)
		}
	})
}
