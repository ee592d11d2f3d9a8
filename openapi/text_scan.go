package openapi

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v4"
)

// flow reports whether a node is written between brackets.
func flow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

// closing is where the bracket stands that ends a flow collection; -1 when it cannot be found.
func (t *Text) closing(n *yaml.Node) (open, closed int) {
	at := t.offset(n)
	first := bytes.IndexAny(t.data[at:], "{[")
	if first < 0 {
		return -1, -1
	}
	open = at + first
	depth := 0
	for i := open; i < len(t.data); i++ {
		switch c := t.data[i]; c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return open, i
			}
		case '"', '\'':
			if t.startsToken(i) {
				i = t.quoteEnd(i)
			}
		case '#':
			if !t.json && t.startsToken(i) {
				i += max(bytes.IndexByte(t.data[i:], '\n'), 0)
			}
		}
	}
	return -1, -1
}

// startsToken reports whether a character stands where a scalar or a comment may begin, and not inside of a plain scalar.
func (t *Text) startsToken(i int) bool {
	return i == 0 || strings.IndexByte(" \t\r\n{[,:", t.data[i-1]) >= 0
}

// quoteEnd is where the quote stands that ends the scalar beginning at i.
func (t *Text) quoteEnd(i int) int {
	quote := t.data[i]
	for i++; i < len(t.data); i++ {
		switch {
		case t.data[i] == '\\' && quote == '"':
			i++
		case t.data[i] == quote && quote == '\'' && i+1 < len(t.data) && t.data[i+1] == '\'':
			i++
		case t.data[i] == quote:
			return i
		}
	}
	return len(t.data) - 1
}

// line is the text of a line without its end, by its index; ok is false behind the last one.
func (t *Text) line(i int) (text string, ok bool) {
	if i >= len(t.lines) {
		return "", false
	}
	to := len(t.data)
	if i+1 < len(t.lines) {
		to = t.lines[i+1]
	}
	return strings.TrimRight(string(t.data[t.lines[i]:to]), "\r\n"), true
}

// lastLine is the index of the last line of a block member's value: those that follow its key and are indented deeper, or are elements of a
// list at the key's own column. Blank lines and comments behind it do not belong to it; those between do.
func (t *Text) lastLine(key, value *yaml.Node) int {
	last := key.Line - 1
	if flow(value) {
		if _, closed := t.closing(value); closed >= 0 {
			last = max(last, bytes.Count(t.data[:closed], []byte("\n")))
		}
	}
	if value.Kind == yaml.ScalarNode && value.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		last = max(last, bytes.Count(t.data[:min(t.quoteEnd(t.offset(value)), len(t.data))], []byte("\n")))
	}
	for i := last + 1; ; i++ {
		text, ok := t.line(i)
		if !ok {
			return last
		}
		rest := strings.TrimLeft(text, " ")
		col := len(text) - len(rest) + 1
		switch {
		case strings.TrimSpace(rest) == "":
		case col > key.Column:
			last = i
		case strings.HasPrefix(rest, "#"):
		case col == key.Column && (rest == "-" || strings.HasPrefix(rest, "- ")):
			last = i
		default:
			return last
		}
	}
}

// ownMembers are a block object's members that stand in it, not those that << brings.
func ownMembers(n *yaml.Node) (keys, values []*yaml.Node) {
	for key, value := range entries(n) {
		if key.Line > n.Line || key.Line == n.Line && key.Column >= n.Column {
			keys, values = append(keys, key), append(values, value)
		}
	}
	return keys, values
}
