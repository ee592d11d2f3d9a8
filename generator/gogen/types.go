package gogen

import (
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// goType spells the type of a part of a body.
func goType(t *contract.Type) *jen.Statement {
	switch t.Kind {
	case contract.TypeString:
		return jen.String()
	case contract.TypeInt64:
		return jen.Int64()
	case contract.TypeInt32:
		return jen.Int32()
	case contract.TypeNumber:
		return idem("Number")
	case contract.TypeBool:
		return jen.Bool()
	case contract.TypeBytes:
		return jen.Index().Byte()
	case contract.TypeInstant:
		return idem("Instant")
	case contract.TypeStruct:
		return jen.Id(t.GoName)
	case contract.TypeList:
		return jen.Index().Add(goType(t.Elem))
	case contract.TypeMap:
		return jen.Map(jen.String()).Add(goType(t.Elem))
	case contract.TypeRaw:
	}
	return jen.Qual("encoding/json", "RawMessage") // check refuses every other kind
}

// fieldType spells the type of a struct field. Where nil says absent already there is no pointer; a raw value holds null itself.
func fieldType(f contract.TypeField) *jen.Statement {
	base := goType(f.Type)
	switch {
	case f.Type.Kind == contract.TypeRaw:
		return base
	case f.Nullable:
		return idem("Nullable").Types(base)
	case f.Optional && !hasNil(f.Type):
		return jen.Op("*").Add(base)
	}
	return base
}

func hasNil(t *contract.Type) bool {
	return t.Kind == contract.TypeList || t.Kind == contract.TypeMap || t.Kind == contract.TypeBytes
}

// structsOf lists the structs that t is made of, outermost first, each once.
func structsOf(t *contract.Type) []*contract.Type {
	var found []*contract.Type
	seen := map[*contract.Type]bool{}
	var walk func(t *contract.Type)
	walk = func(t *contract.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		if t.Kind == contract.TypeStruct {
			found = append(found, t)
		}
		for _, f := range t.Fields {
			walk(f.Type)
		}
		walk(t.Elem)
	}
	walk(t)
	return found
}

// bodyStruct declares one struct of a body.
func bodyStruct(t *contract.Type, op *contract.Contract) jen.Code {
	var fields []jen.Code
	for _, f := range t.Fields {
		fields = append(fields, fieldDoc(f.GoName, f.Name, f.Doc).Id(f.GoName).Add(fieldType(f)).Tag(map[string]string{"json": jsonTag(f)}))
	}
	part := "part of the body"
	if t == op.BodyType {
		part = "the body"
	}
	return doc(t.GoName + " is " + part + " of " + endpoint(op) + ".").
		Type().Id(t.GoName).Struct(fields...)
}

// fieldDoc carries a field's description. The document's name in brackets keeps words like Deprecated from being a marker.
func fieldDoc(goName, name, text string) *jen.Statement {
	if text = excerpt(text); text == "" {
		return &jen.Statement{}
	}
	return doc(goName + " (" + excerpt(name) + "): " + text)
}

// jsonTag names the member for encoding/json. A name that a tag cannot spell is read by UnmarshalJSON.
func jsonTag(f contract.TypeField) string {
	if !taggable(f.Name) {
		return "-"
	}
	tag := f.Name
	if f.Optional || f.Nullable {
		return tag + ",omitzero"
	}
	if tag == "-" {
		return "-,"
	}
	return tag
}

// taggable reports whether encoding/json takes name from a struct tag as it is; it falls back to the Go name silently otherwise.
func taggable(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return name != ""
}

func hasOddNames(t *contract.Type) bool {
	for _, f := range t.Fields {
		if !taggable(f.Name) {
			return true
		}
	}
	return false
}

// unmarshalFunc declares how a struct with such members is read: the others by their tags, these by their exact names.
func unmarshalFunc(t *contract.Type) jen.Code {
	unmarshal := func(data, target jen.Code) *jen.Statement {
		return jen.Err().Op(":=").Qual("encoding/json", "Unmarshal").Call(data, target)
	}
	fail := jen.Block(jen.Return(jen.Err()))
	body := []jen.Code{
		jen.Type().Id("tagged").Id(t.GoName),
		jen.If(unmarshal(jen.Id("data"), jen.Parens(jen.Op("*").Id("tagged")).Call(jen.Id("v"))), jen.Err().Op("!=").Nil()).Add(fail),
		jen.Var().Id("members").Map(jen.String()).Qual("encoding/json", "RawMessage"),
		jen.If(unmarshal(jen.Id("data"), jen.Op("&").Id("members")), jen.Err().Op("!=").Nil()).Add(fail),
	}
	for _, f := range t.Fields {
		if taggable(f.Name) {
			continue
		}
		read := jen.If(unmarshal(jen.Id("raw"), jen.Op("&").Id("v").Dot(f.GoName)), jen.Err().Op("!=").Nil()).Add(fail)
		body = append(body, jen.If(
			jen.List(jen.Id("raw"), jen.Id("ok")).Op(":=").Id("members").Index(jen.Lit(f.Name)), jen.Id("ok"),
		).Block(read))
	}
	body = append(body, jen.Return(jen.Nil()))
	return doc("UnmarshalJSON also reads the members whose names a struct tag cannot spell. There is no MarshalJSON: commands are only read.").
		Func().Params(jen.Id("v").Op("*").Id(t.GoName)).Id("UnmarshalJSON").Params(jen.Id("data").Index().Byte()).Error().Block(body...)
}
