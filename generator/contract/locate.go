package contract

import (
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

const bodyText = "body"

// locate finds what a path of fields or ignored names, and reports a path that names nothing that can be selected.
func (o *operation) locate(path openapi.FieldPath) (located, bool) {
	if path.In != openapi.InBody {
		return o.locateParam(path)
	}
	if o.tree == nil {
		if !o.bodyUnsupported {
			o.found.Add(diag.Diagnostic{Pos: path.Pos, Code: diag.PathUnknown, Message: path.String() + " is not declared: the operation has no body"})
		}
		return located{}, false
	}
	at, miss := o.tree.resolve(path)
	if miss == nil && at.entry {
		miss = o.tree.explain(at.place, path, len(path.Segments)-len(at.rest))
	}
	if miss != nil {
		o.found.Add(miss.report(path))
		return located{}, false
	}
	if len(at.rest) > 0 {
		o.notSupportedHint(path.Pos, path.String()+" lies inside "+at.place.reason()+"; selecting a part of one", "- "+at.place.text)
		o.settle(located{whole: placeTarget(at.place), place: at.place}, path)
		return located{}, false
	}
	exact := placeTarget(at.place)
	whole := exact
	p := at.place
	if n := len(path.Segments); n > 0 && path.Segments[n-1].Kind == openapi.SegElement {
		whole = placeTarget(p.parent)
	}
	return located{exact: exact, whole: whole, place: p}, true
}

func placeTarget(p *place) target {
	return target{text: p.text, merged: p.merged, array: p.kind() == arrayKind, presence: p.presence,
		element: p.parent != nil && p.presence == noMember, body: true}
}

func (o *operation) locateParam(path openapi.FieldPath) (located, bool) {
	p := o.param(path)
	if p == nil {
		o.found.Add(o.paramMiss(path).report(path))
		return located{}, false
	}
	whole := target{text: p.text, merged: p.merged, array: p.array, presence: present(p.required)}
	steps := path.Segments[1:]
	switch {
	case len(steps) == 0:
		return located{exact: whole, whole: whole, param: p}, true
	case len(steps) == 1 && steps[0].Kind == openapi.SegElement && p.array:
		return located{exact: target{text: p.text + "[]", merged: p.element, element: true}, whole: whole, param: p}, true
	}
	near := path
	near.Segments = path.Segments[:1]
	o.found.Add((&miss{near: near.String()}).report(path))
	return located{}, false
}

// param finds a declared parameter by the first step of path.
func (o *operation) param(path openapi.FieldPath) *param {
	for _, p := range o.params {
		if p.path.In == path.In && len(path.Segments) > 0 && p.name == paramName(path.In, path.Segments[0].Name) {
			return p
		}
	}
	return nil
}

func (o *operation) paramMiss(path openapi.FieldPath) *miss {
	var names []string
	out := &miss{}
	for _, p := range o.params {
		if p.path.In == path.In {
			names = append(names, p.name)
			out.have = append(out.have, p.text)
		}
	}
	if near, ok := diag.Nearest(path.Segments[0].Name, names); ok {
		step := openapi.Segment{Kind: openapi.SegName, Name: near}
		out.near = openapi.FieldPath{In: path.In, Segments: append([]openapi.Segment{step}, path.Segments[1:]...)}.String()
	}
	return out
}
