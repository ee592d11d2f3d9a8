package generator

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

var update = flag.Bool("update", false, "rewrite golden/pipeline and golden/broken/generate_*")

// findingsFile holds the warnings of a case, as the short format prints them. A case without it has none.
const findingsFile = "findings.txt"

// TestPipeline generates every case of golden/pipeline from two working folders, once without a lock and once with the one that
// the first run wrote, and compares all bytes. The module's build and vet cover the generated packages, which stand in the case.
func TestPipeline(t *testing.T) {
	golden, err := filepath.Abs("../golden/pipeline")
	require.NoError(t, err)
	entries, err := os.ReadDir(golden)
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			dir := filepath.Join(golden, e.Name())
			if *update {
				rewrite(t, dir)
			}
			want := tree(t, os.DirFS(dir))
			require.Contains(t, want, "openapi.idempotency.lock.yaml", "run go test ./generator -run TestPipeline -update")

			near := sources(t, want)
			t.Chdir(near)
			produce(t, "openapi.yaml", near)
			assertTree(t, want, near)

			far := sources(t, want)
			t.Chdir(filepath.Dir(filepath.Dir(far)))
			document := filepath.Join(filepath.Base(filepath.Dir(far)), filepath.Base(far), "openapi.yaml")
			produce(t, document, far)
			produce(t, document, far) // now with a lock
			assertTree(t, want, far)
		})
	}
}

// Every package that is generated here is held to the reference interpreter. That test lies in a module of its own, which this one must not
// require, so its list is read as text.
func TestGoldenPackagesAreCompared(t *testing.T) {
	const list = "runtime/proof/fingerprint/generated_test.go"
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(list)))
	require.NoError(t, err)
	entries, err := os.ReadDir("../golden/pipeline")
	require.NoError(t, err)
	for _, e := range entries {
		compared := strings.Contains(string(text), "/golden/pipeline/"+e.Name()+"/openapiidem\"")
		assert.True(t, compared, "list the operations of %s in %s", e.Name(), list)
	}
}

// produce generates one case, with its overlay if it has one, and writes what was found into folder.
func produce(t *testing.T, document, folder string) {
	t.Helper()
	opts := Options{Webhooks: true}
	prefix := strings.TrimSuffix(document, "openapi.yaml")
	if _, err := os.Stat(prefix + "overlay.yaml"); err == nil {
		opts.Overlays = []string{prefix + "overlay.yaml"}
	}
	plan, findings, err := Prepare([]string{document}, opts)
	require.NoError(t, err)
	var short strings.Builder
	require.NoError(t, diag.ShortPrinter{}.Print(&short, findings.All()))
	require.False(t, findings.HasErrors(), short.String())
	_, err = plan.Write()
	require.NoError(t, err)

	os.Remove(filepath.Join(folder, findingsFile))
	if short.Len() > 0 {
		text := strings.ReplaceAll(short.String(), filepath.ToSlash(prefix), "")
		require.NoError(t, os.WriteFile(filepath.Join(folder, findingsFile), []byte(text), 0o644))
	}
}

// rewrite makes what the case should give from what it gives. The lock is made anew: a case has one version.
func rewrite(t *testing.T, dir string) {
	t.Helper()
	refuseUpdateInCI(t)
	for name := range tree(t, os.DirFS(dir)) {
		if isProduct(name) {
			require.NoError(t, os.Remove(filepath.Join(dir, filepath.FromSlash(name))))
		}
	}
	t.Setenv("GIT_DIR", t.TempDir()) // what this repository has released is no release of the case
	t.Chdir(dir)
	produce(t, "openapi.yaml", dir)
}

func refuseUpdateInCI(t *testing.T) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal("-update in continuous integration would approve whatever comes out")
	}
}

// isProduct tells what generate makes from what a case is made of.
func isProduct(name string) bool {
	return strings.HasSuffix(name, ".go") || strings.HasSuffix(name, lockSuffix) || name == findingsFile
}

// sources copies what a case is made of into a folder of its own.
func sources(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if !isProduct(name) {
			put(t, dir, name, content)
		}
	}
	return dir
}

func assertTree(t *testing.T, want map[string]string, dir string) {
	t.Helper()
	got := tree(t, os.DirFS(dir))
	for name, content := range want {
		assert.Equal(t, content, got[name], name)
	}
	for name := range got {
		assert.Contains(t, want, name, "a file too many")
	}
}

// tree gives the content of every file by its slash-separated name.
func tree(t *testing.T, root fs.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		out[name] = string(data)
		return err
	}))
	return out
}
