package gogen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/server"
)

// Binding says what a binding ties together.
type Binding struct {
	Server   *server.Package
	Contract string // import path of the contract's package
	Package  string // of the binding
	// Methods are the server's methods of the contracts, in the API's order; nil for one that the server does not serve: a webhook.
	Methods []*server.Method
}

// bindFile is the only file of a binding.
const bindFile = "bind.gen.go"

// Packages that bindings mention, whatever their server.
const (
	contextPath = "context"
	errorsPath  = "errors"
	httpPath    = "net/http"
	ginPath     = "github.com/gin-gonic/gin"
	ogenPath    = "github.com/ogen-go/ogen/http"
)

// The interface that business code implements, and what the adapter embeds in its place where one of its methods is called like it.
const (
	serverName   = "Server"
	businessName = "business"
)

// GenerateBinding emits the package that stands between a team's server and its business code.
func GenerateBinding(api *contract.API, b Binding, source string) (File, error) {
	if err := check(api); err != nil {
		return File{}, fmt.Errorf("gogen: check package %s: %w", api.Package, err)
	}
	e := newBinder(api, b)
	f := newFile(b.Package, source, e.packageDoc(source))
	e.name(f)
	out, err := finish(f, bindFile, e.decls())
	if err != nil {
		return File{}, fmt.Errorf("gogen: emit binding %s: %w", b.Package, err)
	}
	return out, nil
}

// binder writes the declarations of one binding.
type binder struct {
	api     *contract.API
	b       Binding
	bound   map[string]*contract.Contract // by method
	field   string                        // of the adapter, that embeds business code
	imports map[string]string             // names of packages, by path
}

func newBinder(api *contract.API, b Binding) *binder {
	e := &binder{api: api, b: b, bound: map[string]*contract.Contract{}, field: serverName}
	if slices.ContainsFunc(b.Server.Methods, func(m server.Method) bool { return m.Name == serverName }) {
		e.field = businessName // a field would hide the method
	}
	for i, m := range b.Methods {
		if m != nil {
			e.bound[m.Name] = api.Contracts[i]
		}
	}
	e.imports = e.importNames()
	return e
}

func (e *binder) packageDoc(source string) []string {
	about := []string{
		"Package " + e.b.Package + " ties the operations of " + excerpt(source) + " to the server in package " + e.b.Server.Name + ".",
		"",
		"Server is " + e.b.Server.Name + "." + e.b.Server.Interface + " for business code: the annotated operations have one argument more, which holds their key.",
		"New gives it back as the server knows it. Engine.Middleware has to stand around the whole server, outside of its router,",
		"authentication and validation.",
	}
	for i, op := range e.api.Contracts {
		if e.b.Methods[i] == nil {
			about = append(about, "The webhook "+excerpt(op.Name)+" is not in it: "+e.api.Package+"."+op.Names.Handle+" serves it wherever it is mounted.")
		}
	}
	return about
}

func (e *binder) decls() []jen.Code {
	decls := []jen.Code{
		doc("This code needs a runtime that still offers what version 1 of it did; another one does not compile.").
			Const().Id("_").Op("=").Add(idem("RuntimeVersion1")),
		e.serverInterface(), e.newFunc(),
		doc("adapter is the team's interface. Methods that are not annotated are business code's own.").
			Type().Id("adapter").Types(jen.Id("Tx").Any()).Struct(jen.Id(e.field).Types(jen.Id("Tx"))),
	}
	if e.field == businessName {
		decls = append(decls, doc("business is Server by a name that none of its methods has.").
			Type().Id(businessName).Types(jen.Id("Tx").Any()).Interface(jen.Id(serverName).Types(jen.Id("Tx"))))
	}
	for i := range e.b.Server.Methods {
		m := &e.b.Server.Methods[i]
		if op := e.bound[m.Name]; op != nil {
			decls = append(decls, e.adapterMethod(m, op))
		}
	}
	return append(decls, e.helpers()...)
}

// recovering are the contracts whose recovery the binding registers.
func (e *binder) recovering() []*contract.Contract {
	var out []*contract.Contract
	for i, op := range e.api.Contracts {
		if recovers(op) && e.b.Methods[i] != nil {
			out = append(out, op)
		}
	}
	return out
}

// serverInterface declares what business code implements.
func (e *binder) serverInterface() jen.Code {
	var methods []jen.Code
	for i := range e.b.Server.Methods {
		m := &e.b.Server.Methods[i]
		op := e.bound[m.Name]
		if op == nil {
			methods = append(methods, e.signature(m, nil))
			continue
		}
		methods = append(methods, doc(m.Name+" serves "+endpoint(op)+".").Add(e.signature(m, op)))
		if recovers(op) {
			methods = append(methods, doc(e.recoverDoc(m, op)...).Add(e.recoverSignature(op)))
		}
	}
	return doc(e.serverDoc()...).Type().Id(serverName).Types(jen.Id("Tx").Any()).Interface(methods...)
}

// serverDoc says what the argument more asks of business code.
func (e *binder) serverDoc() []string {
	about := []string{
		"Server is " + e.b.Server.Name + "." + e.b.Server.Interface + " for business code, with what holds the key where an operation is annotated.",
		"Such a method runs at most once for a key.",
	}
	held := map[string]bool{}
	for _, op := range e.bound {
		held[heldName(op)] = true
	}
	if held["ex"] {
		about = append(about, "", "With an Execution, what it writes through ex.Tx commits with the response that is stored, or not at all.")
	}
	if held["lease"] {
		about = append(about, "",
			"With a Lease it writes in phases (idem.Phase), each a transaction of its own, and calls other systems between them, with",
			"lease.DownstreamKey. Engine.Run has to be running.")
	}
	if e.b.Server.Kind == server.Plain {
		return append(about, "", "When it returns nil, what it wrote to the client is the outcome. An error is none; the middleware answers it where nothing was written.")
	}
	return append(about, "", "A response with a nil error is the outcome. An error is none.")
}

func (e *binder) recoverDoc(m *server.Method, op *contract.Contract) []string {
	about := []string{
		op.Names.Recover + " brings an attempt of " + m.Name + " that ended without an outcome to its end, in the next request or in",
		"Engine.Run, where ctx has no caller and lease.Scope says whose it is. What it returns is stored and sent as it is.",
	}
	if e.b.Server.Kind == server.Strict {
		about = append(about, "idem.Record makes it of a response of package "+e.b.Server.Name+".")
	}
	return about
}

func (e *binder) recoverSignature(op *contract.Contract) *jen.Statement {
	return jen.Id(op.Names.Recover).Params(
		jen.Id("ctx").Qual(contextPath, "Context"), jen.Id("lease").Add(generic("Lease")),
		jen.Id("cmd").Qual(e.b.Contract, op.Names.Command), jen.Id("prior").Add(idem("Prior")),
	).Params(idem("Response"), jen.Error())
}

// newFunc declares the constructor. Where an operation recovers it takes the engine, so that no server is mounted without its recoveries.
func (e *binder) newFunc() jen.Code {
	iface := jen.Qual(e.b.Server.Path, e.b.Server.Interface)
	param := jen.Id("server").Id(serverName).Types(jen.Id("Tx"))
	made := jen.Op("&").Id("adapter").Types(jen.Id("Tx")).Values(jen.Id("server"))
	recovering := e.recovering()
	if len(recovering) == 0 {
		return doc("New gives business code as the interface that package " + e.b.Server.Name + " takes.").
			Func().Id("New").Types(jen.Id("Tx").Any()).Params(param).Add(iface).Block(jen.Return(made))
	}
	var body []jen.Code
	for _, op := range recovering {
		register := jen.Err().Op(":=").Qual(e.b.Contract, op.Names.Recover).Call(jen.Id("engine"), jen.Id("server").Dot(op.Names.Recover))
		body = append(body, jen.If(register, jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())))
	}
	body = append(body, jen.Return(made, jen.Nil()))
	return doc("New gives business code as the interface that package "+e.b.Server.Name+" takes, and its recoveries to the engine.",
		"An error says that the engine is not one of this contract.").
		Func().Id("New").Types(jen.Id("Tx").Any()).Params(jen.Id("engine").Add(generic("Engine")), param).Params(iface, jen.Error()).Block(body...)
}

// signature is a method as business code implements it; op is nil where it is the team's own.
func (e *binder) signature(m *server.Method, op *contract.Contract) *jen.Statement {
	names := e.paramNames(m)
	var params []jen.Code
	for i, p := range m.Params {
		if op == nil && p.Name != "" {
			names[i] = p.Name
		}
		t := goTypeOf(p.Type)
		if m.Variadic && i == len(m.Params)-1 {
			t = jen.Op("...").Add(goTypeOf(*p.Type.Elem))
		}
		params = append(params, jen.Id(names[i]).Add(t))
	}
	results := m.Results
	if op != nil {
		at := e.insertAt()
		params = slices.Insert(params, at, jen.Code(jen.Id(heldName(op)).Add(heldType(op))))
		if len(results) == 0 {
			results = []server.Type{{Kind: server.Named, Name: "error"}}
		}
	}
	s := jen.Id(m.Name).Params(params...)
	switch len(results) {
	case 0:
		return s
	case 1:
		return s.Add(goTypeOf(results[0]))
	}
	out := make([]jen.Code, len(results))
	for i, r := range results {
		out[i] = goTypeOf(r)
	}
	return s.Params(out...)
}

// insertAt is the place behind what carries the request's context.
func (e *binder) insertAt() int {
	if e.b.Server.Kind == server.Plain && e.b.Server.Framework == server.NetHTTP {
		return 2 // w, r
	}
	return 1
}

// heldName and heldType are the argument that holds the key.
func heldName(op *contract.Contract) string {
	if op.Execution == contract.Leased {
		return "lease"
	}
	return "ex"
}

func heldType(op *contract.Contract) *jen.Statement {
	if op.Execution == contract.Leased {
		return generic("Lease")
	}
	return generic("Execution")
}

// goTypeOf spells a type of a signature.
func goTypeOf(t server.Type) *jen.Statement {
	switch t.Kind {
	case server.Pointer:
		return jen.Op("*").Add(goTypeOf(*t.Elem))
	case server.Slice:
		return jen.Index().Add(goTypeOf(*t.Elem))
	case server.Array:
		return jen.Index(jen.Lit(int(t.Len))).Add(goTypeOf(*t.Elem))
	case server.Map:
		return jen.Map(goTypeOf(*t.Key)).Add(goTypeOf(*t.Elem))
	case server.Any:
		return jen.Any()
	case server.Named:
	}
	named := jen.Id(t.Name)
	if t.Path != "" {
		named = jen.Qual(t.Path, t.Name)
	}
	if len(t.Args) == 0 {
		return named
	}
	args := make([]jen.Code, len(t.Args))
	for i, a := range t.Args {
		args[i] = goTypeOf(a)
	}
	return named.Types(args...)
}
