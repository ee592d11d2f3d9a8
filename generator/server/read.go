package server

import (
	"fmt"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/openapi/diag"
)

// read finds the server's interface in a compiled package.
func read(loaded *packages.Package, pattern string, at diag.Pos) (*Package, diag.List, error) {
	var found diag.List
	refuse := func(code diag.Code, hint, format string, args ...any) (*Package, diag.List, error) {
		found.Add(diag.Diagnostic{Pos: at, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
		return nil, found, nil
	}
	name := filepath.ToSlash(pattern)
	if loaded.Name == "main" {
		return refuse(diag.ServerUnreachable, "package: api", "the server %s is package main, which nothing can import", name)
	}
	p := &Package{Path: loaded.PkgPath, Name: loaded.Name, Pattern: pattern, Imports: map[string]string{loaded.PkgPath: loaded.Name}}
	if m := loaded.Module; m != nil {
		p.Module, p.Folder = m.Path, m.Dir
	}
	scope := loaded.Types.Scope()
	iface := p.recognise(scope)
	if iface == nil {
		return refuse(diag.ServerUnknown, "", "the package %s has no server: neither StrictServerInterface or ServerInterface of oapi-codegen nor Handler of ogen", name)
	}
	framework, foreign := frameworkOf(scope, p.Kind)
	if foreign != "" {
		return refuse(diag.ServerRefused, "--server none", "the server %s stands on %s, which is not net/http: nothing can be wrapped around it", name, foreign)
	}
	p.Framework = framework
	s := &speller{imports: p.Imports}
	for i := range iface.NumMethods() {
		if m := iface.Method(i); !m.Exported() {
			return refuse(diag.ServerShape, "", "%s.%s is not exported, so no other package implements %s.%s", p.Interface, m.Name(), p.Name, p.Interface)
		}
		m, err := s.method(iface.Method(i))
		if err != nil {
			return refuse(diag.ServerShape, "", "%s.%s cannot be written by another package: %s", p.Interface, iface.Method(i).Name(), err)
		}
		p.Methods = append(p.Methods, m)
	}
	p.comment(loaded.GoFiles)
	return p, found, nil
}

// recognise finds the interface that business code implements.
func (p *Package) recognise(scope *types.Scope) *types.Interface {
	for _, c := range []struct {
		kind Kind
		name string
	}{{Strict, "StrictServerInterface"}, {Plain, "ServerInterface"}, {Ogen, ogenInterface}} {
		iface := interfaceOf(scope, c.name)
		if iface == nil || c.kind == Ogen && !takesHandler(scope) {
			continue
		}
		p.Kind, p.Interface = c.kind, c.name
		return iface
	}
	return nil
}

func interfaceOf(scope *types.Scope, name string) *types.Interface {
	obj, ok := scope.Lookup(name).(*types.TypeName)
	if !ok {
		return nil
	}
	iface, ok := obj.Type().Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 {
		return nil
	}
	return iface
}

// takesHandler recognises ogen's server: NewServer takes a Handler.
func takesHandler(scope *types.Scope) bool {
	f, ok := scope.Lookup("NewServer").(*types.Func)
	if !ok {
		return false
	}
	params := f.Signature().Params()
	return params.Len() > 0 && types.Identical(params.At(0).Type(), scope.Lookup(ogenInterface).Type())
}

// foreignFrameworks are those that do not speak net/http.
var foreignFrameworks = map[string]string{"github.com/gofiber/fiber/": "fiber", "github.com/kataras/iris/": "iris"}

// frameworkOf tells the framework by the first parameter of ServerInterface, or of StrictHandlerFunc where that stands in another package.
func frameworkOf(scope *types.Scope, kind Kind) (of Framework, foreign string) {
	if kind == Ogen {
		return NetHTTP, ""
	}
	var signature *types.Signature
	if iface := interfaceOf(scope, "ServerInterface"); iface != nil {
		signature = iface.Method(0).Signature()
	} else if f, ok := scope.Lookup("StrictHandlerFunc").(*types.TypeName); ok {
		signature, _ = f.Type().Underlying().(*types.Signature)
	}
	if signature == nil || signature.Params().Len() == 0 {
		return NetHTTP, ""
	}
	path := packageOf(signature.Params().At(0).Type())
	for prefix, name := range foreignFrameworks {
		if strings.HasPrefix(path+"/", prefix) {
			return 0, name
		}
	}
	switch {
	case path == ginPath:
		return Gin, ""
	case strings.HasPrefix(path, echoPath):
		return Echo, ""
	}
	return NetHTTP, ""
}

const (
	ginPath  = "github.com/gin-gonic/gin"
	echoPath = "github.com/labstack/echo"
)

// packageOf is the path of the package that declares a type or what it points to.
func packageOf(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Path()
	}
	return ""
}

// method spells a method's signature.
func (s *speller) method(f *types.Func) (Method, error) {
	m := Method{Name: f.Name(), Variadic: f.Signature().Variadic()}
	for v := range f.Signature().Params().Variables() {
		t, err := s.spell(v.Type())
		if err != nil {
			return m, err
		}
		m.Params = append(m.Params, Param{v.Name(), t})
	}
	for v := range f.Signature().Results().Variables() {
		t, err := s.spell(v.Type())
		if err != nil {
			return m, err
		}
		m.Results = append(m.Results, t)
	}
	return m, nil
}
