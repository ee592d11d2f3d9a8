package generator

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

// specs is a collection of public documents beside the repository. They are not part of it.
const specs = "../../shared/specs"

// expectation is what becomes of one public document when each of its writes is annotated.
type expectation struct {
	generated int       // operations that are in the package
	leftOut   int       // operations that cannot be generated yet, each with a warning
	code      diag.Code // of the error that stops the document
	why       string    // what makes the document refused, or some of its operations

	// What becomes of the document as it is when it is given to Propose. Without any of these it is refused with code.
	proposed int // operations that are in the package, those that were annotated before among them
	exempt   int // operations for which the proposal says that they need no key
	withheld int // operations without a proposal
}

// TestRealDocuments generates from public documents that nobody wrote for this tool. Each either gives a package that compiles
// and vets, or an error that names the cause at a line of the document.
func TestRealDocuments(t *testing.T) {
	if _, err := os.Stat(specs); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the public documents are not here: %s does not exist", specs)
	}
	module := consumerModule(t)
	seen := map[string]bool{}
	for _, document := range publicDocuments(t) {
		name, err := filepath.Rel(specs, document)
		require.NoError(t, err)
		name = filepath.ToSlash(name)
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			want, ok := expected[name]
			require.True(t, ok, "a document that the table does not name")
			generateReal(t, module, document, want)
			generateProposed(t, module, document, want)
		})
	}
	for name := range expected {
		assert.True(t, seen[name], "%s is in the table and not in the folder", name)
	}
	startEngines(t, module)
	vet(t, module)
}

// startEngines adds a program that makes an engine of every generated package, and runs it: a descriptor that compiles may still
// be one that the runtime refuses.
func startEngines(t *testing.T, module string) {
	t.Helper()
	packages, err := filepath.Glob(filepath.Join(module, "*", "contract.gen.go"))
	require.NoError(t, err)
	require.NotEmpty(t, packages)
	var imports, calls strings.Builder
	for _, file := range packages {
		pkg := filepath.Base(filepath.Dir(file))
		fmt.Fprintf(&imports, "\t%q\n", "example.com/consumer/"+pkg)
		fmt.Fprintf(&calls, "\t_, err = %[1]s.NewEngine(memstore.New(), func(context.Context) (%[1]s.Scope, error) { return %[1]s.Scope{}, nil }, idem.Options{Keys: keys})\n"+
			"\tcheck(%[1]q, err)\n", pkg)
	}
	program, err := format.Source([]byte(`package main

import (
	"context"
	"fmt"
	"os"

` + imports.String() + `	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func check(name string, err error) {
	if err != nil {
		fmt.Println(name, err)
		os.Exit(1)
	}
}

func main() {
	keys, err := idem.NewKeyRing(1, map[uint32][]byte{1: make([]byte, 32)})
	check("keys", err)
` + calls.String() + `}
`))
	require.NoError(t, err)
	put(t, module, "main.go", string(program))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Env = module, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

// generateReal generates one document into the module and compares what happened with the table.
func generateReal(t *testing.T, module, document string, want expectation) {
	t.Helper()
	pkg := packageName(document)
	overlay, annotated := everyWrite(t, document)
	plan, findings, err := Prepare([]string{document}, Options{
		Overlays: []string{overlay}, SkipUnsupported: true,
		Out: filepath.Join(module, pkg), Package: pkg, Lock: filepath.Join(module, pkg+lockSuffix),
	})
	require.NoError(t, err)
	for _, d := range findings.All() {
		assertPlace(t, d)
		if d.Severity == diag.Error {
			assert.Equal(t, want.code, d.Code, "%s", d)
		}
		if d.Code != diag.KeyDeclaredOtherwise { // one for nearly every operation
			t.Log(d)
		}
	}
	if want.code != "" || findings.HasErrors() {
		require.NotEmpty(t, want.code, "refused")
		require.True(t, findings.HasErrors(), "it generates now")
		return
	}
	_, err = plan.Write()
	require.NoError(t, err)
	assert.Equal(t, want.generated, plan.Packages[0].Operations, "operations generated")
	assert.Equal(t, want.leftOut, annotated-plan.Packages[0].Operations, "operations left out")
}

// generateProposed generates one document with the proposal for it, as it is: every operation that got one compiles.
func generateProposed(t *testing.T, module, document string, want expectation) {
	t.Helper()
	overlay := filepath.Join(t.TempDir(), "proposal.yaml")
	proposal, findings, err := Propose(document, Options{}, ProposeOptions{Out: overlay})
	require.NoError(t, err)
	if want.proposed+want.exempt+want.withheld == 0 {
		assert.True(t, proposal == nil || len(proposal.Files) == 0, "something is proposed now")
		return
	}
	require.False(t, findings.HasErrors(), "%v", findings.All())
	assert.Equal(t, want.exempt, proposal.Exempt, "operations exempt")
	assert.Equal(t, want.withheld, proposal.LeftOut, "operations without a proposal")
	_, err = proposal.Write()
	require.NoError(t, err)
	pkg := packageName(document) + "init"
	plan, findings, err := Prepare([]string{document}, Options{
		Overlays: []string{overlay}, Out: filepath.Join(module, pkg), Package: pkg, Lock: filepath.Join(module, pkg+lockSuffix),
	})
	require.NoError(t, err)
	require.False(t, findings.HasErrors(), "%v", findings.All())
	_, err = plan.Write()
	require.NoError(t, err)
	assert.Equal(t, want.proposed, plan.Packages[0].Operations, "operations generated from the proposal")
	inPlace(t, document)
}

// inPlace puts the proposal into the text of a document that is YAML and not too large: all lines that were there are there.
func inPlace(t *testing.T, document string) {
	t.Helper()
	const most = 200_000 // bytes; the larger ones would cost half a minute
	if info, err := os.Stat(document); err != nil || info.Size() > most || filepath.Ext(document) == ".json" {
		return
	}
	proposal, findings, err := Propose(document, Options{}, ProposeOptions{InPlace: true})
	require.NoError(t, err)
	require.False(t, findings.HasErrors(), "%v", findings.All())
	require.NotEmpty(t, proposal.Files)
	for _, f := range proposal.Files {
		edits := diffLines(splitLines(string(proposal.before[f.Path])), splitLines(string(f.Content)))
		assert.Zero(t, count(edits, '-')-count(edits, ' '), "%s: lines went", f.Path)
		assert.NotZero(t, count(edits, '+')-count(edits, ' '), f.Path)
	}
}

// assertPlace checks that a finding about a document points at a line that exists.
func assertPlace(t *testing.T, d diag.Diagnostic) {
	t.Helper()
	if !d.Pos.IsValid() {
		assert.Contains(t, []diag.Code{diag.NoOperations, diag.AllLeftOut}, d.Code, "no place: %s", d)
		return
	}
	data, err := os.ReadFile(d.Pos.File)
	require.NoError(t, err, "%s", d)
	lines := bytes.Split(data, []byte("\n"))
	if assert.LessOrEqual(t, d.Pos.Line, len(lines), "%s", d) {
		assert.LessOrEqual(t, d.Pos.Col, len(lines[d.Pos.Line-1])+1, "%s", d)
	}
}

// publicDocuments are the files of the folder and the root documents of those that have a folder of their own.
func publicDocuments(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*.yaml", "*.yml", "*.json", "*/specs/spec.yml"} {
		found, err := filepath.Glob(filepath.Join(specs, pattern))
		require.NoError(t, err)
		out = append(out, found...)
	}
	require.NotEmpty(t, out)
	return out
}

var notInNames = regexp.MustCompile(`[^a-z0-9]`)

func packageName(document string) string {
	rel, _ := filepath.Rel(specs, document)
	return "x" + notInNames.ReplaceAllString(strings.ToLower(rel), "")
}

// consumerModule is a module outside the workspace that takes the runtime from the tree.
func consumerModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	runtime, err := filepath.Abs("../runtime")
	require.NoError(t, err)
	put(t, dir, "go.mod", "module example.com/consumer\n\ngo 1.26.0\n\nrequire github.com/idemgen/idemgen/runtime v0.1.0\n\n"+
		"replace github.com/idemgen/idemgen/runtime v0.1.0 => "+runtime+"\n")
	return dir
}

// vet compiles and vets all that was generated, and looks at its format.
func vet(t *testing.T, module string) {
	t.Helper()
	for _, args := range [][]string{{"go", "vet", "./..."}, {"gofmt", "-l", "."}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = module, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s\n%s", strings.Join(args, " "), out)
		if args[0] == "gofmt" {
			assert.Empty(t, string(out), "gofmt would change these")
		}
	}
}
