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

// TestBrokenServers gives servers that cannot be bound. An archive's comment is the flag. Each code has one case, and each case one code.
func TestBrokenServers(t *testing.T) {
	golden, err := filepath.Abs("../golden/broken")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(golden, "server_*.txtar"))
	require.NoError(t, err)
	shown := map[diag.Code]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			unpack(t, archive)
			pattern := strings.TrimPrefix(strings.TrimSpace(string(archive.Comment)), "--server ")
			plan, findings, err := Prepare([]string{"openapi.yaml"}, Options{Server: pattern})
			require.NoError(t, err)
			assert.Nil(t, plan)
			all := findings.All()
			require.NotEmpty(t, all)
			for _, d := range all {
				assert.Equal(t, all[0].Code, d.Code)
			}
			assert.False(t, shown[all[0].Code], "%s has two cases", all[0].Code)
			shown[all[0].Code] = true
			var text strings.Builder
			require.NoError(t, diag.TextPrinter{Read: os.ReadFile}.Print(&text, all))
			compareWant(t, file, archive, text.String())
		})
	}
	for _, info := range diag.Codes() {
		if info.Code >= diag.ServerMissing {
			assert.True(t, shown[info.Code], "%s has no case in golden/broken", info.Code)
		}
	}
}

// unpack writes an archive into a folder of its own, where the go command asks no network and knows nothing of this repository.
func unpack(t *testing.T, archive *txtar.Archive) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, value := range map[string]string{"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOWORK": "off", "GOTOOLCHAIN": "local"} {
		t.Setenv(name, value)
	}
	for _, f := range archive.Files {
		put(t, ".", f.Name, string(f.Data))
	}
}
