package openapi

import (
	"errors"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// maxKeyLength is the longest idempotency key that a record holds.
const maxKeyLength = 255

// key reads `key`: a field path, or the long form. pos is the annotation's place, for members nobody wrote.
func (r reader) key(n *yaml.Node, pos diag.Pos) Val[Key] {
	key := newKey(r.s.pos(n))
	if n.Kind != yaml.MappingNode {
		if key.From = r.onePath(n, "key"); !key.From.Set {
			return Val[Key]{Value: key, Pos: pos}
		}
		return set(r, n, key)
	}
	r.object(n, "key", []memberReader{
		{"from", func(m member) { key.From = r.onePath(m.value, "key.from") }},
		{"required", func(m member) { key.Required = r.boolean(m.value, "key.required") }},
		{"length", func(m member) { key.MinLength, key.MaxLength = r.length(m.value) }},
		{"format", func(m member) { key.Format = r.word(m.value, "key.format", keyFormatWords...) }},
	})
	return set(r, n, key)
}

// length reads [min, max].
func (r reader) length(n *yaml.Node) (low, high Val[int]) {
	low, high = unset[int](r.s.pos(n)), unset[int](r.s.pos(n))
	if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
		hint := "length: [1, 255]"
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int" {
			hint = "length: [1, " + n.Value + "]"
		}
		r.reportHint(n, diag.AnnotationType, hint, "key.length must be a list of two integers, the least and the most characters")
		return low, high
	}
	low = r.integer(n.Content[0], "key.length's minimum", 1, maxKeyLength)
	high = r.integer(n.Content[1], "key.length's maximum", 1, maxKeyLength)
	if low.Set && high.Set && low.Value > high.Value {
		r.report(n, diag.AnnotationBounds, "key.length's minimum %d is above its maximum %d", low.Value, high.Value)
		return unset[int](low.Pos), unset[int](high.Pos)
	}
	return low, high
}

// onePath reads the field path of a single value: no [] and no *, and not the whole body.
func (r reader) onePath(n *yaml.Node, what string) Val[FieldPath] {
	none := unset[FieldPath](r.s.pos(n))
	if n.Kind == yaml.SequenceNode {
		r.report(n, diag.AnnotationType, "%s takes one field path, not a list: with two places two keys could disagree", what)
		return none
	}
	path, ok := r.path(n, what)
	if !ok || !r.needSingle(n, path, what) {
		return none
	}
	if path.In == InBody && len(path.Segments) == 0 {
		r.report(n, diag.FieldPathMany, "%s needs one value; body is all of the request's body", what)
		return none
	}
	return set(r, n, path)
}

func (r reader) needSingle(n *yaml.Node, path FieldPath, what string) bool {
	if path.single() {
		return true
	}
	r.report(n, diag.FieldPathMany, "%s needs one value; %s names many", what, path)
	return false
}

// path reads a field path. A fault is reported at the character where it is, as far as the text shows where that is.
func (r reader) path(n *yaml.Node, what string) (FieldPath, bool) {
	if !isText(n) {
		r.wrongType(n, what, "a field path such as body.amount or header.Idempotency-Key", "")
		return FieldPath{}, false
	}
	path, err := ParseFieldPath(n.Value)
	if err == nil {
		path.Pos = r.s.pos(n)
		return path, true
	}
	d := r.finding(n, diag.FieldPathSyntax, "%v", err)
	if fault := (*FieldPathError)(nil); errors.As(err, &fault) {
		d.Pos.Col += offsetInSource(n, fault.Offset)
		d.Hint = fault.Hint
	}
	if d.Hint == "" {
		d.Hint = meantKey(n.Value, what)
	}
	r.ds.Add(d)
	return FieldPath{}, false
}

// meantKey guesses at a key that is no field path: the bare name of a header, or a word that says whether a key has to be there.
func meantKey(text, what string) string {
	required := map[string]string{"required": "required: true", "optional": "required: false"}[text]
	switch {
	case what != "key" && what != "key.from":
		return ""
	case required != "" && what == "key":
		return "key: {" + required + "}"
	case required != "":
		return required
	case isToken(text) && strings.Contains(text, "-"):
		return "header." + text
	}
	return ""
}

// meantMember guesses at a member of key that other languages have.
func meantMember(m member, what string) string {
	if what != "key" || m.name != "optional" || m.value.Kind != yaml.ScalarNode || m.value.ShortTag() != "!!bool" {
		return ""
	}
	return "required: " + strconv.FormatBool(!strings.EqualFold(m.value.Value, "true"))
}

// offsetInSource turns an offset in the node's value into one in the file. Where escapes or line breaks
// make the two differ the answer is 0: the start of the text.
func offsetInSource(n *yaml.Node, offset int) int {
	if strings.ContainsAny(n.Value, "\"'\\\n\r\t") {
		return 0
	}
	switch {
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return offset + 1
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return 0
	}
	return offset
}
