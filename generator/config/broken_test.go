package config_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/openapi/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// broken are the files golden/broken/config_*.txtar: idemgen.yaml, and want.txt, the findings as people see them.
func broken(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "golden", "broken", "config_*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i := range files {
		files[i], err = filepath.Abs(files[i])
		require.NoError(t, err)
	}
	return files
}

func load(t *testing.T, text string) (*config.Config, diag.List) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(config.Name, []byte(text), 0o600))
	c, found, err := config.Load(config.Name)
	require.NoError(t, err)
	return c, found
}

func TestBrokenConfigs(t *testing.T) {
	if *update && os.Getenv("CI") != "" {
		t.Fatal("-update does not run under CI: golden files are changed by people")
	}
	for _, file := range broken(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			c, found := load(t, string(archive.Files[0].Data))
			assert.Nil(t, c)
			var got strings.Builder
			require.NoError(t, diag.TextPrinter{}.Print(&got, found.All()))
			want := &archive.Files[1]
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

// Each code about the configuration has one case, and each case shows one code.
func TestConfigCodesAndCasesAreOneToOne(t *testing.T) {
	shown := map[diag.Code]string{}
	for _, file := range broken(t) {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		_, found := load(t, string(archive.Files[0].Data))
		all := found.All()
		require.NotEmpty(t, all, file)
		for _, d := range all {
			assert.Equal(t, all[0].Code, d.Code, file)
		}
		assert.Empty(t, shown[all[0].Code], "%s has two cases", all[0].Code)
		shown[all[0].Code] = file
	}
	for _, info := range diag.Codes() {
		if info.Code >= diag.ConfigMember && info.Code <= diag.ConfigFixed {
			assert.NotEmpty(t, shown[info.Code], "%s has no case in golden/broken", info.Code)
		}
	}
}

// What explain shows as bad gives the finding that it explains, and what it shows as good gives none.
func TestExplanationsOfConfigCodesAreTrue(t *testing.T) {
	for _, info := range diag.Codes() {
		if info.Code < diag.ConfigMember || info.Code > diag.ConfigFixed {
			continue
		}
		_, bad := load(t, info.Bad)
		require.NotEmpty(t, bad.All(), info.Code)
		for _, d := range bad.All() {
			assert.Equal(t, info.Code, d.Code)
		}
		_, good := load(t, info.Good)
		assert.Empty(t, good.All(), info.Code)
	}
}
