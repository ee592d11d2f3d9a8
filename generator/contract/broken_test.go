package contract_test

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
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// brokenContracts are the files golden/broken/contract_*.txtar: openapi.yaml, a lock or options where the case needs them,
// and want.txt, the findings in the short format.
func brokenContracts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "golden", "broken", "contract_*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i := range files {
		files[i], err = filepath.Abs(files[i])
		require.NoError(t, err)
	}
	return files
}

const lockName = "openapi.idempotency.lock.yaml"

// findings builds the case's document. The loader has nothing to say about it: that is another room's.
func findings(t *testing.T, archive *txtar.Archive) diag.List {
	t.Helper()
	t.Chdir(t.TempDir())
	var found diag.List
	opts := contract.Options{Base: "openapi"}
	for _, f := range archive.Files {
		require.NoError(t, os.WriteFile(f.Name, f.Data, 0o600))
		switch f.Name {
		case lockName:
			opts.Lock, found = contract.ParseLock(f.Data, lockName)
		case "released.yaml":
			opts.Released, _ = contract.ParseLock(f.Data, "openapi.idempotency.lock.yaml@base")
		case "options.txt":
			word, value, _ := strings.Cut(strings.TrimSpace(string(f.Data)), " ")
			opts.SkipUnsupported = word == "skip-unsupported"
			opts.Package = value
		}
	}
	doc, loaded, err := openapi.Load("openapi.yaml", openapi.Options{})
	require.NoError(t, err)
	require.Empty(t, loaded.All(), "the document itself is sound")
	api, built := contract.Build(doc, opts)
	found.Append(built)
	if opts.Released != nil && !found.HasErrors() {
		now, parsed := contract.ParseLock(contract.EncodeLock(api), lockName)
		require.Empty(t, parsed.All())
		found.Append(contract.DifferenceFindings(contract.Differences(opts.Released, now)))
	}
	return found
}

func TestBrokenContracts(t *testing.T) {
	if *update && os.Getenv("CI") != "" {
		t.Fatal("-update does not run under CI: golden files are changed by people")
	}
	for _, file := range brokenContracts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			found := findings(t, archive)
			var got strings.Builder
			require.NoError(t, diag.ShortPrinter{}.Print(&got, found.All()))
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

// Each code of IDG3xx has a case of its own, and each case shows one code.
func TestContractCodesAndCasesAreOneToOne(t *testing.T) {
	shown := map[diag.Code]bool{}
	for _, file := range brokenContracts(t) {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		var code string
		for line := range strings.Lines(string(archive.Files[len(archive.Files)-1].Data)) {
			_, after, ok := strings.Cut(line, " [IDG")
			require.True(t, ok, line)
			of := "IDG" + after[:3]
			assert.True(t, code == "" || code == of, "%s shows %s and %s", filepath.Base(file), code, of)
			code = of
		}
		require.NotEmpty(t, code, file)
		shown[diag.Code(code)] = true
	}
	for _, info := range diag.Codes() {
		if strings.HasPrefix(string(info.Code), "IDG3") {
			assert.True(t, shown[info.Code], "%s has no case in golden/broken", info.Code)
		}
	}
}
