package openapi

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi/diag"
)

// parameters gives the path item's and the operation's parameters: the operation's win. Cookies are left out, and so are
// the headers that OpenAPI says are not described by parameters.
func (l *loading) parameters(w *written) (out []paramPart) {
	levels := []place{w.node}
	levels = append(levels, w.item...)
	slices.Reverse(levels) // the weakest first
	for _, level := range levels {
		for _, p := range l.parameterList(level.in("parameters")) {
			if i := slices.IndexFunc(out, p.same); i >= 0 {
				out[i] = p
				continue
			}
			out = append(out, p)
		}
	}
	return slices.DeleteFunc(out, func(p paramPart) bool { return p.in == 0 || p.ignored() })
}

// parameterList reads one list. Cookies are in it, with no In.
func (l *loading) parameterList(list place) (out []paramPart) {
	if list.node != nil && items(list.node) == nil && !isNull(list.node) && len(list.node.Content) > 0 {
		l.report(list, diag.WrongShape, "", "parameters are a list, not %s", kindName(list.node))
	}
	for _, n := range items(list.node) {
		p, ok := l.parameter(place{s: list.s, node: n})
		if !ok {
			continue
		}
		if i := slices.IndexFunc(out, p.same); i >= 0 {
			d := l.finding(p.setting, diag.DuplicateParameter, "", "the parameter %s is declared twice", quoteText(p.name))
			d.Related = []diag.Related{{Pos: out[i].setting.pos(), Message: "the first one"}}
			l.ds.Add(d)
			continue
		}
		out = append(out, p)
	}
	return out
}

// same reports whether p and q are one parameter: name and place agree.
func (p paramPart) same(q paramPart) bool {
	if p.in != q.in {
		return false
	}
	if p.in == InHeader {
		return strings.EqualFold(p.name, q.name)
	}
	return p.name == q.name
}

// ignored are the header parameters that OpenAPI takes no notice of (Parameter Object, name).
func (p paramPart) ignored() bool {
	return p.in == InHeader && slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(p.name))
}

func (l *loading) parameter(setting place) (paramPart, bool) {
	at, ok := l.object(setting, "a parameter")
	if !ok {
		return paramPart{}, false
	}
	p := paramPart{at: at, setting: setting, name: scalar(child(at.node, "name"))}
	if p.name == "" {
		l.report(at, diag.BadParameter, "name:", "a parameter has no name")
		return p, false
	}
	in := scalar(child(at.node, "in"))
	switch in {
	case "path":
		p.in = InPath
	case "query":
		p.in = InQuery
	case "header":
		p.in = InHeader
	case "cookie":
		return p, true
	case "body", "formData":
		l.report(at.orIn("in"), diag.BadParameter, "requestBody:", "the parameter %s is in %q, which OpenAPI 3 describes by requestBody", quoteText(p.name), in)
		return p, false
	case "":
		l.report(at, diag.BadParameter, "in: query", "the parameter %s does not say where it is: in path, query, header or cookie", quoteText(p.name))
		return p, false
	default:
		hint, _ := diag.Nearest(in, []string{"path", "query", "header", "cookie"})
		l.report(at.orIn("in"), diag.BadParameter, hint, "the parameter %s is in path, query, header or cookie, not in %s", quoteText(p.name), quoteText(in))
		return p, false
	}
	p.schema = at.in("schema")
	if p.schema.node == nil {
		for key, media := range entries(child(at.node, "content")) {
			p.media = key.Value
			if m, ok := l.object(place{s: at.s, node: media}, "a media type"); ok {
				p.schema = m.in("schema")
			}
			break
		}
	}
	return p, true
}

// orIn is the member's place, or p where it has none.
func (p place) orIn(name string) place {
	if m := p.in(name); m.node != nil {
		return m
	}
	return p
}
