package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/openapi/diag"
)

// comment gives methods what the source says of them: places, and the routes that both generators write into comments. What cannot be
// parsed says nothing; the compiler has judged it.
func (p *Package) comment(files []string) {
	said := map[string]Method{}
	for _, file := range files {
		for name, m := range methodsIn(file, p.Interface) {
			said[name] = m
		}
	}
	for i := range p.Methods {
		m := &p.Methods[i]
		s := said[m.Name]
		m.Pos, m.Verb, m.Path = s.Pos, s.Verb, s.Path
	}
}

// methodsIn parses the interface in one file. ogen makes it of further ones where operations are grouped, so that all that embed are read.
func methodsIn(file, iface string) map[string]Method {
	source, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(source), iface+" interface") {
		return nil
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	out := map[string]Method{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		t, ok := spec.Type.(*ast.InterfaceType)
		if !ok || !strings.HasSuffix(spec.Name.Name, iface) || iface == "ServerInterface" && spec.Name.Name != iface {
			return false
		}
		for _, field := range t.Methods.List {
			if len(field.Names) != 1 {
				continue
			}
			at := fset.Position(field.Names[0].Pos())
			m := Method{Name: field.Names[0].Name, Pos: diag.Pos{File: relative(at.Filename), Line: at.Line, Col: at.Column}}
			m.Verb, m.Path = routeIn(field.Doc.Text())
			out[m.Name] = m
		}
		return false
	})
	return out
}

// routeLine is a comment's line with a route: oapi-codegen writes (POST /payments), ogen POST /payments.
var routeLine = regexp.MustCompile(`^\(?([A-Z]+) (/\S*?)\)?$`)

// routeIn finds the last line of a comment that is a route: a summary, which comes first, could look like one.
func routeIn(text string) (verb, path string) {
	for line := range strings.Lines(text) {
		if m := routeLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			verb, path = m[1], m[2]
		}
	}
	return verb, path
}
