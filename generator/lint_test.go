package generator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

const payments = `openapi: 3.0.3
info: {title: Payments, version: "1"}
paths:
  /payments:
    post:
      operationId: createPayment
      x-idempotency:
        scope: [tenant]
      responses:
        "201": {description: Created}
`

func TestRulesSeeDocumentsWithoutErrors(t *testing.T) {
	dir := t.TempDir()
	good := put(t, dir, "good.yaml", payments)
	wrong := put(t, dir, "wrong.yaml", "openapi: 3.0.3\ninfo: {title: x, version: \"1\"}\npaths: {}\n")
	rule := func(doc *openapi.Document, api *contract.API) diag.List {
		return one(diag.Diagnostic{
			Pos: api.Contracts[0].Pos, Code: "IDG599", Severity: diag.Warning, Message: "seen " + doc.Title,
		})
	}
	findings, err := Lint([]string{good, wrong}, Options{}, rule)
	require.NoError(t, err)
	require.Equal(t, 2, findings.Len())
	assert.Equal(t, "seen Payments", findings.All()[0].Message)
	assert.Equal(t, diag.NoOperations, findings.All()[1].Code)
	assert.Equal(t, []string{"good.yaml", "wrong.yaml"}, names(t, dir))
}
