package gogen

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/vector"
)

// testBase is the name of the generated test without its ending.
const testBase = "contract_gen_test"

const vectorsTestName = "TestVectors"

func idemtest(name string) *jen.Statement { return jen.Qual(idemtestPath, name) }

// vectorDecls are the test and its tables; none where no operation has vectors.
func vectorDecls(api *contract.API) []jen.Code {
	var calls, tables []jen.Code
	for _, op := range api.Contracts {
		for _, v := range op.Versions() {
			if len(v.Vectors) == 0 {
				continue
			}
			about := []jen.Code{jen.Id("t"), jen.Op("&").Id(op.Names.Operation), jen.Id(v.Names.Vectors)}
			name := "Vectors"
			if v != &op.Version {
				name = "OlderVectors"
				about = append(about, jen.Lit(v.Number), jen.Lit(cmp.Or(v.Path, op.Path)))
			}
			calls = append(calls, idemtest(name).Call(about...))
			tables = append(tables, vectorTable(op, v))
		}
	}
	if len(calls) == 0 {
		return nil
	}
	test := doc(
		vectorsTestName+" holds the fingerprints of this package to the vectors of the lock. Where it fails, what was upgraded or edited",
		"does not recognise requests any more that it recognised before.",
	).Func().Id(vectorsTestName).Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(calls...)
	return append([]jen.Code{test}, tables...)
}

func vectorTable(op *contract.Contract, v *contract.Version) jen.Code {
	rows := make([]jen.Code, len(v.Vectors))
	for i := range v.Vectors {
		rows[i] = jen.Values(vectorFields(&v.Vectors[i])...)
	}
	about := v.Names.Vectors + " are the vectors of the contract " + excerpt(op.Name)
	if v != &op.Version {
		about += ", version " + strconv.Itoa(v.Number)
	}
	return doc(about + ".").
		Var().Id(v.Names.Vectors).Op("=").Index().Add(idemtest("Vector")).Add(lines(rows...))
}

func vectorFields(v *vector.Vector) []jen.Code {
	var out []jen.Code
	text := func(name, value string) { out = appendText(out, name, value) }
	text("Name", v.Name)
	text("Like", v.Like)
	text("Unlike", v.Unlike)
	text("Refused", v.Refused)
	if request := requestFields(&v.Request); len(request) > 0 {
		out = append(out, member("Request", idemtest("Request").Values(request...)))
	}
	if len(v.Set) > 0 {
		changes := make([]jen.Code, len(v.Set))
		for i, c := range v.Set {
			changes[i] = jen.Values(appendText(appendText(nil, "Path", c.Path), "JSON", c.JSON)...)
		}
		out = append(out, member("Set", jen.Index().Add(idemtest("Change")).Values(changes...)))
	}
	if len(v.Remove) > 0 {
		out = append(out, member("Remove", stringList(v.Remove)))
	}
	text("Canonical", v.Canonical)
	text("SHA256", v.SHA256)
	return out
}

func requestFields(r *vector.Request) []jen.Code {
	var out []jen.Code
	values := func(name string, list []vector.Value) {
		if len(list) == 0 {
			return
		}
		items := make([]jen.Code, len(list))
		for i, v := range list {
			items[i] = jen.Values(appendText(appendText(nil, "Name", v.Name), "Text", v.Text)...)
		}
		out = append(out, member(name, jen.Index().Add(idemtest("Value")).Values(items...)))
	}
	out = appendText(out, "Body", r.Body)
	out = appendText(out, "View", r.View)
	out = appendText(out, "Type", r.Type)
	values("Path", r.Path)
	out = appendText(out, "Query", r.Query)
	values("Header", r.Header)
	return out
}

// appendText appends a member whose value is a text; an empty one is left out.
func appendText(fields []jen.Code, name, text string) []jen.Code {
	if text == "" {
		return fields
	}
	return append(fields, member(name, textLit(text)))
}

// textLit is a string literal: between backquotes where that saves escapes and nothing could hide in it.
func textLit(text string) jen.Code {
	visible := !strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r > 0x7E || r == '`' })
	if visible && strings.ContainsAny(text, `"\`) {
		return jen.Op("`" + text + "`")
	}
	return jen.Lit(text)
}
