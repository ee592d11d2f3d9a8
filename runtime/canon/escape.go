package canon

import "unicode/utf8"

// escapeSize gives the length of the escape sequence at i (a surrogate pair is one), or why it is none.
func escapeSize(data []byte, i int) (int, string) {
	if i+1 >= len(data) {
		return 0, reasonEnd
	}
	switch data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, ""
	case 'u':
	default:
		return 0, "an unknown escape sequence"
	}
	unit, ok := hexUnit(data, i+2)
	switch {
	case !ok:
		return 0, "an escape sequence without four hexadecimal digits"
	case unit-0xD800 >= 0x800:
		return 6, ""
	case unit < 0xDC00 && i+8 <= len(data) && data[i+6] == '\\' && data[i+7] == 'u':
		if low, ok := hexUnit(data, i+8); ok && low-0xDC00 < 0x400 {
			return 12, ""
		}
	}
	return 0, "a lone surrogate"
}

// hexUnit reads the four hexadecimal digits of a UTF-16 code unit.
func hexUnit(data []byte, i int) (uint32, bool) {
	if i+4 > len(data) {
		return 0, false
	}
	unit := uint32(0)
	for _, c := range data[i : i+4] {
		digit, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		unit = unit<<4 | uint32(digit)
	}
	return unit, true
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c-'0' < 10:
		return c - '0', true
	case c|0x20-'a' < 6:
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// unescapeOne gives the character of the valid escape sequence at i, and its length.
func unescapeOne(data []byte, i int) (rune, int) {
	switch c := data[i+1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return rune(c), 2
	}
	unit, _ := hexUnit(data, i+2)
	if unit-0xD800 >= 0x400 {
		return rune(unit), 6
	}
	low, _ := hexUnit(data, i+8)
	return rune((unit-0xD800)<<10+(low-0xDC00)) + 0x10000, 12
}

// appendUnescaped appends the characters of valid string content.
func appendUnescaped(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		run := escapeIndex(raw, i)
		dst = append(dst, raw[i:run]...)
		if run == len(raw) {
			break
		}
		r, size := unescapeOne(raw, run)
		dst = utf8.AppendRune(dst, r)
		i = run + size
	}
	return dst
}

// appendRespelled appends valid string content in RFC 8785's spelling.
func appendRespelled(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		run := escapeIndex(raw, i)
		dst = append(dst, raw[i:run]...)
		if run == len(raw) {
			break
		}
		r, size := unescapeOne(raw, run)
		if r < utf8.RuneSelf {
			dst = appendEscaped(dst, byte(r))
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		i = run + size
	}
	return dst
}

// escapeIndex gives the index of the first backslash from i on, or len(raw).
func escapeIndex(raw []byte, i int) int {
	for i < len(raw) {
		end, _ := plainEnd(raw, i)
		if end == len(raw) || raw[end] == '\\' {
			return end
		}
		i = end + 1
	}
	return i
}

const hexDigits = "0123456789abcdef"

// appendEscaped appends one ASCII character of a string in RFC 8785's spelling (section 3.2.2.2).
func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if c < 0x20 {
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, c)
}

// AppendJSONString appends s as a JSON string in RFC 8785's spelling. s must be valid UTF-8.
func AppendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			dst = appendEscaped(append(dst, s[from:i]...), c)
			from = i + 1
		}
	}
	return append(append(dst, s[from:]...), '"')
}

// appendJSONText is AppendJSONString over bytes.
func appendJSONText(dst, text []byte) []byte {
	return append(appendEscapes(append(dst, '"'), text), '"')
}

// appendEscapes appends the content of a JSON string.
func appendEscapes(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		end, _ := plainEnd(text, i)
		dst = append(dst, text[i:end]...)
		if end == len(text) {
			break
		}
		dst = appendEscaped(dst, text[end])
		i = end + 1
	}
	return dst
}
