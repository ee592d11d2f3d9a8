package contract

import "strings"

// quoteJSON writes s as RFC 8785 section 3.2.2.2 does. s is valid UTF-8; what is not becomes U+FFFD.
func quoteJSON(s string) string {
	const hex = "0123456789abcdef"
	const short = "\"\\\b\f\n\r\t"
	const names = `"\bfnrt`
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch i := strings.IndexRune(short, r); {
		case i >= 0:
			b.WriteByte('\\')
			b.WriteByte(names[i])
		case r < 0x20:
			b.WriteString(`\u00`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
