package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi/diag"
)

// comment gives methods what the source says of them: places, and the routes that both generators write into comments. What cannot be
// parsed says nothing; the compiler has judged it.
func (p *Package) comment(files []string) {
	said := methodsIn(files, p.Interface)
	for i := range p.Methods {
		m := &p.Methods[i]
		s := said[m.Name]
		m.Pos, m.Verb, m.Path = s.Pos, s.Verb, s.Path
	}
}

// methodsIn gives the methods of an interface, as files of its package declare them. ogen makes it of further interfaces where operations are
// grouped, so that those that it embeds are followed; what is only called alike is another one's.
func methodsIn(files []string, iface string) map[string]Method {
	s := &sources{of: iface, fset: token.NewFileSet(), parsed: map[string]map[string]*ast.InterfaceType{}}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			s.texts = append(s.texts, source{file, string(text)})
		}
	}
	out := map[string]Method{}
	s.collect(iface, out, map[string]bool{})
	return out
}

// sources are a package's files, parsed as far as it is needed: schemas make most of a large server.
type sources struct {
	of     string // the server's interface
	fset   *token.FileSet
	texts  []source
	parsed map[string]map[string]*ast.InterfaceType // by file, by name
}

type source struct{ file, text string }

// collect takes the methods of an interface, and of those that it embeds.
func (s *sources) collect(iface string, out map[string]Method, seen map[string]bool) {
	seen[iface] = true
	declared := s.find(iface)
	if declared == nil {
		return
	}
	for _, field := range declared.Methods.List {
		if len(field.Names) == 1 {
			at := s.fset.Position(field.Names[0].Pos())
			m := Method{Name: field.Names[0].Name, Pos: diag.Pos{File: relative(at.Filename), Line: at.Line, Col: at.Column}}
			m.Verb, m.Path = routeIn(field.Doc.Text(), s.of)
			out[m.Name] = m
			continue
		}
		if embedded, ok := field.Type.(*ast.Ident); ok && !seen[embedded.Name] {
			s.collect(embedded.Name, out, seen)
		}
	}
}

// find gives the declaration of an interface; nil where no file has one.
func (s *sources) find(iface string) *ast.InterfaceType {
	for _, f := range s.texts {
		if !strings.Contains(f.text, iface+" interface") {
			continue
		}
		if _, ok := s.parsed[f.file]; !ok {
			s.parsed[f.file] = s.interfaces(f)
		}
		if t := s.parsed[f.file][iface]; t != nil {
			return t
		}
	}
	return nil
}

// interfaces are those that a file declares in its package.
func (s *sources) interfaces(f source) map[string]*ast.InterfaceType {
	out := map[string]*ast.InterfaceType{}
	parsed, err := parser.ParseFile(s.fset, f.file, f.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return out
	}
	for _, decl := range parsed.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			named := spec.(*ast.TypeSpec) //nolint:forcetypeassert // token.TYPE groups hold nothing else
			if t, ok := named.Type.(*ast.InterfaceType); ok {
				out[named.Name.Name] = t
			}
		}
	}
	return out
}

// The lines in which generators write routes: oapi-codegen (POST /payments), ogen POST /payments. Parentheses of the path itself stay.
var (
	inParentheses = regexp.MustCompile(`^\(([A-Z]+) (/\S*)\)$`)
	plainRoute    = regexp.MustCompile(`^([A-Z]+) (/\S*)$`)
)

// routeIn reads the route of a method from its comment, where its generator writes it: what else stands there is the document's text, and could
// look like one. oapi-codegen's is the last in parentheses, since a deprecation follows it; ogen's is the last line.
func routeIn(text, iface string) (verb, path string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := plainRoute.FindStringSubmatch(strings.TrimSpace(lines[len(lines)-1]))
	for _, line := range slices.Backward(lines) {
		if m := inParentheses.FindStringSubmatch(strings.TrimSpace(line)); m != nil && iface != ogenInterface {
			last = m
			break
		}
	}
	if last == nil {
		return "", ""
	}
	return last[1], last[2]
}
