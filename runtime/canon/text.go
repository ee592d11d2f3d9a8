package canon

const (
	reasonUUID   = "a UUID is expected"
	reasonBase64 = "padded standard base64 is expected"
	reasonStray  = "base64 with stray bits"
)

// appendUUID appends a UUID in lower case. Only the form 8-4-4-4-12 is one: no braces, no urn prefix.
func appendUUID(dst, text []byte) ([]byte, string) {
	const size = len("00000000-0000-0000-0000-000000000000")
	if len(text) != size || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return dst, reasonUUID
	}
	start, dashes := len(dst), 0
	dst = append(dst, text...)
	lower := dst[start:]
	for i := range lower {
		if c := lowerHex[lower[i]]; c != 0 {
			lower[i] = c
		} else {
			dashes++
		}
	}
	if dashes != 4 {
		return dst, reasonUUID
	}
	return dst, ""
}

// lowerHex gives each hexadecimal digit in lower case, 0 for other characters.
var lowerHex = func() (lower [256]byte) {
	for _, c := range []byte("0123456789abcdefABCDEF") {
		lower[c] = c | 0x20
	}
	return lower
}()

// appendBase64 appends standard base64 (RFC 4648 section 4). Without white space, stray bits or missing padding there is one
// spelling of the same bytes, so what is left after the checks is the text itself.
func appendBase64(dst, text []byte) ([]byte, string) {
	if len(text)%4 != 0 {
		return dst, reasonBase64
	}
	end := len(text)
	for end > 0 && end > len(text)-2 && text[end-1] == '=' {
		end--
	}
	last := byte(0)
	for _, c := range text[:end] {
		last = base64Values[c]
		if last > 63 {
			return dst, reasonBase64
		}
	}
	// One padding character leaves two bits over in the last character, two leave four.
	if padding := len(text) - end; last&(1<<(2*padding)-1) != 0 {
		return dst, reasonStray
	}
	return append(dst, text...), ""
}

// base64Values gives the six bits of each character of the alphabet, 0xFF for others.
var base64Values = func() (values [256]byte) {
	for i := range values {
		values[i] = 0xFF
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		values[c] = byte(i)
	}
	return values
}()

// appendLower, appendUpper change ASCII letters only: Unicode's case tables change with its versions.
func appendLower(dst, text []byte) []byte {
	for _, c := range text {
		if c-'A' < 26 {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func appendUpper(dst, text []byte) []byte {
	for _, c := range text {
		if c-'a' < 26 {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// trimASCII leaves out tab, line feed, form feed, carriage return and space at both ends: "ASCII whitespace" of the WHATWG Infra standard.
func trimASCII(text []byte) []byte {
	for len(text) > 0 && isTrimmed(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isTrimmed(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func isTrimmed(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'
}
