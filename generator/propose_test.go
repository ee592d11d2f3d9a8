package generator

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Places inside of a case of golden/propose: what is compared, and what stands in no copy of it.
const (
	wantOverlay  = "want.overlay.yaml"
	wantFindings = "findings.txt"
	wantInPlace  = "in-place"
)

// TestProposals proposes for every case of golden/propose, as an overlay and in place, from two working folders, and compares all bytes.
// With the proposal the document generates, and a second run has nothing to say.
func TestProposals(t *testing.T) {
	golden, err := filepath.Abs("../golden/propose")
	require.NoError(t, err)
	entries, err := os.ReadDir(golden)
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		for _, inPlace := range []bool{false, true} {
			name := e.Name() + " as an overlay"
			if inPlace {
				name = e.Name() + " in place"
			}
			t.Run(name, func(t *testing.T) {
				dir := filepath.Join(golden, e.Name())
				near := proposalCase(t, dir)
				t.Chdir(near)
				got := proposed(t, "openapi.yaml", inPlace)
				compareProposal(t, dir, got, inPlace)
				again(t, "openapi.yaml", inPlace)

				far := proposalCase(t, dir)
				t.Chdir(filepath.Dir(filepath.Dir(far)))
				document := filepath.Join(filepath.Base(filepath.Dir(far)), filepath.Base(far), "openapi.yaml")
				assert.Equal(t, got, proposed(t, document, inPlace), "from another folder")
			})
		}
	}
}

// proposalCase copies the documents of a case.
func proposalCase(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	for name, text := range tree(t, os.DirFS(dir)) {
		if name != wantOverlay && !strings.HasPrefix(name, wantInPlace) && !strings.Contains(name, wantFindings) {
			put(t, to, name, text)
		}
	}
	return to
}

// proposed writes a proposal and gives the files by the names that they have beside the document, with what was found.
func proposed(t *testing.T, document string, inPlace bool) map[string]string {
	t.Helper()
	p, findings, err := Propose(document, Options{Webhooks: true}, ProposeOptions{InPlace: inPlace})
	require.NoError(t, err)
	require.False(t, findings.HasErrors(), "%v", findings.All())
	_, err = p.Write()
	require.NoError(t, err)
	got := map[string]string{}
	for _, f := range p.Files {
		data, err := os.ReadFile(f.Path)
		require.NoError(t, err)
		name, err := filepath.Rel(filepath.Dir(document), f.Path)
		require.NoError(t, err)
		got[filepath.ToSlash(name)] = string(data)
	}
	var text strings.Builder
	require.NoError(t, diag.ShortPrinter{}.Print(&text, findings.All()))
	got[wantFindings] = strings.ReplaceAll(text.String(), slash(filepath.Dir(document))+"/", "")
	return got
}

func compareProposal(t *testing.T, dir string, got map[string]string, inPlace bool) {
	t.Helper()
	if !inPlace {
		got = map[string]string{wantOverlay: got["openapi"+overlaySuffix], wantFindings: got[wantFindings]}
	}
	for name, text := range got {
		if inPlace {
			name = wantInPlace + "/" + name
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if *update {
			refuseUpdateInCI(t)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			continue
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), text, name)
	}
}

// again generates with the proposal, and proposes once more: nothing is left but what was left out.
func again(t *testing.T, document string, inPlace bool) {
	t.Helper()
	opts := Options{Webhooks: true}
	if !inPlace {
		opts.Overlays = []string{"openapi" + overlaySuffix}
	}
	plan, findings, err := Prepare([]string{document}, opts)
	require.NoError(t, err)
	require.False(t, findings.HasErrors(), "%v", findings.All())
	require.NotZero(t, plan.Packages[0].Operations)
	p, findings, err := Propose(document, opts, ProposeOptions{InPlace: inPlace, Out: "more.yaml"})
	require.NoError(t, err)
	require.False(t, findings.HasErrors(), "%v", findings.All())
	assert.Empty(t, p.Files)
	assert.Zero(t, p.Proposed)
}

func TestProposalsNeverReplaceAnOverlay(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, ".", "api.yaml", "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n  /a:\n    post:\n      operationId: a\n")
	p, _, err := Propose("api.yaml", Options{}, ProposeOptions{})
	require.NoError(t, err)
	changes, err := p.Write()
	require.NoError(t, err)
	assert.Equal(t, []Change{{"api.idempotency.overlay.yaml", Written}}, changes)
	changes, err = p.Write()
	require.NoError(t, err)
	assert.Equal(t, []Change{{"api.idempotency.overlay.yaml", Unchanged}}, changes)

	put(t, ".", "api.idempotency.overlay.yaml", "# decided\n")
	_, err = p.Write()
	var blocked *BlockedError
	require.ErrorAs(t, err, &blocked)
	d := blocked.Diagnostics.All()[0]
	assert.Equal(t, diag.ProposalExists, d.Code)
	assert.Equal(t, "idemgen init api.yaml --overlay api.idempotency.overlay.yaml --out api.more.overlay.yaml", d.Hint)
	data, err := os.ReadFile("api.idempotency.overlay.yaml")
	require.NoError(t, err)
	assert.Equal(t, "# decided\n", string(data))
}

func TestProposalsInPlaceKeepWhatTheyDoNotAdd(t *testing.T) {
	const lf = "openapi: 3.1.0 # x\ninfo: {title: 't', version: \"1\"}\n# above\npaths:\n  /a: # y\n    post:\n      summary:   'é'\n      operationId: a"
	for name, text := range map[string]string{
		"LF": lf + "\n", "CRLF": strings.ReplaceAll(lf, "\n", "\r\n") + "\r\n", "no end": lf, "CRLF and no end": strings.ReplaceAll(lf, "\n", "\r\n"),
		"BOM": "\uFEFF" + lf + "\n", "BOM before paths": "\uFEFFpaths:\n  /a:\n    post:\n      summary: s\nopenapi: 3.1.0\ninfo: {title: t, version: '1'}\n",
		"blank lines at the end": lf + "\n\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, ".", "real.yaml", text)
			require.NoError(t, os.Symlink("real.yaml", "api.yaml"))
			p, findings, err := Propose("api.yaml", Options{}, ProposeOptions{InPlace: true})
			require.NoError(t, err)
			require.Zero(t, findings.Len(), "%v", findings.All())
			_, err = p.Write()
			require.NoError(t, err)
			info, err := os.Lstat("api.yaml")
			require.NoError(t, err)
			assert.NotZero(t, info.Mode()&os.ModeSymlink, "the link stays")
			after, err := os.ReadFile("real.yaml")
			require.NoError(t, err)
			if !strings.HasSuffix(text, "\n") { // what follows needs an end of it
				text += map[bool]string{true: "\r\n", false: "\n"}[strings.Contains(text, "\r\n")]
			}
			assert.Equal(t, text, withoutProposal(string(after)))
			assert.Equal(t, strings.Contains(name, "CRLF"), bytes.Contains(after, []byte("\r\n")))
			assert.NotContains(t, strings.ReplaceAll(string(after), "\r\n", ""), "\r")
			if strings.Contains(name, "CRLF") {
				assert.NotContains(t, strings.ReplaceAll(string(after), "\r\n", ""), "\n", "every line ends alike")
			}
		})
	}
}

// withoutProposal drops the lines of annotations: from one to the next line that is not further in.
func withoutProposal(text string) string {
	const none = -1
	bom := strings.HasPrefix(text, "\uFEFF")
	var out strings.Builder
	inside := none
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		in := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case strings.HasPrefix(line[in:], "x-idempotency:"):
			inside = in
			continue
		case inside != none && in > inside && strings.TrimSpace(line) != "":
			continue
		}
		inside = none
		out.WriteString(line)
	}
	got := out.String()
	if bom {
		got = "\uFEFF" + got
	}
	return got
}

// A file that somebody saved after it was read is not written over.
func TestProposalsInPlaceSeeThatTheFileChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n  /a:\n    post:\n      operationId: a\n"
	put(t, ".", "api.yaml", text)
	p, _, err := Propose("api.yaml", Options{}, ProposeOptions{InPlace: true})
	require.NoError(t, err)
	put(t, ".", "api.yaml", text+"# saved\n")
	_, err = p.Write()
	require.ErrorContains(t, err, "changed since it was read")
	data, err := os.ReadFile("api.yaml")
	require.NoError(t, err)
	assert.Equal(t, text+"# saved\n", string(data))
}

// A scope that is missing everywhere is what a proposal gives; other errors have to be mended first.
func TestProposalsAnswerMissingScopesAlone(t *testing.T) {
	const head = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n"
	const paths = "paths:\n  /a:\n    post:\n      operationId: a\n      x-idempotency: required\n"
	for _, c := range []struct {
		name, text string
		inPlace    bool
		want       diag.Code
	}{
		{"overlay", head + paths, false, ""},
		{"in place", head + paths, true, ""},
		{"in place, beside another default", head + "x-idempotency:\n  retention: 48h\n" + paths, true, ""},
		{"in place, no place for it", head + "x-idempotency: {retention: 48h}\n" + paths, true, diag.ScopeMissing},
		{"another error", head + paths + "      requestBody: {$ref: nowhere.yaml}\n", false, diag.RefFileMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, ".", "api.yaml", c.text)
			p, findings, err := Propose("api.yaml", Options{}, ProposeOptions{InPlace: c.inPlace})
			require.NoError(t, err)
			if c.want != "" {
				assert.Nil(t, p)
				assert.True(t, slices.ContainsFunc(findings.All(), func(d diag.Diagnostic) bool { return d.Code == c.want }))
				return
			}
			require.Zero(t, findings.Len(), "%v", findings.All())
			require.Len(t, p.Files, 1)
			assert.True(t, p.Scope)
			assert.Contains(t, string(p.Files[0].Content), "scope: [tenant]")
		})
	}
}

// Documents that were written for something else, read under another name of the annotation: every operation in them is a candidate.
// Each is refused for what is wrong with it, or gets a proposal with which it generates; Propose itself sees to that.
func TestProposalsOfOtherGoldenDocuments(t *testing.T) {
	golden, err := filepath.Abs("../golden")
	require.NoError(t, err)
	pipeline, err := filepath.Glob(filepath.Join(golden, "pipeline", "*", "openapi.yaml"))
	require.NoError(t, err)
	broken, err := filepath.Glob(filepath.Join(golden, "broken", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, broken)
	proposed := 0
	for _, file := range append(pipeline, broken...) {
		name := strings.TrimPrefix(file, golden+string(filepath.Separator))
		t.Run(name, func(t *testing.T) {
			document := file
			if filepath.Ext(file) == ".txtar" {
				archive, err := txtar.ParseFile(file)
				require.NoError(t, err)
				t.Chdir(t.TempDir())
				for _, f := range archive.Files {
					put(t, ".", f.Name, string(f.Data))
				}
				if document = "openapi.yaml"; !exists(document) {
					document = archive.Files[0].Name
				}
			}
			p, findings, err := Propose(document, Options{Extension: "x-retry", Webhooks: true}, ProposeOptions{Out: "proposal.yaml"})
			var obstacle *BlockedError
			if errors.As(err, &obstacle) {
				return // a case that is about what stands in the way
			}
			require.NoError(t, err)
			if findings.HasErrors() {
				assert.Nil(t, p)
				return
			}
			proposed += p.Proposed
		})
	}
	assert.Greater(t, proposed, 100)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
