package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const (
	toolModule    = "github.com/idemgen/idemgen"
	runtimeModule = toolModule + "/runtime"
	release       = "v0.1.0"
)

// consumer is a place outside the repository that sees its modules as published ones.
type consumer struct {
	dir string
	env []string
}

// newConsumer makes a module proxy from the working tree. Other modules come from the cache of this machine, or, where it
// lacks one, from wherever the environment says.
func newConsumer(t *testing.T) *consumer {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	proxy := filepath.Join(dir, "proxy")
	publish(t, proxy, toolModule, root)
	publish(t, proxy, runtimeModule, filepath.Join(root, "runtime"))

	proxies := []string{fileURL(proxy), fileURL(filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download")), goEnv(t, "GOPROXY")}
	c := &consumer{dir: filepath.Join(dir, "work"), env: append(os.Environ(),
		"GOWORK=off",
		"GOPROXY="+strings.Join(proxies, ","),
		"GOMODCACHE="+filepath.Join(dir, "cache"),               // what is tried here must not reach the machine's cache under a release's name
		"GOSUMDB=off", "GONOSUMDB=", "GONOPROXY=", "GOPRIVATE=", // the modules are not published, so nobody knows their sums
		"GOFLAGS=-mod=mod -modcacherw",
		"GOTOOLCHAIN=local",
	)}
	require.NoError(t, os.Mkdir(c.dir, 0o755))
	return c
}

// publish lays out one module as a proxy serves it (https://go.dev/ref/mod#goproxy-protocol).
func publish(t *testing.T, proxy, path, tree string) {
	t.Helper()
	dir := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	mod, err := os.ReadFile(filepath.Join(tree, "go.mod"))
	require.NoError(t, err)
	assert.NotContains(t, string(mod), "replace", "go run path@version refuses a module with replace directives")
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	write("list", release+"\n")
	write(release+".info", `{"Version":"`+release+`","Time":"2026-01-01T00:00:00Z"}`)
	write(release+".mod", string(mod))
	f, err := os.Create(filepath.Join(dir, release+".zip"))
	require.NoError(t, err)
	require.NoError(t, zip.CreateFromDir(f, module.Version{Path: path, Version: release}, tree))
	require.NoError(t, f.Close())
}

func fileURL(path string) string { return "file://" + filepath.ToSlash(path) }

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// run runs the go command in the consumer's folder and gives what it printed.
func (c *consumer) run(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %s\n%s", strings.Join(args, " "), out)
	return string(out)
}

func (c *consumer) write(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, name), []byte(content), 0o644))
}

// A program that links the runtime must not meet anything of the tool: neither in its go.mod nor in its module graph, where
// a version of kin-openapi would be forced on the other generators of an API repository.
func TestProgramThatImportsTheRuntimeGetsNothingOfTheTool(t *testing.T) {
	if testing.Short() {
		t.Skip("builds module archives of the tree")
	}
	c := newConsumer(t)
	c.write(t, "go.mod", "module example.com/consumer\n\ngo 1.25.0\n")
	c.write(t, "main.go", `package main

import (
	"fmt"

	"`+runtimeModule+`/idem"
	"`+runtimeModule+`/pgstore"
)

func main() { fmt.Println(idem.Forever, pgstore.New) }
`)
	c.run(t, "mod", "tidy")
	c.run(t, "build", "./...")

	mod, err := os.ReadFile(filepath.Join(c.dir, "go.mod"))
	require.NoError(t, err)
	graph := c.run(t, "list", "-m", "all")
	assert.Contains(t, graph, runtimeModule+" "+release)
	assert.Contains(t, string(mod), runtimeModule+" "+release)
	assert.Contains(t, string(mod), "github.com/jackc/pgx/v5 ")
	for _, foreign := range toolOnly {
		assert.NotContains(t, string(mod), foreign)
		assert.NotContains(t, graph, foreign)
	}
}

// toolOnly is the tool itself and what it and the proofs require and the runtime does not.
var toolOnly = []string{
	toolModule + " " + release, "getkin/kin-openapi", "dave/jennifer", "spf13/cobra", "rogpeppe/go-internal", "go.yaml.in/yaml/v4",
	"pgregory.net/rapid", "anishathalye/porcupine",
}

func TestReleaseRunsFromAnEmptyFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("builds module archives of the tree, and the tool from them")
	}
	c := newConsumer(t)
	out := c.run(t, "run", toolModule+"/cmd/idemgen@"+release, "version")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	assert.Equal(t, "idemgen "+release, lines[len(lines)-1])
	entries, err := os.ReadDir(c.dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
