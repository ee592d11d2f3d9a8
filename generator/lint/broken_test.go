package lint_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/lint"
	"github.com/idemgen/idemgen/openapi/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// broken are the files golden/broken/lint_*.txtar: openapi.yaml, which generates; accept.txt, a code and a place on each line, where findings
// are accepted; and want.txt, what people see.
func broken(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "golden", "broken", "lint_*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i := range files {
		files[i], err = filepath.Abs(files[i])
		require.NoError(t, err)
	}
	return files
}

func review(t *testing.T, archive *txtar.Archive) diag.List {
	t.Helper()
	doc, api := load(t, string(archive.Files[0].Data))
	found := lint.Check(lint.Document{Document: doc, Surveys: contract.Surveys(doc, api, ""), Extension: "x-idempotency"}, lint.All)
	if archive.Files[1].Name != "accept.txt" {
		return found
	}
	p := &lint.Policy{Whole: true}
	for i, line := range strings.Split(strings.TrimSpace(string(archive.Files[1].Data)), "\n") {
		code, place, _ := strings.Cut(line, " ")
		p.Accepted = append(p.Accepted, lint.Acceptance{Pos: diag.Pos{File: "accept.txt", Line: i + 1, Col: 1}, Code: diag.Code(code), At: place, Reason: "why"})
	}
	found = p.Judge(found, lint.NamesOf(doc, api))
	found.Append(p.Unused())
	return found
}

func TestBrokenDocuments(t *testing.T) {
	if *update && os.Getenv("CI") != "" {
		t.Fatal("-update does not run under CI: golden files are changed by people")
	}
	for _, file := range broken(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			found := review(t, archive)
			var got strings.Builder
			require.NoError(t, diag.TextPrinter{}.Print(&got, found.All()))
			want := &archive.Files[len(archive.Files)-1]
			require.Equal(t, "want.txt", want.Name)
			if *update {
				want.Data = []byte(got.String())
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
				return
			}
			assert.Equal(t, string(want.Data), got.String())
		})
	}
}

// Each code of IDG5xx has one case, and each case shows one code.
func TestCodesAndCasesAreOneToOne(t *testing.T) {
	shown := map[diag.Code]string{}
	for _, file := range broken(t) {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		found := review(t, archive)
		all := found.All()
		require.NotEmpty(t, all, file)
		for _, d := range all {
			assert.Equal(t, all[0].Code, d.Code, "%s: %s", filepath.Base(file), d)
			assert.True(t, d.Pos.IsValid() && d.Pos.Col > 0, "%s has no place", d)
			assert.NotEmpty(t, d.Hint, "%s has no hint", d)
			assert.Equal(t, diag.Warning, d.Severity)
		}
		assert.Empty(t, shown[all[0].Code], "%s has two cases", all[0].Code)
		shown[all[0].Code] = file
	}
	for _, info := range diag.Codes() {
		if strings.HasPrefix(string(info.Code), "IDG5") {
			assert.NotEmpty(t, shown[info.Code], "%s has no case in golden/broken", info.Code)
			assert.Equal(t, diag.Warning, info.Severity, "%s: rules are for warnings", info.Code)
			assert.NotEmpty(t, info.Bad, info.Code)
			assert.NotEmpty(t, info.Good, info.Code)
		}
	}
}
