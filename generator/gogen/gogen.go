package gogen

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// The two packages of the runtime that generated code calls, and the one that its test calls. Their names in generated code are fixed.
const (
	idemPath     = "github.com/idemgen/idemgen/runtime/idem"
	canonPath    = "github.com/idemgen/idemgen/runtime/canon"
	idemtestPath = "github.com/idemgen/idemgen/runtime/idemtest"
)

// File is one generated file.
type File struct {
	Name    string // without a folder: createpayment.gen.go
	Content []byte // gofmt clean
}

// Generate emits the Go package of api, files sorted by name. source is the document's name for the header, without a folder.
// An API that cannot be spelled as Go is an error that lists everything that is wrong with it; then there are no files.
func Generate(api *contract.API, source string) ([]File, error) {
	if err := check(api); err != nil {
		return nil, fmt.Errorf("gogen: check package %s: %w", api.Package, err)
	}
	shared, err := render(api, source, "contract", packageDecls(api, source))
	if err != nil {
		return nil, fmt.Errorf("gogen: emit package %s: %w", api.Package, err)
	}
	files := []File{shared}
	if decls := vectorDecls(api); len(decls) > 0 {
		f, err := render(api, source, testBase, decls)
		if err != nil {
			return nil, fmt.Errorf("gogen: emit vectors of package %s: %w", api.Package, err)
		}
		files = append(files, f)
	}
	for _, op := range api.Contracts {
		f, err := render(api, source, op.FileName, operationDecls(op))
		if err != nil {
			return nil, fmt.Errorf("gogen: emit contract %s: %w", op.Name, err)
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// operationDecls are the declarations of one operation's file: first what a reviewer of the contract reads, then what its handler sees.
func operationDecls(op *contract.Contract) []jen.Code {
	decls := []jen.Code{operationVar(op)}
	if op.Compare {
		decls = append(decls, fingerprintFunc(op, &op.Version))
		decls = append(decls, bodyTable(op)...)
		decls = append(decls, versionDecls(&op.Version)...)
	} else {
		decls = append(decls, bodyTable(op)...)
	}
	decls = append(decls, businessDecls(op)...)
	decls = append(decls, commandDecls(op)...)
	decls = append(append(decls, decodeFunc(op)), handleDecls(op)...)
	for i := range op.Older {
		decls = append(decls, olderDecls(op, &op.Older[i])...)
	}
	return decls
}

// handleDecls are the declarations by which a program serves the operation.
func handleDecls(op *contract.Contract) []jen.Code {
	switch {
	case op.Execution != contract.Leased:
		return []jen.Code{handleFunc(op)}
	case recovers(op):
		return []jen.Code{leasedHandleFunc(op), recoverFunc(op)}
	}
	return []jen.Code{leasedHandleFunc(op)}
}

// versionDecls are what a version's fingerprint function reads by.
func versionDecls(v *contract.Version) []jen.Code {
	return append(scanDecls(v.Body, v.Names.Fields), fingerprintTables(v)...)
}

// olderDecls are the declarations of a version that is still live beside the current one. They come last: nobody reviews them any more.
func olderDecls(op *contract.Contract, v *contract.Version) []jen.Code {
	decls := []jen.Code{fingerprintFunc(op, v)}
	if v.Body != nil && !jsonOnly(v.Spec) {
		decls = append(decls, specVar(v.Names.Body, "says what bodies version "+strconv.Itoa(v.Number)+" reads.", v.Spec))
	}
	return append(decls, versionDecls(v)...)
}

// render makes a file of the contract's package.
func render(api *contract.API, source, base string, decls []jen.Code) (File, error) {
	var about []string
	if base == "contract" {
		about = packageDoc(api, source)
	}
	f := newFile(api.Package, source, about)
	f.ImportName(canonPath, "canon")
	f.ImportName(idemtestPath, "idemtest")
	name := base + ".gen.go"
	if base == testBase {
		name = base + ".go"
	}
	return finish(f, name, decls)
}

// newFile begins a file; about is the package's comment.
func newFile(pkg, source string, about []string) *jen.File {
	f := jen.NewFile(pkg)
	f.ImportName(idemPath, "idem")
	f.HeaderComment(generatedBy(source))
	for _, line := range about {
		f.PackageComment(commentLine(line))
	}
	return f
}

// finish adds the declarations, with a blank line between them, and renders.
func finish(f *jen.File, name string, decls []jen.Code) (File, error) {
	for _, d := range decls {
		f.Add(d).Line()
	}
	var buf bytes.Buffer
	if err := f.Render(&buf); err != nil {
		// jennifer's error goes on with the whole source.
		first, _, _ := strings.Cut(err.Error(), "\n")
		return File{}, fmt.Errorf("render %s: %s", name, first)
	}
	return File{Name: name, Content: groupImports(buf.Bytes())}, nil
}

// groupImports puts the runtime's packages below the standard library's, as Go programmers expect; jennifer writes one sorted block.
// The block is found by its line: above it there are comments and the package clause alone.
func groupImports(source []byte) []byte {
	const start, end = "\nimport (\n", ")\n"
	head, rest, found := strings.Cut(string(source), start)
	if !found {
		return source
	}
	block, tail, _ := strings.Cut(rest, end)
	var standard, others []string
	for line := range strings.Lines(block) {
		if strings.Contains(line, ".") {
			others = append(others, line)
		} else {
			standard = append(standard, line)
		}
	}
	if len(standard) == 0 || len(others) == 0 {
		return source
	}
	return []byte(head + start + strings.Join(standard, "") + "\n" + strings.Join(others, "") + end + tail)
}
