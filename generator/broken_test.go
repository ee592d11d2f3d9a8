package generator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/idemgen/idemgen/openapi/diag"
)

// TestBroken gives documents that this package refuses, with --skip-unsupported, and compares all that is said of them.
func TestBroken(t *testing.T) {
	golden, err := filepath.Abs("../golden/broken")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(golden, "generate_*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			t.Chdir(t.TempDir())
			for _, f := range archive.Files {
				put(t, ".", f.Name, string(f.Data))
			}
			plan, findings, err := Prepare([]string{"openapi.yaml"}, Options{SkipUnsupported: true})
			require.NoError(t, err)
			assert.Nil(t, plan)
			var text strings.Builder
			require.NoError(t, diag.TextPrinter{Read: os.ReadFile}.Print(&text, findings.All()))
			compareWant(t, file, archive, text.String())
		})
	}
}

// compareWant compares with the archive's file `want`, and rewrites it with -update.
func compareWant(t *testing.T, file string, archive *txtar.Archive, got string) {
	t.Helper()
	for i, f := range archive.Files {
		if f.Name != "want" {
			continue
		}
		if *update {
			refuseUpdateInCI(t)
			archive.Files[i].Data = []byte(got)
			require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			return
		}
		assert.Equal(t, string(f.Data), got)
		return
	}
	t.Errorf("%s has no file `want`", file)
}
