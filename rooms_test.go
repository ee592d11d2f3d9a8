package idemgen_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/idemgen/idemgen"

// room says what the code of one folder may import, tests apart. A folder that is not listed fails the test: a new room needs a rule.
type room struct {
	dir     string
	project []string // folders of this project
	foreign []string // modules of others, by prefix
}

var rooms = []room{
	{dir: "openapi/diag"},
	{dir: "openapi", project: []string{"openapi/diag"}, foreign: []string{"github.com/getkin/kin-openapi", "go.yaml.in/yaml/v4", "github.com/theory/jsonpath"}},
	{dir: "generator/contract", project: []string{"openapi", "openapi/diag", "runtime/canon", "runtime/vector"}, foreign: []string{"go.yaml.in/yaml/v4"}},
	{dir: "generator/server", project: []string{"openapi/diag"}, foreign: []string{"go.yaml.in/yaml/v4", "golang.org/x/mod", "golang.org/x/tools/go/packages"}},
	{dir: "generator/gogen", project: []string{"generator/contract", "generator/server", "runtime/canon", "runtime/vector"}, foreign: []string{"github.com/dave/jennifer"}},
	{dir: "generator/propose", project: []string{"openapi", "openapi/diag", "generator/contract", "generator/names", "runtime/canon"}},
	{dir: "generator/textgen", project: []string{"openapi", "generator/contract", "runtime/canon", "runtime/idem", "templates"}},
	{dir: "templates"},
	{dir: "generator/names"},
	{dir: "generator/lint", project: []string{"openapi", "openapi/diag", "generator/contract", "generator/names", "runtime/canon"}},
	{dir: "generator/config", project: []string{"openapi", "openapi/diag", "generator", "generator/lint"}},
	{dir: "generator", project: []string{"openapi", "openapi/diag", "generator/contract", "generator/gogen", "generator/httptext", "generator/lint", "generator/propose", "generator/server", "generator/textgen", "runtime/canon", "runtime/idem", "runtime/vector"}},
	{dir: "generator/httptext", foreign: []string{"github.com/spf13/pflag", "mvdan.cc/sh/v3"}},
	{dir: "cmd/idemgen", project: []string{"generator", "generator/config", "generator/httptext", "openapi/diag", "runtime/idem", "runtime/pgstore", "runtime/pgstore/schema", "runtime/sqlstore/schema"}, foreign: []string{"github.com/spf13/cobra", "github.com/jackc/pgx/v5"}},

	{dir: "runtime/canon"},
	{dir: "runtime/vector", project: []string{"runtime/canon"}},
	{dir: "runtime/idem", project: []string{"runtime/canon"}},
	{dir: "runtime/idemtest", project: []string{"runtime/canon", "runtime/idem", "runtime/vector"}},
	{dir: "runtime/memstore", project: []string{"runtime/idem"}},
	{dir: "runtime/pgstore/schema"},
	{dir: "runtime/internal/columns", project: []string{"runtime/idem"}},
	{dir: "runtime/internal/pgsql"},
	{dir: "runtime/pgstore", project: []string{"runtime/idem", "runtime/internal/columns", "runtime/internal/pgsql", "runtime/pgstore/schema"}, foreign: []string{"github.com/jackc/pgx/v5"}},
	{dir: "runtime/sqlstore/schema"},
	{dir: "runtime/sqlstore", project: []string{"runtime/idem", "runtime/internal/columns", "runtime/internal/pgsql", "runtime/pgstore/schema", "runtime/sqlstore/schema"}},
	{dir: "runtime/storetest", project: []string{"runtime/idem", "runtime/storetest/trace"}, foreign: []string{"github.com/stretchr/testify"}},
	{dir: "runtime/storetest/trace", project: []string{"runtime/idem"}},
	{dir: "runtime/storetest/pgtest", project: nil, foreign: []string{"github.com/jackc/pgx/v5"}},
}

// unruled are folders whose imports are free: modules that are never tagged, and generated golden packages.
var unruled = []string{"examples", "runtime/proof", "golden"}

// testModules are what tests may import beside a room's own; the runtime's go.mod must not grow by its tests.
var testModules = map[bool][]string{
	false: {"github.com/stretchr/testify", "github.com/rogpeppe/go-internal", "golang.org/x/mod", "golang.org/x/tools", "go.yaml.in/yaml/v4",
		"github.com/owenrumney/go-sarif/v3", "github.com/santhosh-tekuri/jsonschema/v6"},
	true: {"github.com/stretchr/testify", "github.com/jackc/pgx/v5"},
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range goFiles(t) {
		dir := path.Dir(file)
		if file == dir || slices.ContainsFunc(unruled, func(u string) bool { return dir == u || strings.HasPrefix(dir, u+"/") }) {
			continue
		}
		if dir == "." {
			continue // the tests of the repository as a whole
		}
		i := slices.IndexFunc(rooms, func(r room) bool { return r.dir == dir })
		if !assert.GreaterOrEqual(t, i, 0, "%s stands in no room: give the folder a rule", file) {
			continue
		}
		seen[dir] = true
		for _, imported := range imports(t, file) {
			assert.True(t, allowed(rooms[i], imported, strings.HasSuffix(file, "_test.go")), "%s must not import %s", file, imported)
		}
	}
	for _, r := range rooms {
		assert.True(t, seen[r.dir], "the rule for %s has no room", r.dir)
	}
}

func TestRulesRefuseWhatTheyShould(t *testing.T) {
	idem := rooms[slices.IndexFunc(rooms, func(r room) bool { return r.dir == "runtime/idem" })]
	assert.False(t, allowed(idem, "github.com/jackc/pgx/v5", false))
	assert.False(t, allowed(idem, module+"/generator", true))
	assert.True(t, allowed(idem, "net/http", false))
}

// allowed reports whether code, or test code, of r may import a package.
func allowed(r room, imported string, test bool) bool {
	if local, ok := strings.CutPrefix(imported, module+"/"); ok {
		inRuntime := strings.HasPrefix(r.dir, "runtime/")
		if test && (!inRuntime || strings.HasPrefix(local, "runtime/")) && !strings.HasPrefix(local, "runtime/proof") {
			return true
		}
		return slices.Contains(r.project, local)
	}
	if !strings.Contains(strings.Split(imported, "/")[0], ".") {
		return true // the standard library
	}
	may := r.foreign
	if test {
		may = slices.Concat(may, testModules[strings.HasPrefix(r.dir, "runtime/")])
	}
	return slices.ContainsFunc(may, func(m string) bool { return imported == m || strings.HasPrefix(imported, m+"/") })
}

func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || (name != "." && strings.HasPrefix(d.Name(), "."))) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") {
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	}))
	require.NotEmpty(t, files)
	return files
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	require.NoError(t, err)
	var out []string
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		out = append(out, name)
	}
	return out
}
