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

	"github.com/idemgen/idemgen/openapi/diag"
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
			plan, findings, err := Prepare([]string{"openapi.yaml"}, Options{Server: "./api", Webhooks: true})
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

const (
	app      = "module example.com/app\n\ngo 1.25.0\n"
	document = `openapi: 3.0.3
info: {title: Payments, version: "1"}
x-idempotency: {scope: [tenant]}
paths:
  /payments: {post: {operationId: createPayment, x-idempotency: {execution: leased}, responses: {"201": {description: Created}}}}
`
	strictServer = `package api

import "context"

type StrictServerInterface interface {
	CreatePayment(ctx context.Context, request struct{}) (any, error)
}
`
)

// What keeps a binding from compiling, or from being anything that New could stand in, is said before anything is written.
func TestBindingsThatCouldNotCompile(t *testing.T) {
	server := strings.Replace(strictServer, "struct{}", "any", 1)
	cases := map[string]struct {
		files   map[string]string
		opts    Options
		code    diag.Code
		message string
	}{
		"no module": {
			map[string]string{"openapi.yaml": document, "api/go.mod": app, "api/a.go": server}, Options{Server: "./api"},
			diag.ServerUnreachable, "the binding stands in no Go module: openapiidem/bind",
		},
		"internal to somebody else": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "cmd/internal/api/a.go": server}, Options{Server: "./cmd/internal/api"},
			diag.ServerUnreachable, "the binding in openapiidem/bind may not import example.com/app/cmd/internal/api, which is internal",
		},
		"the server imports the binding that is not there yet": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "api/a.go": server, "api/b.go": "package api\n\nimport _ \"example.com/app/openapiidem/bind\"\n"}, Options{Server: "./api"},
			diag.ServerUnreachable, "the server ./api imports its own binding, which has to import it: example.com/app/openapiidem/bind",
		},
		"the server imports the binding by a detour": {
			map[string]string{
				"go.mod": app, "openapi.yaml": document, "api/a.go": server, "api/b.go": "package api\n\nimport _ \"example.com/app/app\"\n",
				"app/app.go": "package app\n\nimport _ \"example.com/app/openapiidem/bind\"\n", "openapiidem/bind/bind.go": "package bind\n\nimport _ \"example.com/app/api\"\n",
			}, Options{Server: "./api"},
			diag.ServerUnreachable, "the server ./api imports its own binding, which has to import it: example.com/app/api → example.com/app/app → example.com/app/openapiidem/bind → example.com/app/api",
		},
		"a method has the name of a recovery": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "api/a.go": strings.Replace(server, "interface {", "interface {\n\tRecoverCreatePayment(ctx context.Context, request any) (any, error)", 1)}, Options{Server: "./api"},
			diag.ServerShape, "api.StrictServerInterface has a method RecoverCreatePayment, which is the name of the recovery of createPayment",
		},
		"a type without a name": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "api/a.go": strictServer}, Options{Server: "./api"},
			diag.ServerShape, "StrictServerInterface.CreatePayment cannot be written by another package: the type struct{} has no name",
		},
		"onto the contract": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "api/a.go": server}, Options{Server: "./api", Bind: "openapiidem"},
			diag.ServerUnreachable, "the binding is a package of its own, and openapiidem is the contract's folder",
		},
		"onto a contract that stands elsewhere": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "api/a.go": server}, Options{Server: "./api", Out: "x/y", Bind: "./x/y/"},
			diag.ServerUnreachable, "x/y is the contract's folder",
		},
		"onto the server": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "api/a.go": server}, Options{Server: "./api", Bind: "api"},
			diag.ServerUnreachable, "the binding is a package of its own, and api is the server's folder",
		},
		"onto the server by its import path": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "api/a.go": server}, Options{Server: "example.com/app/api", Bind: "api"},
			diag.ServerUnreachable, "the binding is a package of its own, and api is the server's folder",
		},
		"in a folder that nothing imports": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "api/a.go": server}, Options{Server: "./api", Bind: "x/with space"},
			diag.ServerUnreachable, `nothing can import the binding in x/with space: malformed import path "example.com/app/x/with space": invalid char ' '`,
		},
		"a contract in a folder that nothing imports": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "api/a.go": server}, Options{Server: "./api", Out: "x/é", Package: "e", Bind: "bind"},
			diag.ServerUnreachable, `the binding cannot import the contract's package in x/é: malformed import path "example.com/app/x/é": invalid char 'é'`,
		},
		"several packages": {
			map[string]string{"go.mod": app, "openapi.yaml": document, "api/a.go": server}, Options{Server: "./..."},
			diag.ServerMissing, "--server ./... names many packages; it takes one",
		},
		"an import path of nothing": {
			map[string]string{"go.mod": app, "openapi.yaml": document}, Options{Server: "example.com/app/api"},
			diag.ServerMissing, "there is no Go package in example.com/app/api",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var files []txtar.File
			for name, text := range c.files {
				files = append(files, txtar.File{Name: name, Data: []byte(text)})
			}
			unpack(t, &txtar.Archive{Files: files})
			plan, found, err := Prepare([]string{"openapi.yaml"}, c.opts)
			require.NoError(t, err)
			assert.Nil(t, plan)
			all := found.All()
			require.Len(t, all, 1)
			assert.Equal(t, c.code, all[0].Code)
			assert.Contains(t, all[0].Message, c.message)
			assert.NotContains(t, all[0].Message, t.TempDir())
		})
	}
}

// Contract and server may be one package. What stands there of an older document does not compile with the server any more, and is replaced.
func TestContractAndServerInOnePackage(t *testing.T) {
	runtime, err := filepath.Abs("../runtime")
	require.NoError(t, err)
	unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "openapi.yaml", Data: []byte(document)},
		{Name: "api/server.gen.go", Data: []byte(strings.Replace(strictServer, "request struct{}", "request CreatePaymentCommand", 1))},
		{Name: "api/createpayment.gen.go", Data: []byte("// Code generated by idemgen from openapi.yaml; DO NOT EDIT.\n\npackage api\n\nvar _ = gone\n")},
		{Name: "api/older.gen.go", Data: []byte("// Code generated by idemgen from openapi.yaml; DO NOT EDIT.\n\npackage api\n\nvar _ = goneToo\n")},
	}})
	put(t, ".", "go.mod", app+"\nrequire github.com/idemgen/idemgen/runtime v0.1.0\n\nreplace github.com/idemgen/idemgen/runtime => "+runtime+"\n")
	plan, found, err := Prepare([]string{"openapi.yaml"}, Options{Server: "./api", Out: "api", Package: "api", NewLock: true})
	require.NoError(t, err)
	require.NotNil(t, plan, found.All())
	_, err = plan.Write()
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), "go", "vet", "./...").CombinedOutput()
	assert.NoError(t, err, string(out))
}
