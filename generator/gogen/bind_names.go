package gogen

import (
	"fmt"
	"go/types"
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/server"
)

// declaredNames are what bindings declare; imports share the scope of their file with them. No package can be imported as init.
var declaredNames = []string{serverName, "New", "adapter", businessName, "refuse", "unlessDecided", "requestContext", "Tx", "init"}

// ownNames are identifiers of an adapter's method that no parameter may hide.
var ownNames = []string{"a", "ex", "lease", "err", "response", "idem", "unlessDecided", "refuse", "requestContext", "nil", "errors", "Tx"}

// newNames are identifiers of New that would hide the contract's package there, as ownNames would in methods. Other packages of teams stand
// only in types of signatures, which parameters do not hide.
var newNames = []string{"engine", "server"}

// importNames are the names of the packages that a binding mentions, by path: what a package is called, unless that means something else in the
// binding.
func (e *binder) importNames() map[string]string {
	s := e.b.Server
	names := map[string]string{contextPath: "context", errorsPath: "errors", httpPath: "http", idemPath: "idem"}
	if s.Framework == server.Gin {
		names[ginPath] = "gin"
	}
	if s.Kind == server.Ogen {
		names[ogenPath] = "ht" // its own is http
	}
	used := map[string]bool{}
	for _, list := range [][]string{slices.Collect(maps.Values(names)), declaredNames, types.Universe.Names()} {
		for _, name := range list {
			used[name] = true
		}
	}
	hidden := map[string]bool{}
	for _, name := range slices.Concat(ownNames, newNames) {
		hidden[name] = true
	}
	names[e.b.Contract] = freeName(e.api.Package, func(name string) bool { return used[name] || hidden[name] })
	used[names[e.b.Contract]] = true
	for _, path := range slices.Sorted(maps.Keys(s.Imports)) {
		if _, named := names[path]; !named {
			names[path] = freeName(s.Imports[path], func(name string) bool { return used[name] })
			used[names[path]] = true
		}
	}
	return names
}

// freeName is a package's name, or one made of it that is not taken.
func freeName(name string, taken func(string) bool) string {
	if !taken(name) {
		return name
	}
	free := name + "pkg"
	for n := 2; taken(free); n++ {
		free = fmt.Sprint(name, "pkg", n)
	}
	return free
}

// name tells the file how packages are called; those that keep their names need no alias.
func (e *binder) name(f *jen.File) {
	for path, name := range e.imports {
		if path == e.b.Contract && name == e.api.Package || name == e.b.Server.Imports[path] {
			f.ImportName(path, name)
			continue
		}
		f.ImportAlias(path, name)
	}
	for _, path := range []string{contextPath, errorsPath, httpPath, idemPath} {
		f.ImportName(path, e.imports[path])
	}
	f.ImportName(ginPath, "gin")
}

// paramNames are the team's own names, with a number where one would hide what the adapter needs.
func (e *binder) paramNames(m *server.Method) []string {
	used := map[string]bool{e.imports[e.b.Contract]: true}
	for _, name := range ownNames {
		used[name] = true
	}
	out := make([]string, len(m.Params))
	for i, p := range m.Params {
		name := p.Name
		if name == "" || name == "_" {
			name = "param"
		}
		base := name
		for n := 2; used[name]; n++ {
			name = fmt.Sprint(base, n)
		}
		used[name], out[i] = true, name
	}
	return out
}
