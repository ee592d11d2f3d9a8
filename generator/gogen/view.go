package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// mostEndpoints is how many operations the comment of a view names.
const mostEndpoints = 8

// viewsStruct declares the functions that the program supplies.
func viewsStruct(api *contract.API) jen.Code {
	fields := make([]jen.Code, len(api.Views))
	for i, v := range api.Views {
		fields[i] = doc(v.GoName + " makes what counts of a body of " + viewedEndpoints(api, v.Name) + ".").Id(v.GoName).Add(idem("View"))
	}
	return doc(
		"Views are functions of the program that make of a body what counts of it, as JSON text; idem.View says what is asked of them.",
		"All are needed. One that makes something else of the same body than before needs another name in the annotation.",
	).Type().Id(viewsName).Struct(fields...)
}

// viewedEndpoints lists the operations whose bodies go through a view.
func viewedEndpoints(api *contract.API, view string) string {
	var names []string
	for _, op := range api.Contracts {
		if op.Views(view) {
			names = append(names, endpoint(op))
		}
	}
	if len(names) > mostEndpoints {
		names = append(names[:mostEndpoints], "others")
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// withViews gives the package's contract the program's functions. The package's own stays as it is: another engine has other functions.
func withViews(api *contract.API, name string) []jen.Code {
	views := make([]jen.Code, len(api.Views))
	for i, v := range api.Views {
		views[i] = jen.Lit(v.Name).Op(":").Id("views").Dot(v.GoName)
	}
	return []jen.Code{
		jen.Id(name).Op(":=").Id(contractName),
		jen.Id(name).Dot("Views").Op("=").Map(jen.String()).Add(idem("View")).Values(views...),
	}
}

// views checks the fields of the struct, and that each has a body to read.
func (k *checker) views(api *contract.API) {
	fields := map[string]bool{}
	for _, v := range api.Views {
		k.field(fields, viewsName, v.GoName)
		if !slices.ContainsFunc(api.Contracts, func(op *contract.Contract) bool { return op.Views(v.Name) }) {
			k.fail("no operation has the view %q", v.Name)
		}
	}
}

// view checks a body that counts through one.
func (k *checker) view(api *contract.API, v *contract.Version) {
	name := v.View
	switch {
	case name == "":
	case !slices.ContainsFunc(api.Views, func(of contract.View) bool { return of.Name == name }):
		k.fail("the package has no view %q", name)
	case !isGeneric(v.Body):
		k.fail("a body with a view is not generic")
	case jsonOnly(v.Spec):
		k.fail("a body with a view has no table of its media types")
	}
}
