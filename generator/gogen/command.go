package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// part is one group of parameters: a struct of its own, and a field of the command.
type part struct {
	field  string // Path
	goName string // CreatePaymentPath
	in     string // path
	params []contract.CommandParam
}

// partsOf lists the groups that op has.
func partsOf(op *contract.Contract) []part {
	all := []part{
		{"Path", op.Names.Path, "path", op.PathParams},
		{"Query", op.Names.Query, "query", op.QueryParams},
		{"Header", op.Names.Header, "header", op.HeaderParams},
	}
	parts := all[:0]
	for _, p := range all {
		if len(p.params) > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

// commandDecls declare the command, its parameters and the structs of its body.
func commandDecls(op *contract.Contract) []jen.Code {
	decls := []jen.Code{commandStruct(op)}
	for _, p := range partsOf(op) {
		decls = append(decls, partStruct(p, op), partDecode(p))
	}
	for _, t := range structsOf(op.BodyType) {
		decls = append(decls, bodyStruct(t, op))
		if hasOddNames(t) {
			decls = append(decls, unmarshalFunc(t))
		}
	}
	return decls
}

// commandStruct declares what the handler is given.
func commandStruct(op *contract.Contract) jen.Code {
	var fields []jen.Code
	for _, p := range partsOf(op) {
		fields = append(fields, jen.Id(p.field).Id(p.goName))
	}
	if op.BodyType != nil && op.BodyRequired {
		fields = append(fields, jen.Id("Body").Add(bodyType(op)))
	}
	if op.BodyType != nil && !op.BodyRequired {
		fields = append(fields, doc("Body is nil when the request has none.").Id("Body").Op("*").Add(bodyType(op)))
	}
	if op.Version.View != "" {
		fields = append(fields, doc("ContentType says what the body is, as it was sent.").Id("ContentType").String())
	}
	return doc(op.Names.Command + " is what a request to " + endpoint(op) + " asks for.").
		Type().Id(op.Names.Command).Struct(fields...)
}

// bodyType is the Go type of the whole body. A body that may be null says so: an empty struct would not.
func bodyType(op *contract.Contract) *jen.Statement {
	null := op.Version.Body != nil && op.Version.Body.Null == contract.NullDistinct
	if null && op.BodyType.Kind != contract.TypeRaw {
		return idem("Nullable").Types(goType(op.BodyType))
	}
	return goType(op.BodyType)
}

// partStruct declares a group of parameters.
func partStruct(p part, op *contract.Contract) jen.Code {
	var fields []jen.Code
	for _, c := range p.params {
		fields = append(fields, fieldDoc(c.GoName, c.Name, c.Doc).Id(c.GoName).Add(paramType(p, c)))
	}
	return doc(p.goName + " holds the " + p.in + " parameters of " + endpoint(op) + ".").
		Type().Id(p.goName).Struct(fields...)
}

// paramType is the type of a parameter's field: a pointer where it may be absent, a slice where it repeats.
func paramType(p part, c contract.CommandParam) *jen.Statement {
	switch {
	case isList(p, c):
		return jen.Index().Add(scalarType(c.Type.Elem))
	case p.in == "path" || c.Required:
		return scalarType(c.Type)
	default:
		return jen.Op("*").Add(scalarType(c.Type))
	}
}

// isList reports whether a parameter is given to the handler as a slice. Lists outside of the query are given as they were sent.
func isList(p part, c contract.CommandParam) bool {
	return p.in == "query" && c.Type.Kind == contract.TypeList
}

// scalarType is the type of a single parameter value. What has no plain Go type is given as it was sent.
func scalarType(t *contract.Type) *jen.Statement {
	switch t.Kind {
	case contract.TypeInt64, contract.TypeInt32, contract.TypeNumber, contract.TypeBool, contract.TypeBytes, contract.TypeInstant:
		return goType(t)
	case contract.TypeString, contract.TypeRaw, contract.TypeStruct, contract.TypeList, contract.TypeMap:
	}
	return jen.String()
}
