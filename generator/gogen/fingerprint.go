package gogen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
	runtime "github.com/idemgen/idemgen/runtime/canon"
)

// fingerprintFunc declares the function that reads a request and gives its digest under a version.
func fingerprintFunc(op *contract.Contract, v *contract.Version) jen.Code {
	about := []string{
		fmt.Sprintf("%s gives the digest of a request under version %d of the contract", v.Names.Fingerprint, v.Number),
		fmt.Sprintf("%s, id %s. Requests with one digest are the same command.", excerpt(op.Name), v.ID),
	}
	if v.View != "" {
		about = append(about, "r.View is what the view "+v.View+" made of the body; the engine puts it there.")
	}
	if v != &op.Version {
		about = append(about, "Records that were made before the current version, or by programs that still run, are known by it.")
	}
	return digestFunc(v.Names.Fingerprint, append(about, aboutNumbers(v.Names.Fields, v.Body)...), v, tables{v.Names.Body, v.Names.Params}, op.Name)
}

// tables are the names of the tables that a scan function reads by.
type tables struct{ body, params string }

// digestFunc declares a function that reads a request by v and gives its digest under a name.
func digestFunc(name string, about []string, v *contract.Version, by tables, digestName string) jen.Code {
	body := []jen.Code{jen.Id("s").Dot("Start").Call(jen.Id("r"))}
	if v.Body != nil {
		body = append(body, jen.If(openBody(v, by.body)).Block(readValue(v.Body, 0)...))
	}
	if len(v.Params) > 0 {
		body = append(body, jen.Id("s").Dot("Params").Call(jen.Id(by.params)))
	}
	body = append(body, jen.Return(jen.Id("s").Dot("Finish").Call(jen.Lit(digestName), jen.Lit(string(v.ID)))))
	return doc(about...).Func().Id(name).
		Params(jen.Id("s").Op("*").Add(canon("Scanner")), jen.Id("r").Op("*").Add(canon("Request"))).
		Params(canon("Digest"), jen.Error()).Block(body...)
}

// fingerprintTables declare the field paths, and the parameters that count.
func fingerprintTables(v *contract.Version) []jen.Code {
	paths := make([]jen.Code, len(v.Fields))
	for i, f := range v.Fields {
		paths[i] = jen.Lit(f.Path)
	}
	tables := []jen.Code{
		doc(v.Names.Fields + " are the field paths of the contract. A mismatch is reported by them; the scanner counts them by position.").
			Var().Id(v.Names.Fields).Op("=").Index().String().Add(lines(paths...)),
	}
	return append(tables, paramTable(v.Names.Params, v.Params, "that count")...)
}

// paramTable declares a table of parameters; nil where there is none.
func paramTable(name string, params []runtime.Param, which string) []jen.Code {
	if len(params) == 0 {
		return nil
	}
	rows := make([]jen.Code, len(params))
	for i, p := range params {
		rows[i] = jen.Values(paramFields(p)...)
	}
	return []jen.Code{doc(name + " are the parameters " + which + ", in canonical order.").
		Var().Id(name).Op("=").Index().Add(canon("Param")).Add(lines(rows...))}
}

func paramFields(p runtime.Param) []jen.Code {
	fields := []jen.Code{member("In", canon(sources[p.In])), member("Name", jen.Lit(p.Name))}
	if p.In == runtime.InPath {
		fields = append(fields, member("Index", jen.Lit(p.Index)))
	}
	fields = append(fields, member("As", canon(normalisers[p.As])))
	if p.Array != 0 {
		fields = append(fields, member("Array", canon(arrays[p.Array])))
	}
	if p.Split != 0 {
		fields = append(fields, member("Split", jen.LitRune(rune(p.Split))))
	}
	if p.Required {
		fields = append(fields, member("Required", jen.True()))
	}
	if p.Default != "" {
		fields = append(fields, member("Default", jen.Lit(p.Default)))
	}
	return append(fields, member("Field", jen.Lit(p.Field)))
}

// The names of canon's constants. A normaliser that reads a JSON value is also the name of the scanner's method.
var (
	normalisers = map[runtime.Normaliser]string{
		runtime.Exact: "Exact", runtime.Int: "Int", runtime.Decimal: "Decimal", runtime.Double: "Double", runtime.Boolean: "Boolean",
		runtime.Instant: "Instant", runtime.UUID: "UUID", runtime.Base64: "Base64", runtime.ASCIILower: "ASCIILower",
		runtime.ASCIIUpper: "ASCIIUpper", runtime.ASCIITrim: "ASCIITrim", runtime.Generic: "Generic", runtime.ContentDigest: "ContentDigest",
	}
	arrays   = map[runtime.ArrayKind]string{runtime.List: "List", runtime.Set: "Set", runtime.Multiset: "Multiset"}
	unknowns = map[runtime.UnknownPolicy]string{
		runtime.RejectUnknown: "RejectUnknown", runtime.IgnoreUnknown: "IgnoreUnknown", runtime.IncludeUnknown: "IncludeUnknown",
	}
	sources = map[runtime.In]string{runtime.InHeader: "InHeader", runtime.InPath: "InPath", runtime.InQuery: "InQuery"}
)
