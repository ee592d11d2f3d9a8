package canon

import (
	"strconv"
	"unicode/utf8"
)

// longestName is how much of one member name a place shows.
const longestName = 64

// step is one level on the way to an offset: the element of an array, or the member of an object.
type step struct {
	array   bool
	index   int
	name    []byte // as sent, without quotes
	hasName bool
}

// placeOf says whose place an offset gives.
type placeOf uint8

const (
	ofValue  placeOf = iota // the value or member name at the offset
	ofObject                // the object whose closing bracket stands at the offset
)

// appendPlace appends the JSON pointer (RFC 6901) of what stands at offset of a body. The body is well formed up to there.
func appendPlace(dst, body []byte, offset int, of placeOf) []byte {
	var levels [maxDepth + 1]step
	depth := 0
	for i := 0; i < len(body) && i <= offset; i++ {
		top := &levels[max(depth-1, 0)]
		switch body[i] {
		case '"':
			end := stringEnd(body, i)
			if depth > 0 && !top.array && !top.hasName {
				top.name, top.hasName = body[i+1:end], true
			}
			i = end
		case '{', '[':
			if i == offset || depth == len(levels) {
				return appendSteps(dst, levels[:depth])
			}
			levels[depth] = step{array: body[i] == '['}
			depth++
		case ',':
			if i < offset {
				top.hasName = false
				top.index++
			}
		case '}', ']':
			if i == offset {
				top.hasName = top.hasName && of == ofValue
				return appendSteps(dst, levels[:depth])
			}
			depth = max(depth-1, 0)
		}
	}
	return appendSteps(dst, levels[:depth])
}

// stringEnd gives the index of the closing quote of the string that begins at i, or the end of the body.
func stringEnd(body []byte, i int) int {
	for i++; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(body)
}

func appendSteps(dst []byte, steps []step) []byte {
	for _, st := range steps {
		switch {
		case st.array:
			dst = strconv.AppendInt(append(dst, '/'), int64(st.index), 10)
		case st.hasName:
			dst = appendPointerName(dst, readableName(st.name))
		}
	}
	return dst
}

// readableName unescapes a name that need not be valid.
func readableName(raw []byte) []byte {
	for i := escapeIndex(raw, 0); i < len(raw); {
		size, fault := escapeSize(raw, i)
		if fault != "" {
			return append(appendUnescaped(nil, raw[:i]), "\ufffd"...)
		}
		i = escapeIndex(raw, i+size)
	}
	return appendUnescaped(nil, raw)
}

// appendPointerName appends one reference token, cut and cleaned so that a hostile name cannot fill or break a log line.
func appendPointerName(dst, name []byte) []byte {
	dst = append(dst, '/')
	for n := 0; n < len(name); {
		if n >= longestName {
			return append(dst, "…"...)
		}
		r, size := utf8.DecodeRune(name[n:])
		n += size
		switch {
		case r == '~':
			dst = append(dst, "~0"...)
		case r == '/':
			dst = append(dst, "~1"...)
		case r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}
