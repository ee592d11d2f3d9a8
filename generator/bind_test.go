package generator

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestBindings generates golden/bind/*.txtar, each a module with a server as its generator writes it, and compiles the result.
func TestBindings(t *testing.T) {
	golden, err := filepath.Abs("../golden/bind")
	require.NoError(t, err)
	runtime, err := filepath.Abs("../runtime")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(golden, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			module := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "go.mod" })
			written := slices.Clone(archive.Files)
			written[module].Data = slices.Concat(written[module].Data, []byte("\nreplace github.com/idemgen/idemgen/runtime => "+runtime+"\n"))
			unpack(t, &txtar.Archive{Files: written})
			plan, findings, err := Prepare([]string{"openapi.yaml"}, Options{Server: "./api"})
			require.NoError(t, err)
			require.NotNil(t, plan, findings.All())
			_, err = plan.Write()
			require.NoError(t, err)
			got, err := os.ReadFile("openapiidem/bind/bind.gen.go")
			require.NoError(t, err)
			compareWant(t, file, archive, string(got))
			out, err := exec.CommandContext(t.Context(), "go", "vet", "./openapiidem/bind", "./api").CombinedOutput()
			assert.NoError(t, err, string(out))
		})
	}
}
