package canon

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// refMember is a member of an object of the canonical text: its name, and the text of its value.
type refMember struct{ name, text string }

// refObject writes an object. Members stand in the order of their names' UTF-16 code units.
func refObject(members []refMember) string {
	members = slices.Clone(members)
	slices.SortFunc(members, func(a, b refMember) int {
		return slices.Compare(utf16.Encode([]rune(a.name)), utf16.Encode([]rune(b.name)))
	})
	texts := make([]string, len(members))
	for i, m := range members {
		texts[i] = refString(m.name) + ":" + m.text
	}
	return "{" + strings.Join(texts, ",") + "}"
}

// refArray writes an array of element texts. Sets and multisets stand in the order of their texts' bytes.
func refArray(kind ArrayKind, elements []string) string {
	if kind != List {
		elements = slices.Sorted(slices.Values(elements))
	}
	if kind == Set {
		elements = slices.Compact(elements)
	}
	return "[" + strings.Join(elements, ",") + "]"
}

// refString writes a string as RFC 8785 section 3.2.2.2 does.
func refString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch r {
		case '"':
			b.WriteString(`\"`)
		case '\\':
			b.WriteString(`\\`)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			if r < 0x20 {
				fmt.Fprintf(&b, `\u%04x`, r)
				continue
			}
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// refBelow is the place of a member: a step of a JSON pointer. A long name is cut after 64 bytes, and characters that could break a line
// are replaced.
func refBelow(place, name string) string {
	var b strings.Builder
	b.WriteString(place + "/")
	for i, r := range name {
		switch {
		case i >= 64:
			b.WriteString("…")
			return b.String()
		case r == '~':
			b.WriteString("~0")
		case r == '/':
			b.WriteString("~1")
		case r < ' ', r >= 0x7f && r <= 0x9f, r == '\u2028', r == '\u2029':
			b.WriteString("\ufffd")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
