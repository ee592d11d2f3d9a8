package openapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Piece is what is put into a text.
type Piece struct {
	scalar  string // YAML and JSON alike; empty for the others
	text    string
	isText  bool
	members []Pair
	items   []Piece
	isList  bool
}

// Pair is one of an object's.
type Pair struct {
	Name  string
	Value Piece
}

// TextPiece is a string.
func TextPiece(text string) Piece { return Piece{text: text, isText: true} }

// WordPiece is a number, true or false, as it is written.
func WordPiece(word string) Piece { return Piece{scalar: word} }

// ObjectPiece is an object with members in this order.
func ObjectPiece(members ...Pair) Piece { return Piece{members: members} }

// ListPiece is a list.
func ListPiece(items ...Piece) Piece { return Piece{items: items, isList: true} }

// RefPiece is a reference.
func RefPiece(to string) Piece { return ObjectPiece(Pair{"$ref", TextPiece(to)}) }

// writeBlock writes a value's lines in YAML's block style.
func writeBlock(b *strings.Builder, v Piece, indent string) {
	for _, m := range v.members {
		b.WriteString(indent + plainText(m.Name) + ":")
		writeBelow(b, m.Value, indent)
	}
	for _, item := range v.items {
		if len(item.members) == 0 {
			b.WriteString(indent + "-")
			writeBelow(b, item, indent)
			continue
		}
		var inner strings.Builder
		writeBlock(&inner, item, indent+"  ")
		b.WriteString(indent + "- " + strings.TrimPrefix(inner.String(), indent+"  "))
	}
}

// writeBelow writes what follows a colon or a dash, with its line end. What is short stands on the line.
func writeBelow(b *strings.Builder, v Piece, indent string) {
	const short = 80
	switch {
	case v.scalar != "":
		b.WriteString(" " + v.scalar + "\n")
	case v.isText && strings.Contains(v.text, "\n"):
		b.WriteString(" " + blockText(v.text, indent+"  ", "") + "\n")
	case v.isText:
		b.WriteString(" " + plainText(v.text) + "\n")
	case v.flat() && len(writeFlow(v)) < short:
		b.WriteString(" " + writeFlow(v) + "\n")
	default:
		b.WriteString("\n")
		writeBlock(b, v, indent+"  ")
	}
}

// flat reports whether nothing of v has parts.
func (v Piece) flat() bool {
	hasParts := func(x Piece) bool { return len(x.members) > 0 || len(x.items) > 0 }
	return !slices.ContainsFunc(v.members, func(m Pair) bool { return hasParts(m.Value) }) && !slices.ContainsFunc(v.items, hasParts)
}

// writeFlow writes a value on one line of YAML, writeJSON of JSON.
func writeFlow(v Piece) string { return write(v, plainText) }

func writeJSON(v Piece) string { return write(v, jsonQuoted) }

func write(v Piece, text func(string) string) string {
	var parts []string
	switch {
	case v.scalar != "":
		return v.scalar
	case v.isText:
		return text(v.text)
	case v.isList || len(v.items) > 0:
		for _, item := range v.items {
			parts = append(parts, write(item, text))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for _, m := range v.members {
		parts = append(parts, text(m.Name)+": "+write(m.Value, text))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// writePretty writes JSON with a line for each member.
func writePretty(b *strings.Builder, v Piece, indent, step string) {
	list := v.isList || len(v.items) > 0
	if v.scalar != "" || v.isText || len(v.members)+len(v.items) == 0 {
		b.WriteString(writeJSON(v))
		return
	}
	begin, end := "{", "}"
	if list {
		begin, end = "[", "]"
	}
	b.WriteString(begin)
	comma := ""
	for _, m := range v.members {
		b.WriteString(comma + "\n" + indent + step + jsonQuoted(m.Name) + ": ")
		writePretty(b, m.Value, indent+step, step)
		comma = ","
	}
	for _, item := range v.items {
		b.WriteString(comma + "\n" + indent + step)
		writePretty(b, item, indent+step, step)
		comma = ","
	}
	b.WriteString("\n" + indent + end)
}

// unquoted is text that YAML takes as it stands, in a line and between brackets, and as nothing but text. A capital or a dollar is no
// number and, with what follows, no word of YAML.
var (
	unquoted = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_/.()'+-]*( [A-Za-z0-9_/.()'+-]+)*$`)
	yamlWord = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)
)

// plainText is a string in YAML: as it is where it can be, else in double quotes.
func plainText(text string) string {
	if unquoted.MatchString(text) && !yamlWord.MatchString(text) || text == "$ref" {
		return text
	}
	if strings.IndexFunc(text, func(r rune) bool { return r == '\'' || !unicode.IsPrint(r) }) < 0 {
		return "'" + text + "'"
	}
	return jsonQuoted(text)
}

// jsonQuoted is a string in JSON, which YAML reads alike.
func jsonQuoted(text string) string {
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(text); err != nil {
		panic(err) // a string always can
	}
	text = strings.TrimSuffix(b.String(), "\n")
	var shown strings.Builder
	for _, r := range text {
		if r != ' ' && r <= 0xFFFF && !unicode.IsPrint(r) { // YAML breaks lines at some of them
			fmt.Fprintf(&shown, `\u%04x`, r)
			continue
		}
		shown.WriteRune(r)
	}
	return shown.String()
}

// blockText is a string as a literal block whose lines have an indentation, with a comment behind its header; in double quotes where a
// block would not bring all its characters back.
func blockText(text, indent, comment string) string {
	fit := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) < 0 &&
		!strings.HasPrefix(text, " ") && !strings.HasPrefix(text, "\n") && !strings.HasSuffix(text, "\n\n") && text != "" && text != "\n"
	if !fit {
		return jsonQuoted(text) + comment
	}
	header := "|-"
	if strings.HasSuffix(text, "\n") {
		header, text = "|", strings.TrimSuffix(text, "\n")
	}
	var b strings.Builder
	b.WriteString(header + comment)
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString("\n")
		if line != "" {
			b.WriteString(indent + line)
		}
	}
	return b.String()
}
