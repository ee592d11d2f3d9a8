package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
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
		if op.Version.View != "" {
			body = append(body, jen.Id("cmd").Dot("ContentType").Op("=").Id("r").Dot("ContentType"))
		}
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

// readBody is the call that reads the body.
func readBody(op *contract.Contract) *jen.Statement {
	if !jsonOnly(op.Spec) {
		name := "DecodeMedia"
		if op.BodyRequired {
			name = "RequiredMedia"
		}
		return idem(name).Types(bodyType(op)).Call(jen.Id("r"), jen.Op("&").Id(bodyName(op)))
	}
	if op.BodyRequired {
		return idem("RequiredBody").Types(bodyType(op)).Call(jen.Id("r"))
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
		reader = map[string]*jen.Statement{"query": idem("RequiredQuery"), "header": idem("RequiredHeader")}[p.in]
	}
	return reader.Types(scalarType(c.Type)).Call(jen.Id("r"), name)
}
