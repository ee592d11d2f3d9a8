package generator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/lint"
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

// A policy holds for every verb: what is an error by it stops generation, what is off or accepted is not told.
func TestPolicyJudgesWhatEveryVerbFinds(t *testing.T) {
	dir := t.TempDir()
	document := put(t, dir, "payments.yaml", strings.Replace(payments, "[tenant]\n", "[tenant]\n        retention: 1h\n", 1))
	for name, c := range map[string]struct {
		policy *lint.Policy
		want   diag.Severity
	}{
		"none":     {nil, diag.Warning},
		"error":    {&lint.Policy{Levels: map[diag.Code]lint.Level{diag.RetentionShort: lint.Error}}, diag.Error},
		"off":      {&lint.Policy{Levels: map[diag.Code]lint.Level{diag.RetentionShort: lint.Off}}, 0},
		"accepted": {&lint.Policy{Accepted: []lint.Acceptance{{Code: diag.RetentionShort, At: "createPayment"}}}, 0},
	} {
		plan, findings, err := Prepare([]string{document}, Options{Policy: c.policy})
		require.NoError(t, err, name)
		assert.Equal(t, c.want == diag.Error, plan == nil, name)
		if c.want == 0 {
			assert.Empty(t, findings.All(), name)
			continue
		}
		require.Equal(t, 1, findings.Len(), name)
		assert.Equal(t, c.want, findings.All()[0].Severity, name)
	}
}
