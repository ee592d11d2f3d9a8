package openapi

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Add puts a member into an object, behind the one called after where that stands there, else behind the last. A member that is there, or
// was added before, stays.
func (s Spot) Add(name string, v Piece, after ...string) {
	t := s.t
	if !isObject(s.node) {
		t.refuse(s.node, "no object to add "+name+" to")
		return
	}
	at := atOf(s.node)
	for _, known := range t.added[at] {
		if known == name {
			return
		}
	}
	if child(s.node, name) != nil {
		return
	}
	first := len(t.added[at]) == 0
	t.added[at] = append(t.added[at], name)
	if t.json || flow(s.node) {
		t.addInFlow(s.node, Piece{members: []Pair{{name, v}}}, first)
		return
	}
	keys, values := ownMembers(s.node)
	if len(keys) == 0 {
		t.refuse(s.node, "an object without members of its own")
		return
	}
	i := len(keys) - 1
	for j, key := range keys {
		for _, a := range after {
			if key.Value == a {
				i = j
			}
		}
	}
	var b strings.Builder
	writeBlock(&b, Piece{members: []Pair{{name, v}}}, strings.Repeat(" ", keys[0].Column-1))
	t.insertLines(t.lastLine(keys[i], values[i]), keys[0].Column, b.String())
}

// Append puts an element behind a list's last one.
func (s Spot) Append(v Piece) {
	t := s.t
	if s.node.Kind != yaml.SequenceNode {
		t.refuse(s.node, "no list")
		return
	}
	first := t.appended[atOf(s.node)] == 0
	t.appended[atOf(s.node)]++
	if t.json || flow(s.node) {
		t.addInFlow(s.node, Piece{items: []Piece{v}}, first)
		return
	}
	if s.key == nil {
		t.refuse(s.node, "a list in a list")
		return
	}
	var b strings.Builder
	writeBlock(&b, Piece{items: []Piece{v}}, strings.Repeat(" ", s.node.Column-1))
	t.insertLines(t.lastLine(s.key, s.node), s.key.Column+1, b.String())
}

// insertLines puts whole lines behind the line with an index.
func (t *Text) insertLines(line, depth int, text string) {
	at := len(t.data)
	if line+1 < len(t.lines) {
		at = t.lines[line+1]
	} else if len(t.data) > 0 && t.data[len(t.data)-1] != '\n' {
		text = "\n" + strings.TrimSuffix(text, "\n")
	}
	t.edits = append(t.edits, textEdit{at, at, strings.ReplaceAll(text, "\n", t.end), depth})
}

// addInFlow puts what v holds, one member or element, before the bracket that ends n; before its first one where a comment could be hit.
func (t *Text) addInFlow(n *yaml.Node, v Piece, first bool) {
	open, closed := t.closing(n)
	if closed < 0 {
		t.refuse(n, "its end is not found")
		return
	}
	inside := bytes.TrimRight(t.data[open+1:closed], " \t\r\n")
	empty := len(bytes.TrimSpace(inside)) == 0
	if !t.json && bytes.Contains(inside, []byte("#")) {
		text := writeFlow(v)
		t.edits = append(t.edits, textEdit{from: open + 1, to: open + 1, text: text[1:len(text)-1] + ","})
		return
	}
	comma := ", "
	switch {
	case empty && first:
		comma = ""
	case first && bytes.HasSuffix(inside, []byte(",")):
		comma = " "
	}
	at := open + 1 + len(inside)
	base, step, pretty := t.layout(open, closed)
	if !t.json || !pretty {
		text := writeFlow(v)
		if t.json {
			text = writeJSON(v)
		}
		t.edits = append(t.edits, textEdit{from: at, to: at, text: comma + text[1:len(text)-1]})
		return
	}
	var b strings.Builder
	writePretty(&b, v, base, step)
	inner := strings.TrimSuffix(b.String()[1:], "\n"+base+b.String()[b.Len()-1:])
	inner = strings.ReplaceAll(strings.TrimRight(comma, " ")+inner, "\n", t.end)
	if !empty {
		t.edits = append(t.edits, textEdit{from: at, to: at, text: inner})
		return
	}
	if first {
		t.filled[atOf(n)] = len(t.edits)
		t.edits = append(t.edits, textEdit{from: open + 1, to: closed, text: t.end + base})
	}
	fill := &t.edits[t.filled[atOf(n)]]
	fill.text = strings.TrimSuffix(fill.text, t.end+base) + inner + t.end + base
}

// layout is how a JSON value is laid out: the indentation of the line that its bracket ends on, what each level adds, and whether its
// document has a line for each member.
func (t *Text) layout(open, closed int) (base, step string, pretty bool) {
	indent := func(at int) string {
		from := bytes.LastIndexByte(t.data[:at], '\n') + 1
		line := t.data[from:]
		return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	}
	keys, _ := ownMembers(t.s.root)
	if len(keys) == 0 || keys[0].Line == t.s.root.Line {
		return "", "", false
	}
	inside := t.data[open+1 : closed]
	if len(bytes.TrimSpace(inside)) > 0 && !bytes.Contains(inside, []byte("\n")) {
		return "", "", false
	}
	return indent(closed), indent(t.offset(keys[0])), true
}

// Rewrite gives a text another value.
func (s Spot) Rewrite(text string) {
	t, n := s.t, s.node
	if n.Kind != yaml.ScalarNode || n.Anchor != "" || s.key == nil {
		t.refuse(n, "a text that cannot be written anew")
		return
	}
	if known, ok := t.rewrites[atOf(n)]; ok && known == text {
		return
	}
	t.rewrites[atOf(n)] = text
	from := t.offset(n)
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	if t.json || t.inFlow(s.key) {
		to := from + len(n.Value)
		if quoted {
			to = t.quoteEnd(from) + 1
		}
		t.edits = append(t.edits, textEdit{from: from, to: to, text: jsonQuoted(text)})
		return
	}
	last := t.lastLine(s.key, n)
	line, _ := t.line(last)
	to := t.lines[last] + len(line)
	if to < from {
		t.refuse(n, "a text that does not follow its key")
		return
	}
	comment := ""
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
	case quoted:
		end := t.quoteEnd(from) + 1
		comment = string(t.data[end:to])
	default:
		if at := bytes.Index(t.data[from:to], []byte(" #")); at >= 0 {
			comment = string(t.data[from+at : to])
		}
	}
	t.edits = append(t.edits, textEdit{from: from, to: to, text: strings.ReplaceAll(blockText(text, strings.Repeat(" ", s.key.Column+1), strings.TrimRight(comment, " ")), "\n", t.end)})
}

// inFlow reports whether a key stands between brackets: some value around it does.
func (t *Text) inFlow(key *yaml.Node) bool {
	var within func(n *yaml.Node, inside bool) (found, flowing bool)
	within = func(n *yaml.Node, inside bool) (bool, bool) {
		inside = inside || n.Kind != yaml.ScalarNode && flow(n)
		for _, c := range n.Content {
			if c == key {
				return true, inside
			}
			if found, flowing := within(c, inside); found {
				return true, flowing
			}
		}
		return false, false
	}
	_, flowing := within(t.s.root, false)
	return flowing
}
