package gogen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// handleFunc declares the net/http handler.
func handleFunc(op *contract.Contract) jen.Code {
	business := jen.Func().Params(
		jen.Id("ctx").Qual("context", "Context"), jen.Id("ex").Add(generic("Execution")), jen.Id("cmd").Id(op.Names.Command),
	).Params(idem("Response"), jen.Error())
	about := []string{
		op.Names.Handle + " serves " + endpoint(op) + ". It runs handler at most once for a key and answers every",
		"further request with the same key itself. A returned response is stored; a returned error is not. Authentication comes before it.",
	}
	if more := coverage(op); more != "" {
		about = append(about, strings.TrimSpace(more))
	}
	return doc(about...).Func().Id(op.Names.Handle).Types(jen.Id("Tx").Any()).
		Add(paramLines(jen.Id("engine").Add(generic("Engine")), jen.Id("handler").Add(business))).
		Qual("net/http", "Handler").Block(
		jen.Return(idem("Handle").Call(jen.Id("engine"), jen.Op("&").Id(op.Names.Operation), jen.Id(op.Names.Decode), jen.Id("handler"))),
	)
}

// coverage says which requests are recognised besides those with the same key, and which are not.
func coverage(op *contract.Contract) string {
	switch {
	case op.Unique != nil && op.Key.Required:
		return " So it does for the same business key."
	case op.Unique != nil:
		return " So it does for the same business key; a request with neither is not protected."
	case !op.Key.Required:
		return " One without a key is not protected."
	}
	return ""
}
