package openapi

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// parts is an annotated operation with the places of everything that its schemas hang on.
type parts struct {
	op     *Operation
	at     place // the method's key, for findings about the operation as a whole
	params []paramPart
	body   *bodyPart
}

type paramPart struct {
	at      place // the parameter, behind its $ref
	name    string
	in      In
	media   string // set when the parameter is described by content
	schema  place  // the zero place when it declares none
	setting place  // the path item's or operation's own parameter; overriding looks at this
}

type bodyPart struct {
	at    place // the body, behind its $ref
	key   place
	media []mediaPart
}

type mediaPart struct {
	key    place
	at     place
	schema place
}

// outline gives what an operation is, without its schemas.
func (l *loading) outline(w *written, ann Annotation) *Operation {
	op := &Operation{
		Pos: w.key.pos(), ID: w.id(), Annotation: ann,
		Summary: scalar(child(w.node.node, "summary")), Secured: l.secured(w),
	}
	if w.webhook {
		op.Webhook = w.path.Value
		return op
	}
	op.Method, op.Path = strings.ToUpper(w.method), w.path.Value
	return op
}

// secured reports whether the operation, or else the document, names a security requirement.
// A requirement that is empty allows anybody.
func (l *loading) secured(w *written) bool {
	list := child(w.node.node, "security")
	if list == nil {
		list = child(l.root.root, "security")
	}
	return slices.ContainsFunc(items(list), func(n *yaml.Node) bool { return isObject(n) && len(n.Content) > 0 })
}

// parts finds what an operation declares, and reports what is wrong with it.
func (l *loading) parts(w *written, ann Annotation, base string) *parts {
	p := &parts{op: l.outline(w, ann), at: w.key}
	p.params = l.parameters(w)
	if key, value := entry(w.node.node, "requestBody"); value != nil {
		p.body = l.body(place{s: w.node.s, node: key}, place{s: w.node.s, node: value})
	}
	p.op.Streaming, p.op.Responses, p.op.Calls = l.streaming(w.node), responses(w.node), calls(w.node)
	if !w.webhook {
		l.checkPath(w, p)
		l.ownServers(w, base)
	}
	return p
}

// body finds the media types of a request body; nil when there is none.
func (l *loading) body(key, p place) *bodyPart {
	at, ok := l.object(p, "a request body")
	if !ok {
		return nil
	}
	b := &bodyPart{key: key, at: at}
	content := at.in("content")
	if content.node != nil && !isObject(content.node) {
		l.report(content, diag.WrongShape, "", "the content of a request body is an object, not %s", kindName(content.node))
	}
	for name, value := range entries(content.node) {
		m := mediaPart{key: place{s: at.s, node: name}}
		if m.at, ok = l.object(place{s: at.s, node: value}, "a media type"); !ok {
			continue
		}
		m.schema = m.at.in("schema")
		b.media = append(b.media, m)
	}
	return b
}

// object follows the references from p and demands an object at their end. An empty value counts as an empty object.
func (l *loading) object(p place, what string) (place, bool) {
	at, ok := l.refs.follow(p)
	if !ok {
		return place{}, false
	}
	if !isObject(at.node) && !isNull(at.node) {
		l.report(at, diag.WrongShape, "", "%s is an object, not %s", what, kindName(at.node))
		return place{}, false
	}
	return at, true
}

// responses lists the answers that an operation declares.
func responses(op place) (out Responses) {
	key, value := entry(op.node, "responses")
	if key == nil {
		return out
	}
	out.Pos = op.s.pos(key)
	for _, code := range names(value) {
		if !strings.HasPrefix(code, "x-") {
			out.Codes = append(out.Codes, code)
		}
	}
	return out
}

// streamed are the media types of responses that do not end when the operation has decided.
var streamed = []string{
	"text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/stream+json",
	"application/json-seq", "multipart/x-mixed-replace",
}

// streaming gives the place of the first response with a streaming media type; the zero place when there is none.
func (l *loading) streaming(op place) diag.Pos {
	responses := op.in("responses")
	for code, value := range entries(responses.node) {
		if strings.HasPrefix(code.Value, "x-") {
			continue
		}
		at, ok := l.object(place{s: op.s, node: value}, "a response")
		if !ok {
			continue
		}
		for key, media := range entries(child(at.node, "content")) {
			name, _, _ := strings.Cut(key.Value, ";")
			if slices.Contains(streamed, strings.ToLower(strings.TrimSpace(name))) || child(media, "itemSchema") != nil {
				return at.s.pos(key)
			}
		}
	}
	return diag.Pos{}
}

// checkPath compares the variables of the path with the parameters that are declared for them.
func (l *loading) checkPath(w *written, p *parts) {
	at := place{s: w.item[0].s, node: w.path}
	if strings.ContainsFunc(w.path.Value, unicode.IsControl) {
		p.op.Unsupported = append(p.op.Unsupported, Unsupported{Pos: at.pos(), Code: diag.PathUnservable,
			Message: "no request has the path " + quoteText(w.path.Value) + ": a line break or another control character is not part of a path"})
		return
	}
	if strings.ContainsAny(w.path.Value, "?#") {
		p.op.Unsupported = append(p.op.Unsupported, Unsupported{Pos: at.pos(), Code: diag.PathUnservable,
			Message: "no request has the path " + quoteText(w.path.Value) + ": what follows ? or # is not part of a path"})
		return
	}
	variables, err := templateNames(w.path.Value)
	if err != nil {
		l.report(at, diag.PathTemplate, "", "the path %s cannot be understood: %s", quoteText(w.path.Value), err)
		return
	}
	var declared []string
	p.params = slices.DeleteFunc(p.params, func(q paramPart) bool {
		if q.in != InPath {
			return false
		}
		declared = append(declared, q.name)
		if slices.Contains(variables, q.name) {
			return false
		}
		hint, _ := diag.Nearest(q.name, variables)
		l.report(q.setting, diag.PathParamUnused, hint, "the path %s has no variable {%s}", quoteText(w.path.Value), q.name)
		return true
	})
	for _, v := range variables {
		if !slices.Contains(declared, v) {
			hint := "parameters:\n  - {name: " + v + ", in: path, required: true, schema: {type: string}}"
			l.report(at, diag.PathUndeclared, hint, "the variable {%s} of %s %s is not declared", v, strings.ToUpper(w.method), w.path.Value)
		}
	}
}

// ownServers warns when a path item or operation is served below another path than the rest of the document.
func (l *loading) ownServers(w *written, base string) {
	for _, p := range append([]place{w.node}, w.item...) {
		servers := p.in("servers")
		if len(items(servers.node)) == 0 {
			continue
		}
		if own := basePath(p.s, servers.node, l.ds); own != base {
			l.report(servers, diag.ServerURL, "", "these servers have the base path %s, the document's have %s", quoteText(own), quoteText(base))
		}
		return
	}
}
