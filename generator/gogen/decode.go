package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// Helpers of generated code for what the document demands. They stand in contract.gen.go when an operation calls them.
const (
	requiredBody   = "requiredBody"
	requiredQuery  = "requiredQuery"
	requiredHeader = "requiredHeader"
)

// decodeFunc declares how a request becomes a command. Everything that cannot be read is reported at once.
func decodeFunc(op *contract.Contract) jen.Code {
	var body []jen.Code
	var errs []jen.Code
	for _, p := range partsOf(op) {
		name := p.in + "Err"
		body = append(body, jen.Id(name).Op(":=").Id("cmd").Dot(p.field).Dot("decode").Call(jen.Id("r")))
		errs = append(errs, jen.Id(name))
	}
	if op.BodyType != nil {
		body = append(body,
			jen.List(jen.Id("body"), jen.Id("bodyErr")).Op(":=").Add(readBody(op)),
			jen.Id("cmd").Dot("Body").Op("=").Id("body"))
		errs = append(errs, jen.Id("bodyErr"))
	}
	about, param := " reads what a request asks for.", "r"
	if len(errs) == 0 {
		about, param = " gives the empty command: the operation declares neither parameters nor a body.", "_"
	}
	body = append([]jen.Code{jen.Var().Id("cmd").Id(op.Names.Command)}, append(body, jen.Return(jen.Id("cmd"), joined(errs)))...)
	return doc(op.Names.Decode+about).
		Func().Id(op.Names.Decode).Params(jen.Id(param).Op("*").Add(canon("Request"))).
		Params(jen.Id(op.Names.Command), jen.Error()).Block(body...)
}

// joined is one error out of several variables.
func joined(errs []jen.Code) jen.Code {
	switch len(errs) {
	case 0:
		return jen.Nil()
	case 1:
		return errs[0]
	default:
		return jen.Qual("errors", "Join").Call(errs...)
	}
}

func readBody(op *contract.Contract) *jen.Statement {
	if op.BodyRequired {
		return jen.Id(requiredBody).Types(bodyType(op)).Call(jen.Id("r"))
	}
	return idem("DecodeBody").Types(bodyType(op)).Call(jen.Id("r"))
}

// partDecode declares the method that reads a group of parameters.
func partDecode(p part) jen.Code {
	var body []jen.Code
	read := func(c contract.CommandParam, err jen.Code) jen.Code {
		return jen.List(jen.Id("p").Dot(c.GoName), err).Op("=").Add(readParam(p, c))
	}
	if len(p.params) == 1 {
		body = []jen.Code{jen.Var().Err().Error(), read(p.params[0], jen.Err()), jen.Return(jen.Err())}
	} else {
		body = []jen.Code{jen.Var().Id("errs").Index(jen.Lit(len(p.params))).Error()}
		for i, c := range p.params {
			body = append(body, read(c, jen.Id("errs").Index(jen.Lit(i))))
		}
		body = append(body, jen.Return(jen.Qual("errors", "Join").Call(jen.Id("errs").Index(jen.Op(":")).Op("..."))))
	}
	return doc("decode reads the parameters from r.").
		Func().Params(jen.Id("p").Op("*").Id(p.goName)).Id("decode").Params(jen.Id("r").Op("*").Add(canon("Request"))).Error().Block(body...)
}

// readParam is the call that reads one parameter.
func readParam(p part, c contract.CommandParam) *jen.Statement {
	name := jen.Lit(c.Name)
	switch {
	case p.in == "path":
		return idem("PathParam").Types(scalarType(c.Type)).Call(jen.Id("r"), jen.Lit(c.Index), name)
	case isList(p, c):
		split := jen.Lit(0)
		if c.Split != 0 {
			split = jen.LitRune(rune(c.Split))
		}
		return idem("QueryParams").Types(scalarType(c.Type.Elem)).Call(jen.Id("r"), name, split)
	}
	reader := map[string]*jen.Statement{"query": idem("QueryParam"), "header": idem("HeaderParam")}[p.in]
	if c.Required {
		reader = jen.Id(map[string]string{"query": requiredQuery, "header": requiredHeader}[p.in])
	}
	return reader.Types(scalarType(c.Type)).Call(jen.Id("r"), name)
}

// requiredFuncs declare the helpers that some operation calls.
func requiredFuncs(api *contract.API) []jen.Code {
	var body, query, header bool
	for _, op := range api.Contracts {
		body = body || op.BodyType != nil && op.BodyRequired
		for _, p := range partsOf(op) {
			for _, c := range p.params {
				query = query || p.in == "query" && c.Required && !isList(p, c)
				header = header || p.in == "header" && c.Required
			}
		}
	}
	var decls []jen.Code
	if body {
		decls = append(decls, requiredFunc(requiredBody, "the body", jen.Any(), idem("DecodeBody"), nil, jen.Lit("body")))
	}
	if query {
		decls = append(decls, requiredFunc(requiredQuery, "a query parameter", idem("ParamType"), idem("QueryParam"), jen.Id("name"), jen.Lit("query.").Op("+").Id("name")))
	}
	if header {
		decls = append(decls, requiredFunc(requiredHeader, "a header", idem("ParamType"), idem("HeaderParam"), jen.Id("name"), jen.Lit("header.").Op("+").Qual("strings", "ToLower").Call(jen.Id("name"))))
	}
	return decls
}

// requiredFunc declares a reader that refuses absence. Parameters that do not count are not missed by the fingerprint.
func requiredFunc(goName, what string, constraint jen.Code, reader *jen.Statement, name, place jen.Code) jen.Code {
	params := []jen.Code{jen.Id("r").Op("*").Add(canon("Request"))}
	args := []jen.Code{jen.Id("r")}
	if name != nil {
		params = append(params, jen.Add(name).String())
		args = append(args, name)
	}
	refusal := jen.Op("&").Add(canon("Refusal")).Values(
		member("Place", place), member("Offset", jen.Lit(-1)), member("Reason", jen.Lit("is required")))
	return doc(goName+" reads "+what+" that the document demands.").
		Func().Id(goName).Types(jen.Id("T").Add(constraint)).Params(params...).Params(jen.Id("value").Id("T"), jen.Err().Error()).Block(
		jen.List(jen.Id("v"), jen.Err()).Op(":=").Add(reader.Types(jen.Id("T")).Call(args...)),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("value"), jen.Err())),
		jen.If(jen.Id("v").Op("==").Nil()).Block(jen.Return(jen.Id("value"), refusal)),
		jen.Return(jen.Op("*").Id("v"), jen.Nil()),
	)
}
