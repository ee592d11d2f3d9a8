package config

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Whatever stands in the file, reading it ends with a configuration, which is valid by the schema, or with findings that have a place.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"documents: [a.yaml, {path: b.yaml, overlays: [c.yaml], out: d, package: e, lock: f, extension: x-g, webhooks: true, skip-unsupported: false, base: h}]",
		"lint: {IDG323: off, idg1: error}\naccept: [{code: IDG323, at: a, reason: b}, {}]\nstrict: yes", "{}", "[]", "a: &b [*b]", "documents: [..]", "base: ' '", "x",
		"documents: [./a, a, {path: ''}, 5]", "accept: [{code: [], at: {}, reason: 1}]", "extension: x-", "documents: ['C:\\a', '/a', '~']",
	} {
		f.Add(seed)
	}
	text, err := Schema()
	require.NoError(f, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(f, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(f, compiler.AddResource("config.json", document))
	schema, err := compiler.Compile("config.json")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		root, found := openapi.ParseValue("idemgen.yaml", []byte(text))
		if root == nil {
			return
		}
		c, more := decode(*root, "idemgen.yaml")
		found.Append(more)
		require.Equal(t, c == nil, more.HasErrors())
		for _, d := range found.All() {
			require.True(t, d.Pos.IsValid() && d.Pos.Col > 0, "%s has no place", d)
			_, known := diag.Lookup(d.Code)
			require.True(t, known)
		}
		if c != nil {
			require.NoError(t, schema.Validate(asJSON(t, *root)), text)
		}
	})
}

// asJSON is what a schema judges of v.
func asJSON(t *testing.T, v openapi.Value) any {
	t.Helper()
	switch v.Kind {
	case openapi.ObjectValue:
		out := map[string]any{}
		for _, m := range v.Members {
			out[m.Name] = asJSON(t, m.Value)
		}
		return out
	case openapi.ListValue:
		out := []any{}
		for _, item := range v.Items {
			out = append(out, asJSON(t, item))
		}
		return out
	case openapi.BoolValue:
		return v.Text[0] == 't' || v.Text[0] == 'T'
	case openapi.NumberValue:
		return json.Number("1") // no member is one
	case openapi.NullValue:
		return nil
	case openapi.TextValue:
	}
	return v.Text
}
