package gogen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/server"
)

// adapterMethod declares a method of the team's interface that runs business code between Begin and End.
func (e *binder) adapterMethod(m *server.Method, op *contract.Contract) jen.Code {
	names := e.paramNames(m)
	params := make([]jen.Code, len(m.Params))
	args := make([]jen.Code, len(m.Params))
	for i, p := range m.Params {
		params[i] = jen.Id(names[i]).Add(goTypeOf(p.Type))
		args[i] = jen.Id(names[i])
	}
	args = slices.Insert(args, e.insertAt(), jen.Code(jen.Id(heldName(op))))
	call := jen.Id("a").Dot(e.field).Dot(m.Name).Call(args...)
	begin := "Begin"
	if op.Execution == contract.Leased {
		begin = "BeginLeased"
	}
	session, own := e.contexts(names)
	f := jen.Func().Params(jen.Id("a").Op("*").Id("adapter").Types(jen.Id("Tx"))).Id(m.Name).Params(params...)
	switch len(m.Results) { // the last one is an error; shape has looked
	case 1:
		f = f.Params(jen.Err().Error())
	case 2:
		f = f.Params(jen.Id("response").Add(goTypeOf(m.Results[0])), jen.Err().Error())
	}
	return f.Block(
		jen.List(jen.Id(heldName(op)), jen.Err()).Op(":=").Add(idem(begin)).Types(jen.Id("Tx")).Call(
			session, own, jen.Op("&").Qual(e.b.Contract, op.Names.Operation)),
		jen.If(jen.Err().Op("!=").Nil()).Block(e.refused(m, names)...),
		jen.Err().Op("=").Add(idem("ErrNotReturned")),
		jen.Defer().Id(heldName(op)).Dot("End").Call(jen.Op("&").Err()),
		e.assign(m, call),
	)
}

// assign takes what business code returned; a panic leaves ErrNotReturned where End looks.
func (e *binder) assign(m *server.Method, call *jen.Statement) jen.Code {
	switch len(m.Results) {
	case 0:
		return jen.Err().Op("=").Add(call)
	case 1:
		return jen.Err().Op("=").Add(call).Line().Return(jen.Err())
	}
	return jen.List(jen.Id("response"), jen.Err()).Op("=").Add(call).Line().Return(jen.Id("response"), jen.Err())
}

// refused answers where business code must not run: the middleware has the answer, or will render the error.
func (e *binder) refused(m *server.Method, names []string) []jen.Code {
	quiet := jen.Id("unlessDecided").Call(jen.Err())
	switch len(m.Results) {
	case 1:
		return []jen.Code{jen.Return(quiet)}
	case 2:
		return []jen.Code{jen.Return(jen.Id("response"), quiet)}
	}
	return []jen.Code{jen.Id("refuse").Call(jen.Id(names[0]), jen.Err()), jen.Return()}
}

// contexts are the request's context, where the session is, and the one that the server gave its method.
func (e *binder) contexts(names []string) (session, own jen.Code) {
	s := e.b.Server
	first := jen.Id(names[0])
	switch {
	case s.Kind == server.Strict && s.Framework == server.Gin:
		return jen.Id("requestContext").Call(first), first
	case s.Kind != server.Plain:
		return first, first
	case s.Framework == server.NetHTTP:
		request := jen.Id(names[1]).Dot("Context").Call()
		return request, request
	case s.Framework == server.Gin:
		return jen.Add(first).Dot("Request").Dot("Context").Call(), first
	}
	request := jen.Add(first).Dot("Request").Call().Dot("Context").Call()
	return request, request
}

// helpers are the functions that the adapter's methods share.
func (e *binder) helpers() []jen.Code {
	s := e.b.Server
	var out []jen.Code
	if s.Kind == server.Strict && s.Framework == server.Gin {
		out = append(out, doc(
			"requestContext is where the engine's middleware keeps its session: gin's own context reaches it only with",
			"ContextWithFallback.",
		).Func().Id("requestContext").Params(jen.Id("ctx").Qual(contextPath, "Context")).Qual(contextPath, "Context").Block(
			jen.If(jen.List(jen.Id("c"), jen.Id("ok")).Op(":=").Id("ctx").Assert(jen.Op("*").Qual(ginPath, "Context")), jen.Id("ok").Op("&&").Id("c").Dot("Request").Op("!=").Nil()).
				Block(jen.Return(jen.Id("c").Dot("Request").Dot("Context").Call())),
			jen.Return(jen.Id("ctx")),
		))
	}
	if s.Kind == server.Plain && s.Framework != server.Echo {
		return append(out, e.refuseFunc())
	}
	about := []string{"unlessDecided keeps from the server what is no error: the middleware has the answer already."}
	quiet := jen.Nil()
	if s.Kind == server.Ogen {
		about = []string{
			"unlessDecided keeps from NewError what is no error: the middleware has the answer already, and drops what ogen writes",
			"for an operation that is not implemented.",
		}
		quiet = jen.Qual(ogenPath, "ErrNotImplemented")
	}
	return append(out, doc(about...).Func().Id("unlessDecided").Params(jen.Err().Error()).Error().Block(
		jen.If(jen.Qual(errorsPath, "Is").Call(jen.Err(), idem("ErrDecided"))).Block(jen.Return(quiet)),
		jen.Return(jen.Err()),
	))
}

// refuseFunc declares the answer of a server whose methods return no error. Under the middleware it is none: that has the answer, or renders
// the error, where nothing was written.
func (e *binder) refuseFunc() jen.Code {
	writer := jen.Id("w").Qual(httpPath, "ResponseWriter")
	write := jen.Qual(httpPath, "Error").Call(jen.Id("w"), jen.Qual(httpPath, "StatusText").Call(jen.Qual(httpPath, "StatusInternalServerError")), jen.Qual(httpPath, "StatusInternalServerError"))
	if e.b.Server.Framework == server.Gin {
		writer = jen.Id("c").Op("*").Qual(ginPath, "Context")
		write = jen.Id("c").Dot("AbortWithStatus").Call(jen.Qual(httpPath, "StatusInternalServerError"))
	}
	return doc("refuse answers outside of Engine.Middleware, where nobody else would. Inside, the middleware has the answer, or renders the error.").
		Func().Id("refuse").Params(writer, jen.Err().Error()).Block(
		jen.If(jen.Qual(errorsPath, "Is").Call(jen.Err(), idem("ErrNotBound"))).Block(write),
	)
}
