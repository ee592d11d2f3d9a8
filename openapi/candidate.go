package openapi

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Candidate is a POST or PATCH operation that nobody has decided upon: no annotation stands at it or is given for it.
type Candidate struct {
	Pos     diag.Pos // of the method's key
	ID      string   // operationId; "" when the document gives none
	Method  string   // upper case, a webhook's too
	Path    string   // template as written; "" for a webhook
	Webhook string   // the webhook's name; "" elsewhere
	// Target selects the operation in an overlay (JSONPath). It is empty where no overlay reaches: in another file.
	Target string
	// Insert is where the annotation's lines can be put into the file.
	Insert Insertion
	// Calls is valid where the document says that the operation calls other systems: the first callback, or a link to another server.
	Calls diag.Pos
	// Twin is where the path of another operation stands that is this one too, by a $ref of its path item; the zero place when there is none.
	Twin diag.Pos
}

// Insertion is a place in a file where a member can be put in as lines of text, everything else staying as it is.
type Insertion struct {
	File   string
	Line   int // the lines go before this one, from 1
	Indent int // blanks before the member's name
	// Refused says why no line can be put in there; empty when one can.
	Refused string
}

// candidates gives those of all, in document order.
func (l *loading) candidates(all []*written) map[*written]Candidate {
	places := map[diag.Pos][]*written{}
	for _, w := range all {
		at := w.node.pos()
		places[at] = append(places[at], w)
	}
	out := map[*written]Candidate{}
	for _, w := range all {
		if w.annotated() || w.method != "post" && w.method != "patch" {
			continue
		}
		c := l.candidate(w)
		for _, twin := range places[w.node.pos()] {
			if twin == w {
				continue
			}
			c.Insert.Refused = "several operations share this text"
			if twin.node.node == w.node.node {
				c.Twin = place{s: twin.item[0].s, node: twin.path}.pos()
			}
		}
		out[w] = c
	}
	return out
}

func (l *loading) candidate(w *written) Candidate {
	c := Candidate{
		Pos: w.key.pos(), ID: w.id(), Method: strings.ToUpper(w.method), Target: l.target(w),
		Insert: insertInto(w.key, w.node, "operationId"), Calls: calls(w.node),
	}
	if c.Path = w.path.Value; w.webhook {
		c.Path, c.Webhook = "", w.path.Value
	}
	return c
}

// target is the overlay's way to an operation of the root file. One behind a $ref is reached where it stands.
func (l *loading) target(w *written) string {
	if w.node.s != l.root {
		return ""
	}
	section := "paths"
	if w.webhook {
		section = "webhooks"
	}
	if child(w.item[0].node, w.method) == w.node.node {
		return targetOf([]string{section, w.path.Value, w.method})
	}
	return targetOf(stepsTo(l.root.root, w.node.node, nil))
}

// stepsTo finds the members that lead from n to what is looked for; nil when they do not.
func stepsTo(n, wanted *yaml.Node, above []string) []string {
	for key, value := range entries(n) {
		steps := append(slices.Clone(above), key.Value)
		if value == wanted {
			return steps
		}
		if found := stepsTo(value, wanted, steps); found != nil {
			return found
		}
	}
	return nil
}

// targetOf writes names of members as JSONPath; empty when there are none.
func targetOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("$")
	for _, name := range names {
		if isShorthand(name) {
			b.WriteString("." + name)
			continue
		}
		b.WriteString("['" + escapeStep(name) + "']")
	}
	return b.String()
}

// escapeStep writes a name inside single quotes (RFC 9535 section 2.3.1.1).
func escapeStep(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch r {
		case '\'':
			b.WriteString(`\'`)
		case '"':
			b.WriteRune(r)
		default:
			writeQuotedRune(&b, r)
		}
	}
	return b.String()
}

// calls finds the first callback of an operation, or a link of a response that leads to another server.
func calls(op place) diag.Pos {
	callbacks := op.in("callbacks")
	for key := range entries(callbacks.node) {
		return op.s.pos(key)
	}
	for _, response := range entries(op.in("responses").node) {
		for key, link := range entries(child(response, "links")) {
			if child(link, "server") != nil || strings.Contains(scalar(child(link, "operationRef")), "://") {
				return op.s.pos(key)
			}
		}
	}
	return diag.Pos{}
}

// insertInto is the place for a first member of the object at value, whose key stands at key: on the line after the key, or after the
// member called after where that is a single line.
func insertInto(key, value place, after string) Insertion {
	in := Insertion{File: value.s.pos(value.node).File}
	first := firstBelow(key.node, value.node)
	switch {
	case value.s.foreign[value.node] != "":
		in.Refused = "it stands in an overlay"
	case value.node.Style&yaml.FlowStyle != 0:
		in.Refused = "it is written in braces"
	case first == nil:
		in.Refused = "no member of it stands on a line of its own"
	default:
		in.Line, in.Indent = key.node.Line+1, first.Column-1
		if k, v := entry(value.node, after); k != nil && k.Line > key.node.Line && k.Column == first.Column && oneLine(k, v, firstBelow(k, value.node)) {
			in.Line = k.Line + 1
		}
	}
	return in
}

// firstBelow is the first name that stands below the key's line. What a merge key or an alias brought stands above.
func firstBelow(key, n *yaml.Node) (first *yaml.Node) {
	for k := range entries(n) {
		if k.Line > key.Line && (first == nil || k.Line < first.Line) {
			first = k
		}
	}
	return first
}

// oneLine reports whether a member certainly ends on the line on which it begins. A text that goes on has a blank where the line was broken,
// unless the break is escaped.
func oneLine(key, value, next *yaml.Node) bool {
	switch {
	case value.Kind != yaml.ScalarNode || value.Line != key.Line || value.Value == "" || strings.ContainsAny(value.Value, " \t\r\n"):
		return false
	case value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return false
	case value.Style&yaml.DoubleQuotedStyle != 0:
		return next != nil && next.Line == key.Line+1
	}
	return true
}

// rootInsertion is the place for a member of the document itself: before the paths.
func rootInsertion(s *source) Insertion {
	in := Insertion{File: s.file}
	key, _ := entry(s.root, "paths")
	if key == nil {
		key, _ = entry(s.root, "webhooks")
	}
	if s.root.Style&yaml.FlowStyle != 0 || key == nil || s.foreign[key] != "" {
		in.Refused = "the document is written in braces"
		return in
	}
	in.Line, in.Indent = key.Line, key.Column-1
	return in
}

// defaultInsertion is the place for a member of the root's annotation; its Line is 0 where the root file has none.
func (l *loading) defaultInsertion() Insertion {
	key, value := entry(l.root.root, l.extension)
	if key == nil || l.root.foreign[key] != "" {
		return Insertion{File: l.root.file}
	}
	at := place{s: l.root, node: value}
	if !isObject(value) {
		return Insertion{File: l.root.file, Line: key.Line, Refused: "it is no object"}
	}
	in := insertInto(place{s: l.root, node: key}, at, "")
	if in.Refused != "" {
		in.Line = key.Line
	}
	return in
}
