package gogen

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// Identifiers that every generated package declares beside those of its contracts.
const (
	scopeName     = "Scope"
	viewsName     = "Views"
	newEngineName = "NewEngine"
	contractName  = "packageContract"
)

// packageDoc says what the package is to somebody who meets it in an import.
func packageDoc(api *contract.API, source string) []string {
	lines := []string{
		"Package " + api.Package + " makes the annotated operations of " + excerpt(source) + " idempotent: a request that is sent again",
		"with the same idempotency key runs once and gets the same answer.",
		"",
		"NewEngine ties the operations to a store. Each operation has a file with its contract, the function that decides",
		"whether two requests are the same command, its command type and its net/http handler.",
	}
	return lines
}

// packageDecls are the declarations that the operations share.
func packageDecls(api *contract.API, source string) []jen.Code {
	decls := []jen.Code{
		doc("This code needs a runtime that still offers what version 1 of it did; another one does not compile.").
			Const().Id("_").Op("=").Add(idem("RuntimeVersion1")),
		scopeStruct(api),
	}
	if len(api.Views) > 0 {
		decls = append(decls, viewsStruct(api))
	}
	return append(decls, contractVar(api, source), newEngineFunc(api))
}

// scopeStruct declares the values that the server supplies for the authenticated caller.
func scopeStruct(api *contract.API) jen.Code {
	if len(api.Dimensions) == 0 {
		return doc("Scope is empty: no operation has a dimension that the server supplies.").
			Type().Id(scopeName).Struct()
	}
	var fields []jen.Code
	for _, d := range api.Dimensions {
		fields = append(fields,
			doc(d.GoName+" is the dimension "+strconv.Quote(excerpt(d.Name))+". An empty value is refused where an operation is scoped by it.").
				Id(d.GoName).String())
	}
	return doc("Scope says whom a key belongs to. It must come from the authenticated caller, never from a value that a client can choose.").
		Type().Id(scopeName).Struct(fields...)
}

// contractVar declares what the engine knows of the package.
func contractVar(api *contract.API, source string) jen.Code {
	operations := make([]jen.Code, len(api.Contracts))
	for i, op := range api.Contracts {
		operations[i] = jen.Op("&").Id(op.Names.Operation)
	}
	var dimensions []string
	for _, d := range api.Dimensions {
		dimensions = append(dimensions, d.Name)
	}
	fields := []jen.Code{}
	if api.BasePath != "" {
		fields = append(fields, member("BasePath", jen.Lit(api.BasePath)))
	}
	if len(dimensions) > 0 {
		fields = append(fields, member("Dimensions", stringList(dimensions)))
	}
	fields = append(fields, member("Operations", jen.Index().Op("*").Add(idem("Operation")).Add(lines(operations...))))
	if len(api.Others) > 0 {
		others := make([]jen.Code, len(api.Others))
		for i, r := range api.Others {
			others[i] = jen.Values(member("Method", jen.Lit(r.Method)), member("Path", jen.Lit(r.Path)))
		}
		fields = append(fields, member("Others", jen.Index().Add(idem("Route")).Add(lines(others...))))
	}
	return doc(contractName + " lists the annotated operations of " + excerpt(source) + ".").
		Var().Id(contractName).Op("=").Add(idem("Contract")).Add(lines(fields...))
}

// newEngineFunc declares the constructor. A missing resolver is handed on, so that the engine can refuse it.
func newEngineFunc(api *contract.API) jen.Code {
	packageContract := contractName
	var body []jen.Code
	if len(api.Views) > 0 {
		packageContract = "contract"
		body = withViews(api, packageContract)
	}
	call := func(resolver jen.Code) jen.Code {
		return jen.Return(idem("NewEngine").Call(jen.Id("store"), jen.Id(packageContract), resolver, jen.Id("opts")))
	}
	ctx := func() *jen.Statement { return jen.Id("ctx").Qual("context", "Context") }
	resolver := jen.Func().Params(ctx()).Params(jen.Index().String(), jen.Error()).Block(resolverBody(api)...)
	params := []jen.Code{
		jen.Id("store").Add(idem("Store")).Types(jen.Id("Tx")),
		jen.Id("scope").Func().Params(ctx()).Params(jen.Id(scopeName), jen.Error()),
	}
	about := []string{
		"NewEngine ties the operations of this package to a store. scope gives the caller of an authenticated request;",
		"without it, and with a contract that the store or the options do not fit, there is an error and no engine.",
	}
	if len(api.Views) > 0 {
		params = append(params, jen.Id("views").Id(viewsName))
		about = append(about, "Every field of views is needed: one that is nil is an error too.")
	}
	params = append(params, jen.Id("opts").Add(idem("Options")))
	body = append(body, jen.If(jen.Id("scope").Op("==").Nil()).Block(call(jen.Nil())), call(resolver))
	return doc(about...).Func().Id(newEngineName).Types(jen.Id("Tx").Any()).Add(paramLines(params...)).
		Params(jen.Op("*").Add(idem("Engine")).Types(jen.Id("Tx")), jen.Error()).Block(body...)
}

func resolverBody(api *contract.API) []jen.Code {
	if len(api.Dimensions) == 0 {
		return []jen.Code{
			jen.List(jen.Id("_"), jen.Err()).Op(":=").Id("scope").Call(jen.Id("ctx")),
			jen.Return(jen.Nil(), jen.Err()),
		}
	}
	values := make([]jen.Code, len(api.Dimensions))
	for i, d := range api.Dimensions {
		values[i] = jen.Id("caller").Dot(d.GoName)
	}
	return []jen.Code{
		jen.List(jen.Id("caller"), jen.Err()).Op(":=").Id("scope").Call(jen.Id("ctx")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Index().String().Values(values...), jen.Nil()),
	}
}

// paramLines is a parameter list with one parameter a line.
func paramLines(params ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, params...)
}
