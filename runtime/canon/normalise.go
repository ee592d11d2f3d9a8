package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"unicode/utf8"
)

// NormaliseText gives the canonical content of a scalar that stands as text, as in a parameter, a form or a schema's default. It has no
// quotes and no escapes: in the canonical form it stands as a string (AppendJSONString), under Boolean as the literal itself.
// Generic takes text as it is, as Exact does.
func NormaliseText(n Normaliser, text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", errors.New("canon: normalise " + n.String() + ": " + reasonUTF8)
	}
	content, reason := n.appendContent(nil, []byte(text))
	if reason != "" {
		return "", errors.New("canon: normalise " + n.String() + ": " + reason)
	}
	return string(content), nil
}

// appendContent appends the normalised characters of text, or says why it has none.
func (n Normaliser) appendContent(dst, text []byte) ([]byte, string) {
	switch n {
	case Exact, Generic:
		return append(dst, text...), ""
	case Int, Decimal, Double:
		return n.appendNumber(dst, text)
	case Boolean:
		if string(text) == "true" || string(text) == "false" {
			return append(dst, text...), ""
		}
		return dst, reasonBoolean
	case Instant:
		return appendInstant(dst, text)
	case UUID:
		return appendUUID(dst, text)
	case Base64:
		return appendBase64(dst, text)
	case ContentDigest:
		return appendContentDigest(dst, text), ""
	case ASCIILower:
		return appendLower(dst, text), ""
	case ASCIIUpper:
		return appendUpper(dst, text), ""
	case ASCIITrim:
		return append(dst, trimASCII(text)...), ""
	}
	return dst, "the contract names no normaliser"
}

// appendNumber reads text that must be a JSON number as a whole.
func (n Normaliser) appendNumber(dst, text []byte) ([]byte, string) {
	if n != Double {
		if out, end := appendSimple(dst, text, 0, n); end == len(text) && end > 0 {
			return out, ""
		}
	}
	p, ok := scanNumber(text, 0)
	switch {
	case !ok || !p.whole(text):
		if n == Int {
			return dst, reasonInteger
		}
		return dst, reasonNumber
	case n == Int:
		return appendInt(dst, text, p)
	case n == Decimal:
		return appendDecimal(dst, text, p)
	}
	return appendDouble(dst, text)
}

// appendContentDigest appends <64 hex>:<length>.
func appendContentDigest(dst, content []byte) []byte {
	sum := sha256.Sum256(content)
	dst = append(hex.AppendEncode(dst, sum[:]), ':')
	return strconv.AppendInt(dst, int64(len(content)), 10)
}
