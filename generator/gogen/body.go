package gogen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
	runtime "github.com/idemgen/idemgen/runtime/canon"
)

// The names of canon's constants for bodies.
var (
	medias = map[runtime.Media]string{
		runtime.JSON: "JSON", runtime.Form: "Form", runtime.Multipart: "Multipart", runtime.Text: "Text", runtime.Octets: "Octets",
	}
	partKinds = map[runtime.PartKind]string{runtime.JSONPart: "JSONPart", runtime.FilePart: "FilePart"}
)

// jsonOnly reports whether all bodies are JSON: then no table is needed to find out what one is.
func jsonOnly(spec runtime.BodySpec) bool {
	return len(spec.Accepts) == 1 && spec.Accepts[0] == runtime.JSON
}

// bodyName is the table of an operation that takes more than JSON.
func bodyName(op *contract.Contract) string { return "body" + op.GoName }

// openBody opens the body of a version, if there is one. table is what says what bodies there are, where that is more than JSON.
func openBody(v *contract.Version, table string) *jen.Statement {
	spec := v.Spec
	if v.View != "" {
		return jen.Id("s").Dot("OpenView").Call(jen.Op("&").Id(table)).Op("!=").Add(canon("NoBody"))
	}
	if jsonOnly(spec) {
		return jen.Id("s").Dot("Body").Call(jen.Lit(spec.Required), canon("JSON")).Op("==").Add(canon("JSON"))
	}
	return jen.Id("s").Dot("OpenBody").Call(jen.Op("&").Id(table)).Op("!=").Add(canon("NoBody"))
}

// bodyTable declares what bodies an operation takes; nil when that is JSON alone, or none.
func bodyTable(op *contract.Contract) []jen.Code {
	if op.BodyType == nil || jsonOnly(op.Spec) {
		return nil
	}
	return []jen.Code{specVar(bodyName(op), "says what bodies "+endpoint(op)+" takes, and which of their parts are no texts.", op.Spec)}
}

// specVar declares a table of bodies.
func specVar(name, about string, spec runtime.BodySpec) jen.Code {
	var fields []jen.Code
	if spec.Required {
		fields = append(fields, member("Required", jen.True()))
	}
	accepts := make([]jen.Code, len(spec.Accepts))
	for i, m := range spec.Accepts {
		accepts[i] = canon(medias[m])
	}
	fields = append(fields, member("Accepts", jen.Index().Add(canon("Media")).Values(accepts...)))
	if len(spec.Types) > 0 {
		fields = append(fields, member("Types", stringList(spec.Types)))
	}
	if len(spec.Parts) > 0 {
		parts := make([]jen.Code, len(spec.Parts))
		for i, p := range spec.Parts {
			parts[i] = jen.Values(member("Name", jen.Lit(p.Name)), member("Kind", canon(partKinds[p.Kind])))
		}
		fields = append(fields, member("Parts", jen.Index().Add(canon("Part")).Add(lines(parts...))))
	}
	return doc(name + " " + about).Var().Id(name).Op("=").Add(canon("BodySpec")).Add(lines(fields...))
}

// spec checks the table, and that what is compared is what is taken.
func (k *checker) spec(op *contract.Contract) {
	spec := op.Spec
	if !jsonOnly(spec) {
		k.declare(bodyName(op))
	}
	if len(spec.Accepts) == 0 {
		k.fail("no kind of body is taken")
	}
	for _, m := range spec.Accepts {
		if medias[m] == "" {
			k.fail("media %d is unknown", m)
		}
	}
	for _, p := range spec.Parts {
		if partKinds[p.Kind] == "" {
			k.fail("part %q: kind %d is unknown", p.Name, p.Kind)
		}
	}
	if v := op.Version; v.Body != nil && (v.Spec.Required != spec.Required || !slices.Equal(v.Spec.Accepts, spec.Accepts) ||
		!slices.Equal(v.Spec.Types, spec.Types) || !slices.Equal(v.Spec.Parts, spec.Parts)) {
		k.fail("the fingerprint is of other bodies than the operation takes")
	}
}
