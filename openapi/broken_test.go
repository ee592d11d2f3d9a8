package openapi

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

var update = flag.Bool("update", false, "write what is found into the golden files")

// brokenDocuments are the files golden/broken/doc_*.txtar: a document (openapi.yaml or openapi.json) with what belongs to it,
// and want.txt, its findings in the short format.
func brokenDocuments(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "golden", "broken", "doc_*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func loadBroken(t *testing.T, archive *txtar.Archive) (ds diag.List, from memory) {
	t.Helper()
	from = memory{}
	root := ""
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "openapi.") {
			root = f.Name
		}
		if f.Name != "want.txt" {
			from[f.Name] = string(f.Data)
		}
	}
	_, ds, err := load(from, root, Options{})
	require.NoError(t, err)
	return ds, from
}

func TestBrokenDocuments(t *testing.T) {
	if *update && os.Getenv("CI") != "" {
		t.Fatal("-update does not run under CI: golden files are changed by people")
	}
	for _, file := range brokenDocuments(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			ds, from := loadBroken(t, archive)
			got := short(ds)
			for _, d := range ds.All() {
				lines := strings.Split(from[d.Pos.File], "\n")
				require.True(t, d.Pos.IsValid() && d.Pos.Line <= len(lines) && d.Pos.Col <= len(lines[d.Pos.Line-1])+1,
					"%s has no place in its file", d)
			}
			want := &archive.Files[len(archive.Files)-1]
			require.Equal(t, "want.txt", want.Name)
			if *update {
				want.Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			assert.Equal(t, string(want.Data), got)
		})
	}
}

// What no small document can show is left out: refusals that nobody foresaw.
func TestEveryDocumentCodeHasACase(t *testing.T) {
	shown := map[diag.Code]bool{diag.Unreadable: true, diag.PathUnservable: true} // PathUnservable: run_path_unservable.txtar
	for _, file := range brokenDocuments(t) {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		ds, _ := loadBroken(t, archive)
		for _, d := range ds.All() {
			shown[d.Code] = true
		}
	}
	for _, info := range diag.Codes() {
		if strings.HasPrefix(string(info.Code), "IDG1") {
			assert.True(t, shown[info.Code], "%s has no case in golden/broken", info.Code)
		}
	}
}
