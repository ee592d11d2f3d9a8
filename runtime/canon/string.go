package canon

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const (
	eachByte = 0x0101010101010101
	eachHigh = 0x8080808080808080
)

// stops marks, in the high bit of its byte, the lowest byte of w that ends a plain run: a quote, a backslash or a control character.
// Bytes above that one may be marked wrongly: a borrow only moves upwards.
func stops(w uint64) uint64 {
	quote := w ^ eachByte*'"'
	slash := w ^ eachByte*'\\'
	return ((w-eachByte*0x20)&^w | (quote-eachByte)&^quote | (slash-eachByte)&^slash) & eachHigh
}

// plainEnd gives the index, from pos on, of the first quote, backslash or control character, or len(data); and whether bytes above
// ASCII may stand before it.
func plainEnd(data []byte, pos int) (int, bool) {
	high := uint64(0)
	for pos+8 <= len(data) {
		w := binary.LittleEndian.Uint64(data[pos:])
		high |= w
		if m := stops(w); m != 0 {
			return pos + bits.TrailingZeros64(m)>>3, high&eachHigh != 0
		}
		pos += 8
	}
	for ; pos < len(data); pos++ {
		c := data[pos]
		if c < 0x20 || c == '"' || c == '\\' {
			break
		}
		high |= uint64(c)
	}
	return pos, high&eachHigh != 0
}

// quoteEnd gives the index of the quote that ends the string content at pos, when all of it is ASCII without escapes; else len(data),
// and also for a string too near to the end of data. It is the loop in which most of the time goes.
func quoteEnd(data []byte, pos int) int {
	for pos+8 <= len(data) {
		w := binary.LittleEndian.Uint64(data[pos:])
		// The high bit of a byte stays set in all three sums unless the byte is a control character, a quote or a backslash. A byte
		// above ASCII marks itself; its carry goes to bytes above it, which no longer matter.
		plain := (w + eachByte*0x60) & (w ^ eachByte*'"' + eachByte*0x7F) & (w ^ eachByte*'\\' + eachByte*0x7F)
		if m := (^plain | w) & eachHigh; m != 0 {
			pos += bits.TrailingZeros64(m) >> 3
			if data[pos] == '"' {
				return pos
			}
			break
		}
		pos += 8
	}
	return len(data)
}

// readString reads the string at the scanner's position, checks it wholly, and gives what stands between its quotes.
// ok is false after a refusal.
func (s *Scanner) readString() (raw []byte, escaped, ok bool) {
	data, start := s.data, s.pos+1
	if start > len(data) || data[start-1] != '"' {
		s.refuseHere(s.pos, reasonString)
		return nil, false, false
	}
	if end := quoteEnd(data, start); end < len(data) {
		s.pos = end + 1
		return data[start:end], false, true
	}
	return s.readStringSlow(start)
}

// readStringSlow reads any string.
func (s *Scanner) readStringSlow(start int) (raw []byte, escaped, ok bool) {
	data := s.data
	end, high := plainEnd(data, start)
	for end < len(data) && data[end] == '\\' {
		size, fault := escapeSize(data, end)
		if fault == reasonEnd {
			end = len(data)
			break
		}
		if fault != "" {
			s.refuseString(start, end, fault)
			return nil, false, false
		}
		escaped = true
		run, more := plainEnd(data, end+size)
		end, high = run, high || more
	}
	if end >= len(data) {
		s.refuseString(start, len(data), reasonEnd)
		return nil, false, false
	}
	raw = data[start:end]
	if data[end] != '"' || high && !utf8.Valid(raw) {
		s.refuseString(start, end, "a control character in a string")
		return nil, false, false
	}
	s.pos = end + 1
	return raw, escaped, true
}

// refuseString refuses a string, whose content begins at start, for its first fault: what was found at an offset, or invalid UTF-8 before it.
func (s *Scanner) refuseString(start, at int, reason string) {
	if i := start + invalidUTF8(s.data[start:at]); i < at {
		at, reason = i, reasonUTF8
	}
	s.refuseAt(at, reason)
}

// invalidUTF8 gives the index of the first byte that is no UTF-8, or len(text).
func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// readText reads a string and gives its characters. They are valid until the scanner's text buffer is used again.
func (s *Scanner) readText() ([]byte, bool) {
	raw, escaped, ok := s.readString()
	if !escaped {
		return raw, ok
	}
	mark := len(s.text)
	s.text = appendUnescaped(s.text, raw)
	text := s.text[mark:]
	s.text = s.text[:mark]
	return text, true
}

// pieceSize is the longest piece that is copied at a fixed size.
const pieceSize = 16

// appendPiece appends data[from:to]. A short piece is copied together with what follows it: a copy of fixed size is two instructions, one
// of any size is a call.
func appendPiece(dst, data []byte, from, to int) []byte {
	n := len(dst)
	if to-from > pieceSize || from+pieceSize > len(data) || n+pieceSize > cap(dst) {
		return append(dst, data[from:to]...)
	}
	*(*[pieceSize]byte)(dst[n : n+pieceSize]) = *(*[pieceSize]byte)(data[from:])
	return dst[:n+to-from]
}

// put appends a piece of the body to out, as appendPiece does.
func (s *Scanner) put(from, to int) {
	n := len(s.out)
	if to-from > pieceSize || from+pieceSize > len(s.data) || n+pieceSize > cap(s.out) {
		s.out = append(s.out, s.data[from:to]...)
		return
	}
	*(*[pieceSize]byte)(s.out[n : n+pieceSize]) = *(*[pieceSize]byte)(s.data[from:])
	s.out = s.out[:n+to-from]
}

// writeString reads a string and writes it.
func (s *Scanner) writeString() {
	raw, escaped, ok := s.readString()
	switch {
	case !ok:
	case escaped:
		s.out = append(appendRespelled(append(s.out, '"'), raw), '"')
	default:
		s.out = append(s.out, s.data[s.pos-len(raw)-2:s.pos]...)
	}
}
