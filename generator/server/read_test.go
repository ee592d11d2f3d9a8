package server_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/server"
	"github.com/idemgen/idemgen/openapi/diag"
)

// An interface with a method that is not exported is one that no adapter could be.
func TestMethodThatIsNotExported(t *testing.T) {
	for name, source := range map[string]string{
		"its own":  "type StrictServerInterface interface {\n\tDo" + method + "\tseal()\n}\n",
		"embedded": "type StrictServerInterface interface {\n\tDo" + method + "\tsealed\n}\n\ntype sealed interface{ seal() }\n",
	} {
		t.Run(name, func(t *testing.T) {
			pkg, found := load(t, map[string]string{"api/api.go": strictHead + source})
			assert.Nil(t, pkg)
			require.Equal(t, 1, found.Len())
			assert.Equal(t, diag.ServerShape, found.All()[0].Code)
			assert.Equal(t, "StrictServerInterface.seal is not exported, so no other package implements api.StrictServerInterface", found.All()[0].Message)
		})
	}
}

// A signature is known by what its types are, whatever they are called. It is spelled by names that another package can write.
func TestAliasesInSignatures(t *testing.T) {
	create := []server.Operation{{Name: "do", ID: "do", Method: "POST", Path: "/payments"}}
	aliases := "import (\n\t\"context\"\n\t\"net/http\"\n)\n\ntype Ctx = context.Context\n\ntype ctx = Ctx\n\ntype E = error\n\ntype W = http.ResponseWriter\n\ntype R = *http.Request\n\ntype Q = http.Request\n\n"
	cases := map[string]struct {
		source string
		first  string // how the first parameter is spelled
	}{
		"strict":             {"type StrictServerInterface interface{ Do(c Ctx, request any) (any, E) }\n", "Ctx"},
		"an alias unseen":    {"type StrictServerInterface interface{ Do(c ctx, request any) (any, E) }\n", "Context"},
		"plain":              {"type ServerInterface interface{ Do(w W, r R) }\n", "W"},
		"behind a pointer":   {"type ServerInterface interface{ Do(w W, r *Q) }\n", "W"},
		"one result, ogen's": {"type Handler interface{ Do(c Ctx) E }\n\nfunc NewServer(h Handler) {}\n", "Ctx"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			pkg, found := load(t, map[string]string{"api/api.go": "package api\n\n" + aliases + c.source})
			require.Empty(t, found.All())
			methods, found := pkg.Match(create)
			require.Empty(t, found.All())
			assert.Equal(t, c.first, methods[0].Params[0].Type.Name)
			assert.NotContains(t, pkg.Imports, "net/http", "a package that no signature mentions")
		})
	}
}
