package contract

import (
	"strings"

	"github.com/idemgen/idemgen/openapi"
)

// branchText spells the step into a branch of a union: {card}, {mastercard,visa}, {"odd label"}.
func branchText(labels []string) string {
	quoted := make([]string, len(labels))
	for i, label := range labels {
		quoted[i] = labelText(label)
	}
	return "{" + strings.Join(quoted, ",") + "}"
}

// labelText quotes a label where a field path would quote a name.
func labelText(label string) string {
	name := openapi.FieldPath{In: openapi.InBody, Segments: []openapi.Segment{{Kind: openapi.SegName, Name: label}}}.String()
	if plain, ok := strings.CutPrefix(name, "body."); ok {
		return plain
	}
	return strings.TrimSuffix(strings.TrimPrefix(name, "body["), "]")
}

// PlainPath gives a path of [Version.Fields] or [Version.Ignored] without the branches of unions on its way, as the annotation writes it:
// body.method.number for body.method{card}.number.
func PlainPath(text string) string {
	plain, _ := plainPath(text)
	return plain
}

// plainPath also reports whether every brace outside of quotes is one of a branch.
func plainPath(text string) (string, bool) {
	var b strings.Builder
	for at := 0; at < len(text); {
		switch text[at] {
		case '"':
			end := quotedEnd(text, at)
			b.WriteString(text[at:end])
			at = end
		case '{':
			end, ok := branchEnd(text, at)
			if !ok {
				return text, false
			}
			at = end
		default:
			b.WriteByte(text[at])
			at++
		}
	}
	return b.String(), true
}

// branchEnd is behind the bracket that closes the one at at.
func branchEnd(text string, at int) (int, bool) {
	for at++; at < len(text); {
		switch text[at] {
		case '"':
			at = quotedEnd(text, at)
		case '}':
			return at + 1, text[at-1] != '{' && text[at-1] != ','
		case '{':
			return at, false
		default:
			at++
		}
	}
	return at, false
}

// quotedEnd is behind the quote that closes the one at at, or the text's end.
func quotedEnd(text string, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}
