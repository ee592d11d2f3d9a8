package canon

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// CompareNames orders member names as RFC 8785 section 3.2.3 does: by UTF-16 code units, unsigned. Both are valid UTF-8.
// It is the order of Shape.Members and of Params within their part of the request.
func CompareNames(a, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		if a[i] != b[i] {
			return compareUnits(a[i], b[i])
		}
	}
	return compareLengths(len(a), len(b))
}

// compareNames is CompareNames over bytes, eight at a time.
func compareNames(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:])
		if x != 0 {
			i += bits.TrailingZeros64(x) >> 3
			return compareUnits(a[i], b[i])
		}
	}
	for ; i < n; i++ {
		if a[i] != b[i] {
			return compareUnits(a[i], b[i])
		}
	}
	return compareLengths(len(a), len(b))
}

// compareUnits orders by the first bytes in which two UTF-8 texts differ. UTF-8 sorts by code point, and so does UTF-16 except that
// supplementary characters (lead bytes from 0xF0) are written with surrogates, which are less than U+E000 to U+FFFF (0xEE, 0xEF).
func compareUnits(x, y byte) int {
	if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
		if x >= 0xF0 {
			return -1
		}
		return 1
	}
	if x < y {
		return -1
	}
	return 1
}

func compareLengths(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// foldsTo reports whether name equals declared when the case of ASCII letters is disregarded, U+017F counts as s and U+212A as k.
// encoding/json takes such a member for the declared one.
func foldsTo(name []byte, declared string) bool {
	i, j := 0, 0
	for i < len(name) && j < len(declared) {
		a, n := foldByte(name[i]), 1
		if a >= 0x80 {
			a, n = foldRune(name[i:])
		}
		b, m := foldByte(declared[j]), 1
		if b >= 0x80 {
			b, m = foldRuneString(declared[j:])
		}
		if a != b {
			return false
		}
		i, j = i+n, j+m
	}
	return i == len(name) && j == len(declared)
}

func foldByte(c byte) byte {
	if c-'A' < 26 {
		return c + 'a' - 'A'
	}
	return c
}

var (
	longS      = []byte("\u017f")
	kelvinSign = []byte("\u212a")
)

func foldRune(text []byte) (byte, int) {
	switch {
	case bytes.HasPrefix(text, longS):
		return 's', len(longS)
	case bytes.HasPrefix(text, kelvinSign):
		return 'k', len(kelvinSign)
	}
	return text[0], 1
}

func foldRuneString(text string) (byte, int) {
	if len(text) > len(kelvinSign) {
		text = text[:len(kelvinSign)]
	}
	return foldRune([]byte(text))
}

// compareNameTo is CompareNames of a name of the body with a declared one.
func compareNameTo(a []byte, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		if a[i] != b[i] {
			return compareUnits(a[i], b[i])
		}
	}
	return compareLengths(len(a), len(b))
}
