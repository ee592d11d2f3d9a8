package canon

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// refNode gives the canonical text of a value of the body. left is true when it counts as if it had not been sent.
func refNode(n *Node, v *refValue, place string) (text string, left bool, refusal *Refusal) {
	if v.kind == refWordValue && v.text == "null" {
		switch n.Null {
		case NullAbsent:
			return "", true, nil
		case NullDistinct:
			return "null", false, nil
		case NullRefused:
		}
	}
	text, refusal = refPresent(n, v, place)
	return text, false, refusal
}

// refPresent gives the canonical text of a value for which null means nothing particular.
func refPresent(n *Node, v *refValue, place string) (string, *Refusal) {
	switch n.Kind {
	case ObjectNode, MapNode:
		return refMembers(n, v, place)
	case ArrayNode:
		return refElements(n, v, place)
	case UnionNode:
		return refUnion(n.Union, v, place)
	case LeafNode:
		return refLeaf(n.As, v, place)
	}
	return "", refRefuse(place, v.offset, "the contract names no kind of value")
}

func refElements(n *Node, v *refValue, place string) (string, *Refusal) {
	v, refusal := refFormArray(v, place)
	if refusal != nil {
		return "", refusal
	}
	if v.kind != refArrayValue {
		return "", refRefuse(place, v.offset, "an array is expected")
	}
	var texts []string
	for i, e := range v.elements {
		text, left, refusal := refNode(n.Elem, e, place+"/"+strconv.Itoa(i))
		if refusal != nil {
			return "", refusal
		}
		if !left {
			texts = append(texts, text)
		}
	}
	if v.fault != nil {
		return "", v.fault
	}
	return refArray(n.Array, texts), nil
}

// refMembers gives the canonical text of an object or map.
func refMembers(n *Node, v *refValue, place string) (string, *Refusal) {
	if v.kind != refObjectValue {
		return "", refRefuse(place, v.offset, "an object is expected")
	}
	var members []refMember
	var undeclared []refSent
	sent := map[string]bool{}     // declared members that were sent
	standing := map[string]bool{} // declared members that have a text
	for _, m := range v.members {
		at := refBelow(place, m.name)
		d := refDeclared(n, m.name)
		switch {
		case d == nil:
			if refusal := refUndeclared(n, m, at); refusal != nil {
				return "", refusal
			}
			undeclared = append(undeclared, m)
		case sent[m.name]:
			return "", refRefuse(at, m.offset, "the member stands here a second time")
		default:
			sent[m.name] = true
		}
		text, left, refusal := refMemberText(n, d, m.value, at)
		if refusal != nil {
			return "", refusal
		}
		if !left {
			standing[m.name] = true
			members = append(members, refMember{m.name, text})
		}
	}
	if v.fault != nil {
		return "", v.fault
	}
	for _, d := range n.Members {
		if d.Required && !sent[d.Name] {
			return "", refRefuse(refBelow(place, d.Name), v.end, "a required member is missing")
		}
		if d.Default != "" && !d.Ignored && !standing[d.Name] {
			members = append(members, refMember{d.Name, d.Default})
		}
	}
	if refusal := refDistinct(undeclared, place); refusal != nil {
		return "", refusal
	}
	return refObject(members), nil
}

func refDeclared(n *Node, name string) *NodeMember {
	for i := range n.Members {
		if n.Members[i].Name == name {
			return &n.Members[i]
		}
	}
	return nil
}

// refUndeclared refuses an undeclared member whose name alone says that it must not stand here.
func refUndeclared(n *Node, m refSent, at string) *Refusal {
	for _, d := range n.Members {
		if refFold(d.Name) == refFold(m.name) {
			return refRefuse(at, m.offset, "the name differs from a declared one only in case")
		}
	}
	if n.Kind == ObjectNode && n.Unknown != IgnoreUnknown && n.Unknown != IncludeUnknown {
		return refRefuse(at, m.offset, "the member is not declared")
	}
	return nil
}

// refFold makes names equal that a decoder may take for one another: ASCII letters without case, U+017F as s, U+212A as k, and each other
// character beyond ASCII as all of them, since Unicode's tables change.
func refFold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r == '\u017f':
			return 's'
		case r == '\u212a':
			return 'k'
		case r > unicode.MaxASCII:
			return '\u0080'
		}
		return r
	}, name)
}

// refMemberText gives the canonical text of one member's value; d is nil for an undeclared one. left is true when it does not count.
func refMemberText(n *Node, d *NodeMember, v *refValue, at string) (text string, left bool, refusal *Refusal) {
	switch {
	case d != nil && d.Ignored, d == nil && n.Kind == ObjectNode && n.Unknown == IgnoreUnknown:
		return "", true, refWhole(v, at)
	case d != nil:
		return refNode(d.Node, v, at)
	case n.Kind == MapNode:
		return refNode(n.Elem, v, at)
	}
	text, refusal = refGeneric(v, at)
	return text, false, refusal
}

// refDistinct refuses the first member that has an earlier one's name.
func refDistinct(members []refSent, place string) *Refusal {
	seen := map[string]bool{}
	for _, m := range members {
		if seen[m.name] {
			return refRefuse(refBelow(place, m.name), m.offset, "the member stands here a second time")
		}
		seen[m.name] = true
	}
	return nil
}

// refWhole checks a value that does not count.
func refWhole(v *refValue, place string) *Refusal {
	_, refusal := refAny(v, place, func(*refValue, string) (string, *Refusal) { return "", nil })
	return refusal
}

// refGeneric gives the canonical text of any value: numbers and objects are tagged, so that 5 and "5" differ.
func refGeneric(v *refValue, place string) (string, *Refusal) {
	return refAny(v, place, func(v *refValue, place string) (string, *Refusal) {
		number, refusal := refLeaf(Decimal, v, place)
		return `{"number":` + number + `}`, refusal
	})
}

// refAny walks any value, in the order in which it was sent; number says what becomes of numbers.
func refAny(v *refValue, place string, number func(*refValue, string) (string, *Refusal)) (string, *Refusal) {
	switch {
	case v.kind == refObjectValue:
		var members []refMember
		for _, m := range v.members {
			text, refusal := refAny(m.value, refBelow(place, m.name), number)
			if refusal != nil {
				return "", refusal
			}
			members = append(members, refMember{m.name, text})
		}
		if v.fault != nil {
			return "", v.fault
		}
		return `{"object":` + refObject(members) + "}", refDistinct(v.members, place)
	case v.kind == refArrayValue:
		var texts []string
		for i, e := range v.elements {
			text, refusal := refAny(e, place+"/"+strconv.Itoa(i), number)
			if refusal != nil {
				return "", refusal
			}
			texts = append(texts, text)
		}
		return refArray(List, texts), v.fault
	case v.fault != nil:
		return "", v.fault
	case v.kind == refStringValue, v.kind == refTextValue, v.kind == refFileValue:
		return refString(v.text), nil
	case v.kind == refNumberValue:
		return number(v, place)
	}
	return v.text, nil // true, false, null
}

// refUnion gives the canonical text of a value that is one of several.
func refUnion(u *Union, v *refValue, place string) (string, *Refusal) {
	label, refusal := refTypeLabel(v), v.fault
	if u.Discriminator != "" {
		label, refusal = refDiscriminated(u, v, place)
	} else if v.kind == refObjectValue || v.kind == refArrayValue {
		refusal = nil // it is met in its turn
	}
	if refusal != nil {
		return "", refusal
	}
	i := slices.IndexFunc(u.Branches, func(b Branch) bool { return b.Label == label })
	if i < 0 {
		return "", refRefuse(place, v.offset, "a value of another type is expected")
	}
	text, _, refusal := refNode(u.Branches[i].Node, v, place)
	return refObject([]refMember{{label, text}}), refusal
}

// refTypeLabel names the JSON type of a value.
func refTypeLabel(v *refValue) string {
	switch v.kind {
	case refObjectValue:
		if v.form && v.sent == nil && slices.ContainsFunc(v.members, func(m refSent) bool { return m.name == "0" }) {
			return "array" // names with indexes
		}
		return "object"
	case refArrayValue:
		return "array"
	case refStringValue, refTextValue, refFileValue:
		return "string"
	case refNumberValue:
		return "number"
	case refWordValue:
		if v.text != "null" {
			return "boolean"
		}
	case refBroken:
	}
	return "null"
}

// refDiscriminated finds the branch that a value names.
func refDiscriminated(u *Union, v *refValue, place string) (string, *Refusal) {
	if v.kind != refObjectValue {
		return "", refRefuse(place, v.offset, "an object is expected")
	}
	at := refBelow(place, u.Discriminator)
	for _, m := range v.members {
		if m.name != u.Discriminator {
			continue
		}
		if m.value.kind != refStringValue && m.value.kind != refTextValue {
			return "", refRefuse(at, m.value.offset, "a string is expected")
		}
		if m.value.fault != nil {
			return "", m.value.fault
		}
		for _, b := range u.Branches {
			if b.Label == m.value.text {
				return b.Label, nil
			}
		}
		return "", refRefuse(at, m.value.offset, "no branch has this name")
	}
	if refusal := refWhole(v, place); refusal != nil {
		return "", refusal
	}
	return "", refRefuse(at, v.end, "the member that names the branch is missing")
}
