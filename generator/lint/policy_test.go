package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/lint"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

func findings(all ...diag.Diagnostic) (out diag.List) {
	for _, d := range all {
		out.Add(d)
	}
	return out
}

func at(line int) diag.Pos { return diag.Pos{File: "api/payments.yaml", Line: line, Col: 3} }

func TestLevelsWeighWarningsAndNothingElse(t *testing.T) {
	found := findings(
		diag.Diagnostic{Pos: at(1), Code: diag.RetentionShort}, diag.Diagnostic{Pos: at(2), Code: diag.ScopeWithoutCaller},
		diag.Diagnostic{Pos: at(3), Code: diag.PatternNotGo}, diag.Diagnostic{Pos: at(4), Code: diag.KeyDeclaredOtherwise},
		diag.Diagnostic{Pos: at(5), Code: diag.ScopeMissing},
	)
	p := &lint.Policy{Levels: map[diag.Code]lint.Level{
		diag.RetentionShort: lint.Off, diag.ScopeWithoutCaller: lint.Error, diag.PatternNotGo: lint.Warning, diag.ScopeMissing: lint.Off,
	}}
	got := p.Judge(found, nil)
	severities := map[diag.Code]diag.Severity{}
	for _, d := range got.All() {
		severities[d.Code] = d.Severity
	}
	assert.Equal(t, map[diag.Code]diag.Severity{
		diag.ScopeWithoutCaller: diag.Error, diag.PatternNotGo: diag.Warning, diag.KeyDeclaredOtherwise: diag.Warning, diag.ScopeMissing: diag.Error,
	}, severities)
	got = p.WithoutErrors().Judge(found, nil)
	for _, d := range got.All() {
		assert.Equal(t, d.Code == diag.ScopeMissing, d.Severity == diag.Error, "%s", d)
	}
	assert.Equal(t, lint.Error, p.Level(diag.ScopeWithoutCaller), "the policy itself stays")
	var nobody *lint.Policy
	assert.Nil(t, nobody.WithoutErrors())
	assert.Equal(t, found.All(), func() []diag.Diagnostic { l := nobody.Judge(found, nil); return l.All() }())
	assert.Equal(t, lint.Default, nobody.Level(diag.RetentionShort))
}

// An acceptance names an operation by any of its names, or a line of a file relative to where the policy stands.
func TestAcceptancesMatchByNameAndByPlace(t *testing.T) {
	d := diag.Diagnostic{Pos: at(7), Code: diag.RetentionShort, About: "createQuote"}
	names := lint.Names{"makeQuote": "createQuote", "POST /quotes": "createQuote", "makeOrder": "createOrder"}
	for place, want := range map[string]bool{
		"createQuote": true, "makeQuote": true, "POST /quotes": true, "payments.yaml:7": true, "../api/payments.yaml:7": true,
		"createOrder": false, "makeOrder": false, "payments.yaml:8": false, "other.yaml:7": false, "payments.yaml": false, "": false, "POST /orders": false,
	} {
		p := &lint.Policy{Folder: "api", Whole: true, Accepted: []lint.Acceptance{{Pos: diag.Pos{File: "api/idemgen.yaml", Line: 2, Col: 5}, Code: d.Code, At: place}}}
		got := p.Judge(findings(d), names)
		assert.Equal(t, want, got.Len() == 0, place)
		unused := p.Unused()
		assert.Equal(t, want, unused.Len() == 0, place)
	}
	p := &lint.Policy{Accepted: []lint.Acceptance{{Code: diag.PatternNotGo, At: "createQuote"}}}
	got := p.Judge(findings(d), names)
	assert.Equal(t, 1, got.Len(), "another code")
	p = &lint.Policy{Accepted: []lint.Acceptance{{Code: d.Code, At: "noOperation"}}}
	got = p.Judge(findings(diag.Diagnostic{Pos: d.Pos, Code: d.Code}), names)
	assert.Equal(t, 1, got.Len(), "a finding that is about no operation")

	full, err := filepath.Abs("api/payments.yaml")
	require.NoError(t, err)
	d.Pos.File, d.About = filepath.ToSlash(full), ""
	p = &lint.Policy{Folder: "api", Accepted: []lint.Acceptance{{Code: d.Code, At: "payments.yaml:7"}}}
	got = p.Judge(findings(d), nil)
	assert.Zero(t, got.Len(), "the document was named by its absolute path")
}

// One finding at a place that operations share is told until it is accepted for each of them.
func TestSharedFindingsAreAcceptedTogether(t *testing.T) {
	one, two := diag.Diagnostic{Pos: at(7), Code: diag.MoneyNumber, Message: "money", About: "a"}, diag.Diagnostic{Pos: at(7), Code: diag.MoneyNumber, Message: "money", About: "b"}
	accept := func(places ...string) (left int) {
		p := &lint.Policy{Folder: "api", Whole: true}
		for _, place := range places {
			p.Accepted = append(p.Accepted, lint.Acceptance{Code: diag.MoneyNumber, At: place})
		}
		got, unused := p.Judge(findings(one, two), nil), p.Unused()
		assert.Zero(t, unused.Len(), places)
		return len(got.All())
	}
	assert.Equal(t, 1, accept())
	assert.Equal(t, 1, accept("a"))
	assert.Equal(t, 1, accept("b"))
	assert.Equal(t, 0, accept("a", "b"))
	assert.Equal(t, 0, accept("payments.yaml:7"))
}

func TestErrorsAreNeverAccepted(t *testing.T) {
	d := diag.Diagnostic{Pos: at(7), Code: diag.NotSupported, About: "createQuote"}
	p := &lint.Policy{Accepted: []lint.Acceptance{{Code: diag.NotSupported, At: "createQuote"}}}
	got := p.Judge(findings(d), nil)
	assert.Equal(t, 1, got.Len())
}

func TestUnusedAcceptancesFollowTheirOwnLevel(t *testing.T) {
	p := &lint.Policy{Whole: true, Accepted: []lint.Acceptance{{Pos: at(2), Code: diag.RetentionShort, At: "gone"}}}
	unused := p.Unused()
	require.Equal(t, 1, unused.Len())
	assert.Equal(t, diag.Warning, unused.All()[0].Severity)
	assert.Equal(t, at(2), unused.All()[0].Pos)
	p.Levels = map[diag.Code]lint.Level{diag.AcceptanceUnused: lint.Error}
	unused = p.Unused()
	assert.True(t, unused.HasErrors())
	p.Levels = map[diag.Code]lint.Level{diag.AcceptanceUnused: lint.Off}
	unused = p.Unused()
	assert.Zero(t, unused.Len())
	p.Levels, p.Whole = nil, false
	unused = p.Unused()
	assert.Zero(t, unused.Len(), "other documents may have it")
}

func TestLevelsAreWords(t *testing.T) {
	for word, want := range map[string]lint.Level{"off": lint.Off, "warning": lint.Warning, "error": lint.Error} {
		got, ok := lint.ParseLevel(word)
		assert.True(t, ok)
		assert.Equal(t, want, got)
	}
	_, ok := lint.ParseLevel("Off")
	assert.False(t, ok)
}

// load reads a document and builds its contracts. It has no errors.
func load(t *testing.T, text string) (*openapi.Document, *contract.API) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("openapi.yaml", []byte(text), 0o600))
	doc, found, err := openapi.Load("openapi.yaml", openapi.Options{Webhooks: true})
	require.NoError(t, err)
	require.Empty(t, found.All())
	api, built := contract.Build(doc, contract.Options{Base: "openapi"})
	require.False(t, built.HasErrors(), "%v", built.All())
	return doc, api
}

func TestNamesOfOperations(t *testing.T) {
	doc, api := load(t, `openapi: 3.1.0
info: {title: Quotes, version: "1"}
x-idempotency: {scope: [tenant]}
paths:
  /quotes:
    post: {operationId: makeQuote, x-idempotency: {name: createQuote}, responses: {"201": {description: Created}}}
    patch: {x-idempotency: required, responses: {"201": {description: Created}}}
webhooks:
  quoted: {post: {x-idempotency: required, responses: {"201": {description: Created}}}}
`)
	assert.Equal(t, lint.Names{
		"makeQuote": "createQuote", "POST /quotes": "createQuote", "PATCH /quotes": "patchQuotes", "webhook quoted": "quoted",
	}, lint.NamesOf(doc, api))
}
