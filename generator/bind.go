package generator

import (
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/gogen"
	"github.com/idemgen/idemgen/generator/server"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// NoServer is given in place of a server by who wants no binding.
const NoServer = "none"

// bindBase is the file of a binding.
const bindBase = "bind.gen.go"

// bind finds the server that the contracts are bound to, and the method of each. made are the files that will be there.
func (u *unit) bind(made []File) (diag.List, error) {
	operations, pattern := u.operations(), u.opts.Server
	if pattern == NoServer || len(operations) == 0 {
		return diag.List{}, nil
	}
	if pattern == "" {
		var found diag.List
		if pattern, found = server.Find(u.document, u.out(), operations); pattern == "" {
			if path := u.boundBefore(); path != "" && !found.HasErrors() {
				found.Add(u.unfound(path))
			}
			return found, nil
		}
	}
	own, path, refused := u.importPaths(pattern)
	if refused.HasErrors() {
		return refused, nil
	}
	shared := pattern == path || samePlace(pattern, u.out())
	pkg, found, err := server.Load(server.Query{Pattern: pattern, Document: u.document, Binding: own, Overlay: u.overlay(shared, made)})
	if err != nil || pkg == nil {
		return found, err
	}
	methods, more := pkg.Match(operations)
	found.Append(more)
	found.Append(u.imports(own, path, pkg))
	found.Append(u.recoveries(pkg))
	if found.HasErrors() {
		return found, nil
	}
	u.binding = &gogen.Binding{Server: pkg, Contract: path, Package: u.bindPackage(), Methods: u.inOrder(methods)}
	return found, nil
}

// importPaths are those of the binding and of the contract's package. Places that leave a binding without one of its own, or what it imports
// without any, are refused.
func (u *unit) importPaths(pattern string) (own, path string, refused diag.List) {
	refuse := func(hint, format string, args ...any) (string, string, diag.List) {
		return "", "", one(u.unreachable(hint, format, args...))
	}
	const another = "--bind another/folder"
	bind, out := slash(filepath.Clean(u.bindFolder())), slash(filepath.Clean(u.out()))
	own, ok := server.ImportPath(u.bindFolder())
	if !ok {
		return refuse("go mod init example.com/payments", "the binding stands in no Go module: %s", bind)
	}
	path, ok = server.ImportPath(u.out())
	if !ok {
		return refuse("go mod init example.com/payments", "the binding cannot import the contract's package: %s stands in no Go module", out)
	}
	if err := server.Importable(path); err != nil {
		return refuse("--out another/folder", "the binding cannot import the contract's package in %s: %s", out, err)
	}
	if err := server.Importable(own); err != nil {
		return refuse(another, "nothing can import the binding in %s: %s", bind, err)
	}
	switch {
	case own == path || samePlace(u.bindFolder(), u.out()):
		return refuse(another, "the binding is a package of its own, and %s is the contract's folder", bind)
	case own == pattern || samePlace(u.bindFolder(), pattern):
		return refuse(another, "the binding is a package of its own, and %s is the server's folder", bind)
	}
	return own, path, diag.List{}
}

// boundBefore is the binding that an earlier run wrote; empty where there is none.
func (u *unit) boundBefore() string {
	path := filepath.Join(u.bindFolder(), bindBase)
	if head, ok := header(path); ok && isOwn(head) {
		return path
	}
	return ""
}

// unfound says that there is a binding, and nothing any more that it could belong to. It is not deleted for that: the program that calls it
// would lose its protection to somebody who only made it compile again.
func (u *unit) unfound(path string) diag.Diagnostic {
	return diag.Diagnostic{
		Pos: diag.Pos{File: slash(path)}, Code: diag.ServerMissing, Hint: "--server ./folder/of/the/server; or --server none, which deletes the binding",
		Message: "there is a binding, and no server is found any more that is generated from " + slash(u.document),
	}
}

func (u *unit) unreachable(hint, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{Pos: diag.Pos{File: slash(u.document)}, Code: diag.ServerUnreachable, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// imports refuses what the compiler would: packages below an internal folder of somebody else.
func (u *unit) imports(own, contract string, pkg *server.Package) (found diag.List) {
	for _, imported := range append(slices.Sorted(maps.Keys(pkg.Imports)), contract) {
		if !server.MayImport(own, imported) {
			found.Add(u.unreachable("--bind another/folder", "the binding in %s may not import %s, which is internal", slash(u.bindFolder()), imported))
		}
	}
	return found
}

// overlay is what will be in the server's package beside it, where contract and server are one package: what is there may be of an older
// document, and keep the package from compiling.
func (u *unit) overlay(shared bool, made []File) map[string][]byte {
	if !shared {
		return nil
	}
	out := map[string][]byte{}
	own, _ := survey(u.out())
	for _, f := range own { // what is not made any more will be deleted
		if path, err := filepath.Abs(f.path); err == nil {
			out[path] = []byte("package " + u.api.Package + "\n")
		}
	}
	for _, f := range made {
		if path, err := filepath.Abs(f.Path); err == nil && !f.Lock {
			out[path] = f.Content
		}
	}
	return out
}

// recoveries refuses a method of the team's that has the name of a recovery.
func (u *unit) recoveries(pkg *server.Package) (found diag.List) {
	for _, c := range u.served() {
		for _, m := range pkg.Methods {
			if m.Name == c.Names.Recover {
				found.Add(diag.Diagnostic{
					Pos: c.Pos, Code: diag.ServerShape, About: c.Name, Hint: "name: " + c.Name + "Once",
					Message: fmt.Sprintf("%s.%s has a method %s, which is the name of the recovery of %s", pkg.Name, pkg.Interface, m.Name, c.Name),
				})
			}
		}
	}
	return found
}

// bound says to people what the binding is for.
func (u *unit) bound() string {
	if u.binding == nil {
		return ""
	}
	s := u.binding.Server
	text := s.Interface + " of " + s.Path
	if u.opts.Server == "" {
		text += ", which is generated from it (--server none leaves it out)"
	}
	if s.Kind == server.Plain {
		text += ": strict-server is off, so business code writes its responses by itself"
	}
	return text
}

// served are the contracts that a server has methods for: a webhook's handler is mounted by the program.
func (u *unit) served() []*contract.Contract {
	var out []*contract.Contract
	for _, c := range u.api.Contracts {
		if c.Method != "" {
			out = append(out, c)
		}
	}
	return out
}

func (u *unit) operations() []server.Operation {
	ids := map[openapi.Route]string{}
	for _, op := range u.doc.Operations {
		ids[openapi.Route{Method: op.Method, Path: op.Path}] = op.ID
	}
	served := u.served()
	out := make([]server.Operation, len(served))
	for i, c := range served {
		out[i] = server.Operation{Pos: c.Pos, Name: c.Name, ID: ids[openapi.Route{Method: c.Method, Path: c.Path}], Method: c.Method, Path: c.Path}
	}
	return out
}

// inOrder gives the methods of all contracts, those without one too.
func (u *unit) inOrder(methods []*server.Method) []*server.Method {
	out := make([]*server.Method, len(u.api.Contracts))
	next := 0
	for i, c := range u.api.Contracts {
		if c.Method != "" {
			out[i] = methods[next]
			next++
		}
	}
	return out
}

// bindFolder is the folder of the binding: a package beside the contract's, so that a binding that does not compile any more keeps neither
// of the others from it.
func (u *unit) bindFolder() string {
	if u.opts.Bind != "" {
		return u.opts.Bind
	}
	return filepath.Join(u.out(), "bind")
}

func (u *unit) bindPackage() string {
	name := filepath.Base(u.bindFolder())
	if abs, err := filepath.Abs(u.bindFolder()); err == nil {
		name = filepath.Base(abs)
	}
	if !token.IsIdentifier(name) || name == "main" || name == "_" {
		return "bind"
	}
	return name
}

// bindingFile emits the binding, if there is one.
func (u *unit) bindingFile() ([]File, error) {
	if u.binding == nil {
		return nil, nil
	}
	f, err := gogen.GenerateBinding(u.api, *u.binding, filepath.Base(u.document))
	if err != nil {
		return nil, fmt.Errorf("generator: emit %s: %w", slash(u.document), err)
	}
	return []File{{Path: filepath.Join(u.bindFolder(), f.Name), Content: f.Content, Document: u.document}}, nil
}

// inspectBinding looks at the binding's place. One that is not generated any more is stale: who asked for none has none, and so has a document
// without an operation that a server serves. That no server was found is an error before.
func inspectBinding(u *unit, made []File) (stale []string, obstacles diag.List) {
	for _, f := range made {
		if filepath.Dir(f.Path) == filepath.Clean(u.bindFolder()) {
			_, foreign := survey(u.bindFolder())
			return nil, otherPackage(foreign, u.bindFolder(), u.bindPackage(), "--bind another/folder")
		}
	}
	if path := u.boundBefore(); path != "" {
		stale = append(stale, path)
	}
	return stale, obstacles
}

// samePlace reports whether two folders are one, in whatever spelling, by whatever link.
func samePlace(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	if errX != nil || errY != nil || x == y {
		return errX == nil && errY == nil
	}
	there, errX := os.Stat(x)
	other, errY := os.Stat(y)
	return errX == nil && errY == nil && os.SameFile(there, other)
}
