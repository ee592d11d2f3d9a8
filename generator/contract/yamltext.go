package contract

import (
	"fmt"
	"regexp"
	"strings"
)

// yamlContext says what else may stand on a scalar's line.
type yamlContext uint8

const (
	blockText yamlContext = iota + 1 // a key or a value on a line of its own
	flowText                         // an item of [a, b]
)

var (
	// plainBlock and plainFlow are texts that every YAML reader takes for themselves.
	plainBlock = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./~$@%+^!(),={}\[\]"*|:\-]*( [A-Za-z0-9_./~$@%+^!(),={}\[\]"*|\-][A-Za-z0-9_./~$@%+^!(),={}\[\]"*|:\-]*)*$`)
	plainFlow  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./~$@%+^!\-]*$`)
	// plainNumberLike has digits first: 24h, but no number.
	plainNumberLike = regexp.MustCompile(`^[0-9]+[a-z]$`)
	wholeNumber     = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)
	hexadecimal     = regexp.MustCompile(`^[0-9a-f]{16}$`)
	numberInHex     = regexp.MustCompile(`^[0-9]+(e[0-9]+)?$`)
	yamlWord        = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)
)

// yamlText writes s so that every YAML reader gives it back: plain where that is safe, else quoted.
func yamlText(s string, in yamlContext) string {
	if plainText(s, in) {
		return s
	}
	printable := !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7E })
	if printable {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return doubleQuoted(s)
}

func plainText(s string, in yamlContext) bool {
	switch {
	case yamlWord.MatchString(s):
		return false
	case in == flowText:
		return plainFlow.MatchString(s)
	case plainNumberLike.MatchString(s), wholeNumber.MatchString(s):
		return true
	case hexadecimal.MatchString(s):
		return !numberInHex.MatchString(s)
	}
	return plainBlock.MatchString(s) && !strings.Contains(s, ": ") && !strings.HasSuffix(s, ":")
}

// doubleQuoted escapes what YAML does not take as it is. Field paths have escaped what a reviewer could not see.
func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= 0x20 && r <= 0x7E, r > 0xA0 && r != 0xAD && r != 0x2028 && r != 0x2029 && r != 0xFEFF && r != 0xFFFD && r <= 0xFFFF:
			b.WriteRune(r)
		case r <= 0xFF:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
