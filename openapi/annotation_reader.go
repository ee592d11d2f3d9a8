package openapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// reader reads values out of YAML nodes strictly. What is wrong goes to ds; no method stops at the first fault.
// A source has no aliases and no merge keys; a node of another kind is reported as broken like any wrong type.
type reader struct {
	s  *source
	ds *diag.List
}

// finding starts a diagnostic at n.
func (r reader) finding(n *yaml.Node, code diag.Code, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{Pos: r.s.pos(n), Code: code, Message: fmt.Sprintf(format, args...)}
}

func (r reader) report(n *yaml.Node, code diag.Code, format string, args ...any) {
	r.ds.Add(r.finding(n, code, format, args...))
}

func (r reader) reportHint(n *yaml.Node, code diag.Code, hint, format string, args ...any) {
	d := r.finding(n, code, format, args...)
	d.Hint = hint
	r.ds.Add(d)
}

// wrongType says what stands where something else is meant. what names the member, want the thing.
func (r reader) wrongType(n *yaml.Node, what, want, hint string) {
	r.reportHint(n, diag.AnnotationType, hint, "%s must be %s, not %s", what, want, kindName(n))
}

// set wraps a value that was read from n.
func set[T any](r reader, n *yaml.Node, v T) Val[T] {
	return Val[T]{Value: v, Pos: r.s.pos(n), Set: true}
}

// kindName says what n is, in words for a message.
func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
	default:
		return "a broken node"
	}
	switch n.ShortTag() {
	case "!!null":
		return "empty"
	case "!!bool", "!!int", "!!float":
		return n.Value
	}
	return quoteText(n.Value)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

// text reads a string. A number or boolean that was meant as one is refused with the quotes it needs.
func (r reader) text(n *yaml.Node, what string) (string, bool) {
	if isText(n) {
		return n.Value, true
	}
	hint := ""
	if n.Kind == yaml.ScalarNode && !isNull(n) {
		hint = lastMember(what) + ": " + strconv.Quote(n.Value)
	}
	r.wrongType(n, what, "text", hint)
	return "", false
}

// isInteger counts what is too long for the YAML reader's integers in; the bounds are what is wrong with it.
func isInteger(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	tag := n.ShortTag()
	return tag == "!!int" || tag == "!!float" && leadingDigits(n.Value) == len(n.Value)
}

// boolean reads true or false.
func (r reader) boolean(n *yaml.Node, what string) Val[bool] {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		return set(r, n, strings.EqualFold(n.Value, "true"))
	}
	r.wrongType(n, what, "true or false", "")
	return unset[bool](r.s.pos(n))
}

// integer reads a decimal integer between low and high.
func (r reader) integer(n *yaml.Node, what string, low, high int) Val[int] {
	none := unset[int](r.s.pos(n))
	if !isInteger(n) {
		r.wrongType(n, what, "an integer", "")
		return none
	}
	v, err := strconv.Atoi(n.Value)
	if err != nil || v < low || v > high {
		r.report(n, diag.AnnotationBounds, "%s must be an integer from %d to %d, not %s", what, low, high, n.Value)
		return none
	}
	return set(r, n, v)
}

// word reads one of a few words.
func (r reader) word(n *yaml.Node, what string, words ...string) Val[string] {
	return r.wordOf(n, what, lastMember(what)+": ", words)
}

// wordOf is word with what a hint puts before the nearest word.
func (r reader) wordOf(n *yaml.Node, what, before string, words []string) Val[string] {
	if isText(n) && slices.Contains(words, n.Value) {
		return set(r, n, n.Value)
	}
	hint := ""
	if n.Kind == yaml.ScalarNode {
		if near, ok := diag.Nearest(n.Value, words); ok {
			hint = before + near
		}
	}
	r.reportHint(n, diag.AnnotationWord, hint, "%s must be %s, not %s", what, orList(words), kindName(n))
	return unset[string](r.s.pos(n))
}

// items gives the entries of a list. An empty list is an error where least is 1.
func (r reader) items(n *yaml.Node, what string, least int) ([]*yaml.Node, bool) {
	if n.Kind != yaml.SequenceNode {
		hint := ""
		if isText(n) && n.Value != "" {
			hint = fmt.Sprintf("%s: [%s]", lastMember(what), n.Value)
		}
		r.wrongType(n, what, "a list", hint)
		return nil, false
	}
	if len(n.Content) < least {
		r.report(n, diag.AnnotationMissing, "%s is an empty list; leave it out, or say what belongs to it", what)
		return nil, false
	}
	return n.Content, true
}

// lastMember is the member's own name: length for key.length.
func lastMember(what string) string { return what[strings.LastIndexByte(what, '.')+1:] }

// orList joins words as a sentence has it: a, b or c.
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
