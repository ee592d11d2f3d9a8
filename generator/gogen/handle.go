package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// handleFunc declares the net/http handler.
func handleFunc(op *contract.Contract) jen.Code {
	business := jen.Func().Params(
		jen.Id("ctx").Qual("context", "Context"), jen.Id("ex").Add(generic("Execution")), jen.Id("cmd").Id(op.Names.Command),
	).Params(idem("Response"), jen.Error())
	return doc(
		op.Names.Handle+" serves "+endpoint(op)+". It runs handler at most once for a key and answers every",
		"further request with the same key itself. A returned response is stored; a returned error is not. Authentication comes before it.",
	).Func().Id(op.Names.Handle).Types(jen.Id("Tx").Any()).
		Add(paramLines(jen.Id("engine").Add(generic("Engine")), jen.Id("handler").Add(business))).
		Qual("net/http", "Handler").Block(
		jen.Return(idem("Handle").Call(jen.Id("engine"), jen.Op("&").Id(op.Names.Operation), jen.Id(op.Names.Decode), jen.Id("handler"))),
	)
}
