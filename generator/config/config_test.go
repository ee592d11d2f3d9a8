package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/generator/lint"
	"github.com/idemgen/idemgen/openapi/diag"
)

// everyMember has all that the file can have.
const everyMember = `documents:
  - payments.yaml
  - path: vendor/api.json
    overlays: [vendor/annotations.yaml, common.yaml]
    out: internal/vendoridem
    package: vendoridem
    lock: vendor/api.lock.yaml
    extension: x-once
    webhooks: false
    skip-unsupported: true
    base: origin/release
lint: {IDG323: off, IDG324: error, IDG325: warning}
accept:
  - {code: IDG321, at: createQuote, reason: quotes are public}
strict: true
extension: x-idempotency
webhooks: true
skip-unsupported: false
base: origin/main
`

func none(string) bool { return false }

// write puts files into a new working folder.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

func TestEveryMemberIsRead(t *testing.T) {
	write(t, map[string]string{"api/idemgen.yaml": everyMember})
	c, found, err := config.Load("api/idemgen.yaml")
	require.NoError(t, err)
	require.Empty(t, found.All())
	assert.True(t, c.Strict.Value)
	assert.Equal(t, map[diag.Code]lint.Level{diag.RetentionShort: lint.Off, diag.KeyDeclaredOtherwise: lint.Error, diag.PatternNotGo: lint.Warning}, c.Levels)
	require.Len(t, c.Accepted, 1)
	assert.Equal(t, "createQuote", c.Accepted[0].At)
	assert.Equal(t, []string{filepath.FromSlash("api/payments.yaml"), filepath.FromSlash("api/vendor/api.json")}, c.DocumentsOr(nil))

	opts := generator.Options{Extension: "x-idempotency"}
	c.Configure(&opts, c.DocumentsOr(nil), none)
	assert.True(t, opts.Policy.Whole)
	assert.Equal(t, lint.Off, opts.Policy.Level(diag.RetentionShort))
	first := opts.Complete("api/payments.yaml", opts)
	assert.Equal(t, "x-idempotency", first.Extension)
	assert.True(t, first.Webhooks)
	assert.False(t, first.SkipUnsupported)
	assert.Equal(t, "origin/main", first.Base)
	assert.Empty(t, first.Out)
	vendor := opts.Complete("./api/../api/vendor/api.json", opts)
	vendor.Complete, vendor.Policy = nil, nil
	assert.Equal(t, generator.Options{
		Overlays:  []string{filepath.FromSlash("api/vendor/annotations.yaml"), filepath.FromSlash("api/common.yaml")},
		Extension: "x-once", SkipUnsupported: true, Out: filepath.FromSlash("api/internal/vendoridem"), Package: "vendoridem",
		Lock: filepath.FromSlash("api/vendor/api.lock.yaml"), Base: "origin/release",
	}, vendor)
}

// What a flag says goes before what the file says, whatever it says.
func TestFlagsOverrideTheFile(t *testing.T) {
	write(t, map[string]string{"idemgen.yaml": everyMember})
	c, _, err := config.Load("idemgen.yaml")
	require.NoError(t, err)
	all := []string{"overlay", "extension", "webhooks", "skip-unsupported", "base", "out", "package", "lock"}
	given := generator.Options{
		Overlays: []string{"other.yaml"}, Extension: "x-other", Webhooks: true, Out: "out", Package: "pkg", Lock: "other.lock.yaml", Base: "HEAD",
	}
	for _, flag := range all {
		opts := given
		c.Configure(&opts, nil, func(name string) bool { return name == flag })
		got := opts.Complete("vendor/api.json", opts)
		kept := map[string]bool{
			"overlay": got.Overlays[0] == "other.yaml", "extension": got.Extension == "x-other", "webhooks": got.Webhooks, "skip-unsupported": !got.SkipUnsupported,
			"base": got.Base == "HEAD", "out": got.Out == "out", "package": got.Package == "pkg", "lock": got.Lock == "other.lock.yaml",
		}
		require.Len(t, kept, len(all))
		for name, is := range kept {
			assert.Equal(t, name == flag, is, "%s, given %s", name, flag)
		}
	}
}

func TestNoConfigurationChangesNothing(t *testing.T) {
	var c *config.Config
	opts := generator.Options{}
	c.Configure(&opts, nil, none)
	assert.Equal(t, generator.Options{}, opts)
	assert.Equal(t, []string{"a.yaml"}, c.DocumentsOr([]string{"a.yaml"}))
}

// A policy about more documents than those of the run cannot say that an acceptance matches nothing.
func TestPolicyIsWholeWhenAllDocumentsAreThere(t *testing.T) {
	write(t, map[string]string{"idemgen.yaml": "documents: [a.yaml, sub/b.yaml]\n", "none.yaml": "strict: true\n"})
	for file, cases := range map[string]map[string]bool{
		"idemgen.yaml": {"a.yaml": false, "a.yaml sub/b.yaml": true, "./sub/b.yaml a.yaml other.yaml": true, "": false}, "none.yaml": {"a.yaml": true},
	} {
		c, _, err := config.Load(file)
		require.NoError(t, err)
		for documents, want := range cases {
			var opts generator.Options
			c.Configure(&opts, strings.Fields(documents), none)
			assert.Equal(t, want, opts.Policy.Whole, "%s: %s", file, documents)
		}
	}
}

func TestFindLooksBesideTheDocumentThenUpToTheRepositorysRoot(t *testing.T) {
	for name, c := range map[string]struct {
		files     []string
		in        string
		documents []string
		want      string
	}{
		"beside the document":          {files: []string{"repo/.git/HEAD", "repo/idemgen.yaml", "repo/api/idemgen.yaml"}, in: "repo", documents: []string{"api/a.yaml"}, want: "api/idemgen.yaml"},
		"beside one of them":           {files: []string{"repo/api/idemgen.yaml"}, in: "repo", documents: []string{"a.yaml", "api/a.yaml"}, want: "api/idemgen.yaml"},
		"the working folder":           {files: []string{"repo/idemgen.yaml"}, in: "repo", documents: []string{"api/a.yaml"}, want: "idemgen.yaml"},
		"a folder above":               {files: []string{"repo/.git/HEAD", "repo/idemgen.yaml", "repo/a/b/x"}, in: "repo/a/b", want: "../../idemgen.yaml"},
		"the nearest above":            {files: []string{"repo/.git/HEAD", "repo/idemgen.yaml", "repo/a/idemgen.yaml", "repo/a/b/x"}, in: "repo/a/b", want: "../idemgen.yaml"},
		"not above the root":           {files: []string{"idemgen.yaml", "repo/.git/HEAD", "repo/a/x"}, in: "repo/a", want: ""},
		"not above without repository": {files: []string{"idemgen.yaml", "repo/a/x"}, in: "repo/a", want: ""},
		"a worktree's file .git":       {files: []string{"repo/.git", "repo/idemgen.yaml", "repo/a/x"}, in: "repo/a", want: "../idemgen.yaml"},
		"a folder of that name":        {files: []string{"repo/idemgen.yaml/x"}, in: "repo", want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			for _, f := range c.files {
				files[f] = "strict: true\n"
			}
			write(t, files)
			t.Chdir(c.in)
			got, err := config.Find(c.documents)
			require.NoError(t, err)
			assert.Equal(t, c.want, filepath.ToSlash(got))
		})
	}
}

func TestFindRefusesToChoose(t *testing.T) {
	write(t, map[string]string{"a/idemgen.yaml": "", "b/idemgen.yaml": ""})
	_, err := config.Find([]string{"a/x.yaml", "./a/y.yaml"})
	require.NoError(t, err)
	_, err = config.Find([]string{"a/x.yaml", "b/x.yaml"})
	assert.ErrorContains(t, err, "a/idemgen.yaml and b/idemgen.yaml")
}

func TestOpen(t *testing.T) {
	write(t, map[string]string{"idemgen.yaml": "strict: true\n", "other.yaml": "webhooks: true\n"})
	c, _, err := config.Open("", nil)
	require.NoError(t, err)
	assert.True(t, c.Strict.Value)
	c, _, err = config.Open("other.yaml", nil)
	require.NoError(t, err)
	assert.True(t, c.Webhooks.Value)
	c, _, err = config.Open(config.None, nil)
	require.NoError(t, err)
	assert.Nil(t, c)
	_, _, err = config.Open("absent.yaml", nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// schema is the file's, compiled: that holds it to its draft.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := config.Schema()
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("config.json", document))
	s, err := compiler.Compile("config.json")
	require.NoError(t, err)
	return s
}

func asJSON(t *testing.T, text string) any {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal([]byte(text), &v))
	data, err := json.Marshal(v)
	require.NoError(t, err)
	out, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	require.NoError(t, err)
	return out
}

// What the file can have is valid, what is refused is not; only that something is named twice a schema cannot say.
func TestSchemaSaysWhatTheReaderSays(t *testing.T) {
	s := schema(t)
	assert.NoError(t, s.Validate(asJSON(t, everyMember)))
	for _, info := range diag.Codes() {
		if info.Code >= diag.ConfigMember && info.Code <= diag.ConfigFixed {
			assert.NoError(t, s.Validate(asJSON(t, info.Good)), info.Code)
			assert.Equal(t, info.Code != diag.ConfigTwice, s.Validate(asJSON(t, info.Bad)) != nil, info.Code)
		}
	}
	for _, file := range broken(t) {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		whole := asJSON(t, string(archive.Files[0].Data)).(map[string]any)
		for member, value := range whole { // each by itself: every one of them has a fault
			err := s.Validate(map[string]any{member: value})
			_, found := load(t, memberText(t, member, value))
			assert.Equal(t, found.HasErrors() && filepath.Base(file) != "config_twice.txtar", err != nil, "%s: %s", filepath.Base(file), member)
		}
	}
}

func memberText(t *testing.T, member string, value any) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{member: value})
	require.NoError(t, err)
	return string(data)
}
