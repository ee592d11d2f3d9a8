package canon

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// refPiece is a name of a form with its text, or of a multipart body with its content.
type refPiece struct {
	name   string
	text   string
	kind   PartKind
	listed bool // the name ends with []
}

// refFormNode is what stands under one name: single values, or names below it.
type refFormNode struct {
	values []refPiece
	names  []string
	below  map[string]*refFormNode
}

// refFormName matches names: a, a[b], a[b][c], a[0][b], a[].
var refFormName = regexp.MustCompile(`^([^\[\]]*)((?:\[[^\[\]]+\])*)(\[\])?$`)

// refReadForm makes a tree of an application/x-www-form-urlencoded body. Refusals of forms have no offset.
func refReadForm(body string) (*refValue, *Refusal) {
	var pieces []refPiece
	for text := range strings.SplitSeq(body, "&") {
		if text == "" {
			continue
		}
		name, value, _ := strings.Cut(text, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		switch {
		case nameErr != nil || valueErr != nil:
			return nil, refRefuse("body", -1, "a percent sign without two hexadecimal digits")
		case !utf8.ValidString(value):
			return nil, refRefuse("body", -1, "invalid UTF-8")
		}
		pieces = append(pieces, refPiece{name: name, text: value})
	}
	return refFormTree(pieces)
}

// refFormTree puts pieces together by the steps of their names.
func refFormTree(pieces []refPiece) (*refValue, *Refusal) {
	root := &refFormNode{below: map[string]*refFormNode{}}
	for _, p := range pieces {
		parts := refFormName.FindStringSubmatch(p.name)
		switch {
		case !utf8.ValidString(p.name):
			return nil, refRefuse("body", -1, "invalid UTF-8")
		case parts == nil || parts[1] == "" && parts[2]+parts[3] != "":
			return nil, refRefuse("body", -1, "the brackets of a name do not match")
		}
		steps := []string{parts[1]}
		if inner := strings.TrimSuffix(strings.TrimPrefix(parts[2], "["), "]"); parts[2] != "" {
			steps = append(steps, strings.Split(inner, "][")...)
		}
		if len(steps) > refLevels {
			return nil, refRefuse("body", -1, "more than 128 levels of nesting")
		}
		p.listed = parts[3] != ""
		root.add(steps, p)
	}
	return root.tree("body", 0)
}

// add puts a piece where the steps of its name lead.
func (n *refFormNode) add(steps []string, p refPiece) {
	if len(steps) == 0 {
		n.values = append(n.values, p)
		return
	}
	if n.below[steps[0]] == nil {
		n.names = append(n.names, steps[0])
		n.below[steps[0]] = &refFormNode{below: map[string]*refFormNode{}}
	}
	n.below[steps[0]].add(steps[1:], p)
}

// tree gives what n stands for: an object, a single value, or a list where the name is repeated or ends with [].
func (n *refFormNode) tree(place string, level int) (*refValue, *Refusal) {
	isListed := func(p refPiece) bool { return p.listed }
	isNot := func(p refPiece) bool { return !p.listed }
	switch {
	case len(n.values) > 0 && len(n.names) > 0:
		return nil, refRefuse(place, -1, "a name stands for a single value and for an object")
	case slices.ContainsFunc(n.values, isListed) && slices.ContainsFunc(n.values, isNot):
		return nil, refRefuse(place, -1, "a name stands with and without []")
	case len(n.values) == 1 && !n.values[0].listed:
		return n.values[0].value(place, level)
	}
	v := &refValue{kind: refObjectValue, offset: -1, end: -1, form: true, level: level}
	if len(n.values) > 0 {
		v.kind = refArrayValue
	}
	for i, p := range n.values {
		e, refusal := p.value(place+"/"+strconv.Itoa(i), level+1)
		if refusal != nil {
			return nil, refusal
		}
		v.elements = append(v.elements, e)
	}
	for _, name := range n.names {
		below, refusal := n.below[name].tree(refBelow(place, name), level+1)
		if refusal != nil {
			return nil, refusal
		}
		v.members = append(v.members, refSent{name: name, offset: -1, value: below})
	}
	if level >= refLevels {
		v.fault = refRefuse(place, -1, "more than 128 levels of nesting")
	}
	return v, nil
}

// value gives the single value that a piece is.
func (p refPiece) value(place string, level int) (*refValue, *Refusal) {
	v := &refValue{offset: -1, end: -1}
	switch p.kind {
	case TextPart:
		v.kind, v.text = refTextValue, p.text
	case FilePart:
		v.kind, v.text = refFileValue, refDigest(p.text)
	case JSONPart:
		r := &refReader{body: []byte(p.text)}
		if v = r.value(place, level+1); v.faulty() {
			break
		}
		if r.space(); r.pos < len(p.text) {
			return nil, refRefuse(place, -1, "data after the end of the JSON value")
		}
	}
	v.form, v.level, v.sent = true, level, &p
	return v, nil
}

// refFormArray gives an array of a form in JSON's spelling: a single value is an array of one element, unless it is JSON that is an array, and
// the names 0, 1, 2 … are its elements' indexes.
func refFormArray(v *refValue, place string) (*refValue, *Refusal) {
	if !v.form || v.kind == refArrayValue {
		return v, nil
	}
	array := &refValue{kind: refArrayValue, offset: v.offset, end: v.end, form: true, level: v.level}
	if v.sent != nil {
		if v.level >= refLevels { // a schema may be an array of itself
			return nil, refRefuse(place, v.offset, "more than 128 levels of nesting")
		}
		element, refusal := v.sent.value(place+"/0", v.level+1)
		array.elements = []*refValue{element}
		return array, refusal
	}
	for range v.members {
		index := strconv.Itoa(len(array.elements))
		i := slices.IndexFunc(v.members, func(m refSent) bool { return m.name == index })
		if i < 0 {
			return nil, refRefuse(place, v.offset, "the indexes of an array do not run from 0 without a gap")
		}
		array.elements = append(array.elements, v.members[i].value)
	}
	array.fault = v.fault
	return array, nil
}
