package openapi

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// writeName appends a name's step: .name where every character is plain, ["name"] elsewhere.
func writeName(b *strings.Builder, name string) {
	if plainName(name) {
		b.WriteByte('.')
		b.WriteString(name)
		return
	}
	b.WriteString(`["`)
	for _, r := range name {
		writeQuotedRune(b, r)
	}
	b.WriteString(`"]`)
}

// writeQuotedRune escapes what would end the name, and what a reviewer could not see.
func writeQuotedRune(b *strings.Builder, r rune) {
	switch {
	case r == '"' || r == '\\':
		b.WriteByte('\\')
		b.WriteRune(r)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r > 0xFFFF && invisible(r):
		high, low := utf16.EncodeRune(r)
		fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
	case r < 0x20 || r == 0x7F || invisible(r):
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		b.WriteRune(r)
	}
}

// plainName reports whether name may stand without quotes.
func plainName(name string) bool {
	if name == "" {
		return false
	}
	for _, r := range name {
		if !plainRune(r) {
			return false
		}
	}
	return true
}

// plainRune reports whether r may stand in a name without quotes. Field paths stand in lock files, so the answer
// may never change with a toolchain: the ranges are written out here, no Unicode table is asked.
func plainRune(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return true
	case r < utf8.RuneSelf:
		return strings.ContainsRune("_-$@~!%&+/=^|", r)
	}
	return r != utf8.RuneError && !invisible(r)
}

// invisible reports whether r is a character beyond ASCII that shows nothing, or moves what stands beside it.
func invisible(r rune) bool {
	for _, span := range invisibleSpans {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}

// invisibleSpans are controls, blanks, joiners, direction marks, fillers, variation selectors, noncharacters and tags.
var invisibleSpans = [...][2]rune{
	{0x80, 0xA0}, {0xAD, 0xAD}, {0x034F, 0x034F}, {0x061C, 0x061C}, {0x115F, 0x1160}, {0x1680, 0x1680},
	{0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x2000, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x206F}, {0x3000, 0x3000},
	{0x3164, 0x3164}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFC}, {0xFFFE, 0xFFFF},
	{0xE0000, 0xE0FFF},
}
