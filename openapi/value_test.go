package openapi_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

func TestParseValueKeepsKindsAndPlaces(t *testing.T) {
	v, found := openapi.ParseValue("a.yaml", []byte("é: &x [1, 'two', true]\nb: {c: *x, d: }\n"))
	require.Empty(t, found.All())
	require.Equal(t, openapi.ObjectValue, v.Kind)
	require.Len(t, v.Members, 2)
	first := v.Members[0]
	assert.Equal(t, "é", first.Name)
	assert.Equal(t, diag.Pos{File: "a.yaml", Line: 1, Col: 1}, first.Pos)
	var kinds []openapi.ValueKind
	var texts, said []string
	for _, item := range first.Value.Items {
		kinds, texts, said = append(kinds, item.Kind), append(texts, item.Text), append(said, item.Describe())
	}
	assert.Equal(t, []openapi.ValueKind{openapi.NumberValue, openapi.TextValue, openapi.BoolValue}, kinds)
	assert.Equal(t, []string{"1", "two", "true"}, texts)
	assert.Equal(t, []string{"1", `"two"`, "true"}, said)
	assert.Equal(t, diag.Pos{File: "a.yaml", Line: 1, Col: 12}, first.Value.Items[1].Pos, "columns are bytes")
	inner := v.Members[1].Value.Members
	assert.Len(t, inner[0].Value.Items, 3, "the alias stands for what it names")
	assert.Equal(t, "empty", inner[1].Value.Describe())
	assert.Equal(t, []string{"a list", "an object"}, []string{inner[0].Value.Describe(), v.Describe()})
}

func TestParseValueReportsLikeADocument(t *testing.T) {
	for text, want := range map[string]diag.Code{"a: 1\na: 2\n": diag.DuplicateMember, "a: [": diag.Syntax, "": diag.Syntax} {
		_, found := openapi.ParseValue("a.yaml", []byte(text))
		require.Equal(t, 1, found.Len(), text)
		assert.Equal(t, want, found.All()[0].Code, text)
	}
}

func TestReadValueSaysWhatCannotBeRead(t *testing.T) {
	_, _, err := openapi.ReadValue(filepath.Join(t.TempDir(), "absent.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
	file := filepath.Join(t.TempDir(), "a.yaml")
	require.NoError(t, os.WriteFile(file, []byte("a: 1"), 0o600))
	v, found, err := openapi.ReadValue(file)
	require.NoError(t, err)
	assert.Empty(t, found.All())
	assert.Equal(t, filepath.ToSlash(file), v.Pos.File)
}
