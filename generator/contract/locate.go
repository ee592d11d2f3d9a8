package contract

import (
	"slices"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

const bodyText = "body"

// locate finds what a path of fields or ignored names, one part for each branch of the unions on its way, and reports a path that names
// nothing that can be selected.
func (o *operation) locate(path openapi.FieldPath) ([]located, bool) {
	if path.In != openapi.InBody {
		return o.locateParam(path)
	}
	if o.viewedPath(path) {
		return nil, false
	}
	if o.tree == nil {
		if !o.bodyUnsupported {
			o.found.Add(diag.Diagnostic{Pos: path.Pos, Code: diag.PathUnknown, Message: path.String() + " is not declared: the operation has no body"})
		}
		return nil, false
	}
	found, miss := o.tree.resolve(path)
	if miss != nil {
		o.found.Add(miss.report(path))
		return nil, false
	}
	var out []located
	for _, h := range found.hits {
		if len(h.rest) == 0 {
			out = append(out, placeLocated(h.place, path))
		}
	}
	if len(out) == 0 {
		o.refuseInside(found.hits[0], path)
		return nil, false
	}
	if found.partial || len(out) < len(found.hits) {
		o.someBranches(found, path)
	}
	return out, true
}

// refuseInside reports a path to a part of what has no parts that could be selected.
func (o *operation) refuseInside(h hit, path openapi.FieldPath) {
	p := h.place
	switch {
	case h.entry:
		o.found.Add(o.tree.explain(p, path, len(path.Segments)-len(h.rest)).report(path))
		return
	case p.again != nil:
		first := path
		first.Segments = slices.Concat(p.again.path.Segments, h.rest)
		o.found.Add(diag.Diagnostic{Pos: path.Pos, Code: diag.PathUnknown, Hint: first.String(),
			Message: path.String() + " repeats what " + first.String() + " decides: " + p.plain + " is " + p.again.plain + " once more"})
	default:
		o.notSupportedHint(path.Pos, path.String()+" lies inside "+p.merged.reason+"; selecting a part of one", "- "+p.plain)
	}
	o.settle(located{decides: p.plain, place: p}, path)
}

func (o *operation) someBranches(f found, path openapi.FieldPath) {
	o.found.Add(diag.Diagnostic{Pos: path.Pos, Code: diag.PathSomeBranches, Message: path.String() + " fits only some branches of " + f.union.plain,
		Related: []diag.Related{{Pos: f.union.pos, Message: f.union.plain + " is declared here"}}})
}

// placeLocated is what a path to p names.
func placeLocated(p *place, path openapi.FieldPath) located {
	out := located{exact: placeTarget(p), place: p}
	out.whole = out.exact
	for i := len(path.Segments) - 1; i >= 0 && path.Segments[i].Kind == openapi.SegElement; i-- {
		p = p.parent
		if i == len(path.Segments)-1 {
			out.whole = placeTarget(p) // the array that the element stands in
		}
		if p.branch {
			p = p.parent
		}
	}
	out.decides = p.plain
	return out
}

func placeTarget(p *place) target {
	presence := p.presence
	if p.branch {
		presence = p.parent.presence
	}
	return target{text: p.plain, merged: p.merged, array: p.kind() == arrayKind, presence: presence,
		element: p.parent != nil && presence == noMember, body: true, file: p.file}
}

func (o *operation) locateParam(path openapi.FieldPath) ([]located, bool) {
	p := o.param(path)
	if p == nil {
		o.found.Add(o.paramMiss(path).report(path))
		return nil, false
	}
	whole := target{text: p.text, merged: p.merged, array: p.array, presence: present(p.required)}
	steps := path.Segments[1:]
	switch {
	case len(steps) == 0:
		return []located{{exact: whole, whole: whole, decides: p.text, param: p}}, true
	case len(steps) == 1 && steps[0].Kind == openapi.SegElement && p.array:
		return []located{{exact: target{text: p.text + "[]", merged: p.element, element: true}, whole: whole, decides: p.text, param: p}}, true
	}
	near := path
	near.Segments = path.Segments[:1]
	o.found.Add((&miss{near: near.String()}).report(path))
	return nil, false
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
