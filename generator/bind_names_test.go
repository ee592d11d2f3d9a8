package generator

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// Packages of contracts and servers may be called as whatever the binding declares, imports or takes for granted, and so may parameters: the
// binding compiles.
func TestBindingsOfPackagesWithAnyName(t *testing.T) {
	runtime, err := filepath.Abs("../runtime")
	require.NoError(t, err)
	unpack(t, &txtar.Archive{Files: []txtar.File{{Name: "openapi.yaml", Data: []byte(document)}}})
	put(t, ".", "go.mod", app+"\nrequire github.com/idemgen/idemgen/runtime v0.1.0\n\nreplace github.com/idemgen/idemgen/runtime => "+runtime+"\n")
	names := []string{
		"a", "ex", "lease", "err", "response", "engine", "server", "adapter", "adapterpkg", "business", "init", "New", "Server", "Tx", "any", "error", "string", "nil", "append",
		"unlessDecided", "requestContext", "refuse", "idem", "errors", "context", "http", "ctx", "w", "bind", "ht", "gin",
	}
	for i, name := range names {
		folder := fmt.Sprint(i) // apart from case, some are one
		params := slices.Compact(slices.Sorted(slices.Values([]string{"Tx", "refuse", "nil", "any", "idem", "unlessDecided", "error", name, name + "2"})))
		signature := "(Ctx std.Context, " + strings.Join(params, ", ") + " string) (Request, error)\n"
		put(t, filepath.Join("s", folder), "api.go", "package "+name+"\n\nimport std \"context\"\n\ntype Request struct{}\n\ntype StrictServerInterface interface {\n"+
			"\tCreatePayment"+signature+"\tGetPayment"+signature+"}\n")
		plan, found, err := Prepare([]string{"openapi.yaml"}, Options{
			Server: "./s/" + folder, Out: filepath.Join("c", folder), Package: name, Bind: filepath.Join("b", folder, "bind"), NewLock: true,
		})
		require.NoError(t, err)
		require.NotNil(t, plan, found.All())
		_, err = plan.Write()
		require.NoError(t, err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "vet", "./b/...").CombinedOutput()
	assert.NoError(t, err, string(out))
}
