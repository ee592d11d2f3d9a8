package generator

import (
	"path/filepath"
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

// What init proposes is not criticised by the rules that it could have followed: names of requests, attempts and secrets, parts that every
// request has.
func TestLintHasNothingToSayOfProposals(t *testing.T) {
	cases, err := filepath.Glob("../golden/propose/*/want.overlay.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	answered := []diag.Code{diag.SafeAnnotated, diag.RequiredIgnored, diag.KeyCounts, diag.AttemptCounts, diag.MoneyDouble, diag.SecretGuessable}
	reviewed := 0
	for _, overlay := range cases {
		findings, err := Lint([]string{filepath.Join(filepath.Dir(overlay), "openapi.yaml")}, Options{Overlays: []string{overlay}, SkipUnsupported: true})
		require.NoError(t, err)
		if !findings.HasErrors() {
			reviewed++
		}
		for _, d := range findings.All() {
			assert.NotContains(t, answered, d.Code, "%s", d)
		}
	}
	assert.Greater(t, reviewed, 2)
}

// Outside of lint only rules are asked whose findings the policy makes errors.
func TestRulesAreLints(t *testing.T) {
	document := put(t, t.TempDir(), "payments.yaml", payments)
	findings, err := Lint([]string{document}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []diag.Code{diag.ScopeUnsecured, diag.AnswersUndeclared}, codes(findings))
	_, findings, err = Prepare([]string{document}, Options{})
	require.NoError(t, err)
	assert.Empty(t, findings.All())
	plan, findings, err := Prepare([]string{document}, Options{Policy: &lint.Policy{Levels: map[diag.Code]lint.Level{diag.AnswersUndeclared: lint.Error}}})
	require.NoError(t, err)
	assert.Nil(t, plan)
	assert.Equal(t, []diag.Code{diag.AnswersUndeclared}, codes(findings))
	assert.True(t, findings.HasErrors())
}

// An acceptance that matches nothing is told of only where every rule was asked.
func TestUnusedAcceptancesAreToldWhereAllWasReviewed(t *testing.T) {
	dir := t.TempDir()
	good, wrong := put(t, dir, "good.yaml", payments), put(t, dir, "wrong.yaml", strings.Replace(payments, "scope:", "scoop:", 1))
	policy := func() *lint.Policy {
		return &lint.Policy{Whole: true, Accepted: []lint.Acceptance{{Code: diag.AnswersUndeclared, At: "createPayment"}, {Code: diag.KeyCounts, At: "createPayment"}},
			Levels: map[diag.Code]lint.Level{diag.ScopeUnsecured: lint.Error}}
	}
	findings, err := Lint([]string{good}, Options{Policy: policy()})
	require.NoError(t, err)
	assert.Equal(t, []diag.Code{diag.AcceptanceUnused, diag.ScopeUnsecured}, codes(findings))
	findings, err = Lint([]string{good, wrong}, Options{Policy: policy()})
	require.NoError(t, err)
	assert.NotContains(t, codes(findings), diag.AcceptanceUnused)
}

func codes(findings diag.List) (out []diag.Code) {
	for _, d := range findings.All() {
		out = append(out, d.Code)
	}
	return out
}
