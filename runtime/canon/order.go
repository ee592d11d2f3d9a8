package canon

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
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

// foldsTo reports whether a decoder might take name for declared: they are equal when the case of ASCII letters is disregarded, U+017F
// counts as s and U+212A as k, and any other character beyond ASCII as each other. encoding/json folds by Unicode's tables, which say less
// and change with its versions; no character but those two folds into ASCII.
func foldsTo(name []byte, declared string) bool {
	i, j := 0, 0
	for i < len(name) && j < len(declared) {
		a, n := foldByte(name[i]), 1
		if a >= utf8.RuneSelf {
			a, n = foldRune(name[i:])
		}
		b, m := foldByte(declared[j]), 1
		if b >= utf8.RuneSelf {
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

// beyondASCII is what every character beyond ASCII folds to, but the two that fold into it.
const beyondASCII = utf8.RuneSelf

// foldRune folds the character beyond ASCII at the beginning of text, and gives its length.
func foldRune(text []byte) (byte, int) {
	switch {
	case bytes.HasPrefix(text, longS):
		return 's', len(longS)
	case bytes.HasPrefix(text, kelvinSign):
		return 'k', len(kelvinSign)
	}
	_, size := utf8.DecodeRune(text)
	return beyondASCII, size
}

func foldRuneString(text string) (byte, int) {
	var first [utf8.UTFMax]byte
	return foldRune(first[:copy(first[:], text)])
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
