package canon

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// refFormNode is what stands under one name of a form: texts, or names below it.
type refFormNode struct {
	texts  []string
	listed []bool // for each text: the name ended with []
	names  []string
	below  map[string]*refFormNode
}

// refFormName matches names: a, a[b], a[b][c], a[0][b], a[].
var refFormName = regexp.MustCompile(`^([^\[\]]*)((?:\[[^\[\]]+\])*)(\[\])?$`)

// refReadForm makes a tree of an application/x-www-form-urlencoded body. Refusals of forms have no offset.
func refReadForm(body string) (*refValue, *Refusal) {
	root := &refFormNode{below: map[string]*refFormNode{}}
	for piece := range strings.SplitSeq(body, "&") {
		if piece == "" {
			continue
		}
		name, value, _ := strings.Cut(piece, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		switch {
		case nameErr != nil || valueErr != nil:
			return nil, refRefuse("body", -1, "a percent sign without two hexadecimal digits")
		case !utf8.ValidString(name) || !utf8.ValidString(value):
			return nil, refRefuse("body", -1, "invalid UTF-8")
		}
		parts := refFormName.FindStringSubmatch(name)
		if parts == nil || parts[1] == "" && parts[2]+parts[3] != "" {
			return nil, refRefuse("body", -1, "the brackets of a name do not match")
		}
		steps := []string{parts[1]}
		if inner := strings.TrimSuffix(strings.TrimPrefix(parts[2], "["), "]"); parts[2] != "" {
			steps = append(steps, strings.Split(inner, "][")...)
		}
		if len(steps) > refLevels {
			return nil, refRefuse("body", -1, "more than 128 levels of nesting")
		}
		root.add(steps, value, parts[3] != "")
	}
	return root.tree("body", 0)
}

// add puts a text where the steps of its name lead.
func (n *refFormNode) add(steps []string, text string, listed bool) {
	if len(steps) == 0 {
		n.texts, n.listed = append(n.texts, text), append(n.listed, listed)
		return
	}
	if n.below[steps[0]] == nil {
		n.names = append(n.names, steps[0])
		n.below[steps[0]] = &refFormNode{below: map[string]*refFormNode{}}
	}
	n.below[steps[0]].add(steps[1:], text, listed)
}

// tree gives what n stands for: an object, a text, or a list where the name is repeated or ends with [].
func (n *refFormNode) tree(place string, level int) (*refValue, *Refusal) {
	v := &refValue{offset: -1, end: -1, form: true, level: level}
	switch {
	case len(n.texts) > 0 && len(n.names) > 0:
		return nil, refRefuse(place, -1, "a name stands for a single value and for an object")
	case slices.Contains(n.listed, true) && slices.Contains(n.listed, false):
		return nil, refRefuse(place, -1, "a name stands with and without []")
	case len(n.texts) == 1 && !n.listed[0]:
		v.kind, v.text = refTextValue, n.texts[0]
	case len(n.texts) > 0:
		v.kind = refArrayValue
		for _, text := range n.texts {
			v.elements = append(v.elements, &refValue{kind: refTextValue, text: text, offset: -1, form: true, level: level + 1})
		}
	default:
		v.kind = refObjectValue
		for _, name := range n.names {
			below, refusal := n.below[name].tree(refBelow(place, name), level+1)
			if refusal != nil {
				return nil, refusal
			}
			v.members = append(v.members, refSent{name: name, offset: -1, value: below})
		}
	}
	if v.kind != refTextValue && level >= refLevels {
		v.fault = refRefuse(place, -1, "more than 128 levels of nesting")
	}
	return v, nil
}

// refFormArray gives an array of a form in JSON's spelling: a single value is an array of one element, and the names 0, 1, 2 … are its
// elements' indexes.
func refFormArray(v *refValue, place string) (*refValue, *Refusal) {
	if !v.form || v.kind == refArrayValue {
		return v, nil
	}
	array := &refValue{kind: refArrayValue, offset: v.offset, end: v.end, form: true, level: v.level}
	if v.kind != refObjectValue {
		if v.level >= refLevels { // a schema may be an array of itself
			return nil, refRefuse(place, v.offset, "more than 128 levels of nesting")
		}
		element := *v
		element.level++
		array.elements = []*refValue{&element}
		return array, nil
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
