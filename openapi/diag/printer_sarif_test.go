package diag_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

// publishedSchema is the standard's own schema, which the imported package keeps in its sources as a constant of its own.
func publishedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", reflect.TypeFor[sarif.Report]().PkgPath()).Output()
	require.NoError(t, err)
	packages, err := parser.ParseDir(token.NewFileSet(), strings.TrimSpace(string(dir)), nil, 0) //nolint:staticcheck // no build tags there
	require.NoError(t, err)
	var text string
	ast.Inspect(packages["sarif"], func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "schema" {
			text, err = strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		}
		return true
	})
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("sarif.json", document))
	schema, err := compiler.Compile("sarif.json")
	require.NoError(t, err)
	return schema
}

// validSARIF holds what the printer wrote against the published schema, and reads it as the standard's types, which have
// every property that exists and no other.
func validSARIF(t *testing.T, ds []diag.Diagnostic) *sarif.Report {
	t.Helper()
	read := func(string) ([]byte, error) { return []byte("a: 1\né: über # x\n"), nil }
	var b bytes.Buffer
	require.NoError(t, diag.SARIFPrinter{Read: read}.Print(&b, ds))
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	require.NoError(t, publishedSchema(t).Validate(document))
	dec := json.NewDecoder(&b)
	dec.DisallowUnknownFields()
	report := &sarif.Report{}
	require.NoError(t, dec.Decode(report))
	return report
}

func TestSARIFHasARuleForEachCode(t *testing.T) {
	report := validSARIF(t, nil)
	var rules []string
	for _, rule := range report.Runs[0].Tool.Driver.Rules {
		rules = append(rules, *rule.ID)
		assert.NotEmpty(t, *rule.ShortDescription.Text)
		assert.Contains(t, *rule.Help.Text, *rule.ID)
	}
	var codes []string
	for _, info := range diag.Codes() {
		codes = append(codes, string(info.Code))
	}
	assert.Equal(t, codes, rules)
	assert.NotNil(t, report.Runs[0].Results, "no results are an empty list: the check has run and found nothing")
}

func TestSARIFPlaces(t *testing.T) {
	report := validSARIF(t, []diag.Diagnostic{
		{Pos: diag.Pos{File: "../a b/ü.yaml", Line: 2, Col: 5}, End: diag.Pos{File: "../a b/ü.yaml", Line: 2, Col: 10},
			Code: diag.RefMissing, Message: "m", Hint: "h\ni", Related: []diag.Related{
				{Pos: at(1, 1), Message: "r"}, {Message: "without a place"}}},
		{Pos: diag.Pos{File: "/etc/a.yaml"}, Code: diag.AnnotationSpelled, Message: "whole file"},
		{Pos: diag.Pos{File: "C:/a.yaml", Line: 9, Col: 4}, Code: diag.AnnotationSpelled, Message: "beyond the end"},
		{Pos: diag.Pos{File: "a:b.yaml", Line: 1}, Severity: diag.Error, Code: diag.AnnotationSpelled, Message: "no column"},
		{Message: "nowhere"},
	})
	results := report.Runs[0].Results
	require.Len(t, results, 5)

	first := results[0]
	assert.Equal(t, "m\n\nh\ni", *first.Message.Text)
	rule := report.Runs[0].Tool.Driver.Rules[first.RuleIndex]
	assert.Equal(t, "IDG113", *rule.ID)
	place := first.Locations[0].PhysicalLocation
	assert.Equal(t, "../a%20b/%C3%BC.yaml", *place.ArtifactLocation.URI)
	assert.Equal(t, 4, *place.Region.StartColumn, "the é before it is one character of two bytes")
	assert.Equal(t, 8, *place.Region.EndColumn, "the ü of über as well")
	require.Len(t, first.RelatedLocations, 1)
	assert.Equal(t, "r", *first.RelatedLocations[0].Message.Text)

	assert.Equal(t, "file:///etc/a.yaml", *results[1].Locations[0].PhysicalLocation.ArtifactLocation.URI)
	assert.Nil(t, results[1].Locations[0].PhysicalLocation.Region)
	assert.Equal(t, "file:///C:/a.yaml", *results[2].Locations[0].PhysicalLocation.ArtifactLocation.URI)
	assert.Nil(t, results[2].Locations[0].PhysicalLocation.Region.StartColumn)
	assert.Equal(t, "./a:b.yaml", *results[3].Locations[0].PhysicalLocation.ArtifactLocation.URI)
	assert.Equal(t, []string{"error", "warning", "warning", "error", "error"}, levels(results))
	assert.Empty(t, results[4].Locations)
}

func TestSARIFSuppressesWhatIsAccepted(t *testing.T) {
	open := diag.Diagnostic{Code: diag.RefMissing, Message: "m"}
	for _, r := range validSARIF(t, []diag.Diagnostic{open}).Runs[0].Results {
		assert.Nil(t, r.Suppressions, "nothing is known of any")
	}
	var list diag.List
	list.Add(open)
	list.Accept(diag.Diagnostic{Code: diag.AnnotationSpelled, Message: "n"}, `"why", they ask`)
	assert.Len(t, list.All(), 1)
	var both diag.List
	both.Append(list)
	results := validSARIF(t, both.WithAccepted()).Runs[0].Results
	require.Len(t, results, 2)
	assert.NotNil(t, results[0].Suppressions)
	assert.Empty(t, results[0].Suppressions, "of one that is open the list is empty")
	require.Len(t, results[1].Suppressions, 1)
	assert.Equal(t, []string{"external", `"why", they ask`}, []string{*results[1].Suppressions[0].Kind, *results[1].Suppressions[0].Justification})
}

func levels(results []*sarif.Result) (all []string) {
	for _, r := range results {
		all = append(all, r.Level)
	}
	return all
}

func TestGitHubCommands(t *testing.T) {
	var b strings.Builder
	require.NoError(t, diag.GitHubPrinter{}.Print(&b, []diag.Diagnostic{
		{Pos: diag.Pos{File: "a,b:c%.yaml", Line: 1, Col: 2}, End: at(1, 5), Code: diag.RefMissing, Message: "100 %\n::error::x", Hint: "h\ni",
			Related: []diag.Related{{Pos: at(7, 8), Message: "r"}}},
		{Code: diag.AnnotationSpelled, Message: "n"},
		{Pos: diag.Pos{File: "a.yaml"}, Severity: diag.Error, Message: "m"},
		{Message: "bare"},
	}))
	assert.Equal(t, "::error file=a%2Cb%3Ac%25.yaml,line=1,col=2,endColumn=5,title=IDG113::100 %25 ::error::x%0Ahint: h%0Ai%0Aa.yaml:7:8: r\n"+
		"::warning title=IDG123::n\n"+
		"::error file=a.yaml::m\n"+
		"::error::bare\n", b.String())
}
