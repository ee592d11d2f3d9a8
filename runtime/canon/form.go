package canon

import (
	"bytes"
	"unicode/utf8"
)

// form is a body that is no JSON, on its way to JSON: the scanner reads all kinds of body as one tree, and only leaves and arrays have to
// know that a form has nothing but text.
type form struct {
	on   bool // the input was written from such a body
	use  use
	path []string // of a look-up

	keys    []byte   // the ways of the pairs
	pairs   []pair   // in the order in which they were sent, then in that of their ways
	text    []byte   // the JSON text
	splices []splice // what in it is no text of the body
	part    partHead // the part that is being read
}

// use says what the JSON text is for.
type use uint8

const (
	forScanner use = iota // a file stands as its digest
	forDecoder            // a file stands as base64
	forLookup             // a file does not matter
)

// pair is one name of the body with its value.
//
// The way of a name has one step for each member on it, divided by NUL: a byte that puts numbers into their order (see addStep), and the
// member's name, in which 0xFF stands for NUL. So the bytes of ways compare such that what is below a member follows it at once.
type pair struct {
	way, wayEnd     uint32 // in keys
	value, valueEnd uint32 // in the body
	kind            pairKind
	listed          bool // the name ends with []
}

type pairKind uint8

const (
	encodedText pairKind = iota // with percent escapes
	plainText
	jsonText
	fileContent
	unread // of no interest to a look-up
)

// splice is a span of the JSON text that was not written from text of the body.
type splice struct {
	start, end uint32
	body       uint32 // where it stands in the body
	file       bool   // it is a digest; else JSON
}

const (
	reasonBrackets  = "the brackets of a name do not match"
	reasonEmptyStep = "only the end of a name may be []"
	reasonTwoKinds  = "a name stands for a single value and for an object"
	reasonMixture   = "a name stands with and without []"
	reasonIndexes   = "the indexes of an array do not run from 0 without a gap"
)

// start empties f.
func (f *form) start(use use) {
	f.on, f.use = true, use
	f.keys, f.pairs, f.text, f.splices = f.keys[:0], f.pairs[:0], f.text[:0], f.splices[:0]
}

// keep drops large buffers.
func (f *form) keep() {
	f.on, f.path, f.part = false, nil, partHead{}
	f.keys, f.text = keep(f.keys, 1), keep(f.text, 1)
	f.pairs, f.splices = keep(f.pairs, 20), keep(f.splices, 16)
}

// readForm finds the pairs of an application/x-www-form-urlencoded body, as the URL standard parses it: "&" alone divides them, a name
// without an equals sign has the empty value, "+" is a blank.
func (s *Scanner) readForm(body []byte) {
	for start := 0; start < len(body); {
		end := start + bytes.IndexByte(body[start:], '&')
		if end < start {
			end = len(body)
		}
		if end > start && !s.addEncoded(body, start, end) {
			return
		}
		start = end + 1
	}
}

// addEncoded adds one piece of the form.
func (s *Scanner) addEncoded(body []byte, start, end int) bool {
	nameEnd, value := end, end
	if equals := bytes.IndexByte(body[start:end], '='); equals >= 0 {
		nameEnd, value = start+equals, start+equals+1
	}
	mark := len(s.text)
	var bad int
	s.text, bad = appendDecoded(s.text, body[start:nameEnd])
	name := s.text[mark:]
	s.text = s.text[:mark]
	if bad >= 0 {
		s.refuse(refused{place: "body", offset: start + bad, reason: reasonEscape})
		return false
	}
	return s.addPair(name, pair{value: uint32(value), valueEnd: uint32(end)}, start)
}

// addPair adds a value under its decoded name, which stands at offset.
func (s *Scanner) addPair(name []byte, p pair, offset int) bool {
	f := &s.form
	reason := reasonUTF8
	if utf8.Valid(name) {
		p.way = uint32(len(f.keys))
		p.listed, reason = f.addWay(name)
		p.wayEnd = uint32(len(f.keys))
	}
	if reason != "" {
		s.refuse(refused{place: "body", offset: offset, reason: reason})
		return false
	}
	f.pairs = append(f.pairs, p)
	return true
}

// addWay appends the way of a name: a, a[b], a[b][c], a[0][b], a[].
func (f *form) addWay(name []byte) (listed bool, reason string) {
	base, rest := splitName(name)
	if len(base) == 0 && len(rest) > 0 || bytes.IndexByte(base, ']') >= 0 {
		return false, reasonBrackets
	}
	f.addStep(base)
	for steps := 1; len(rest) > 0; steps++ {
		end := bytes.IndexByte(rest, ']')
		if rest[0] != '[' || end < 0 || bytes.IndexByte(rest[1:end], '[') >= 0 {
			return false, reasonBrackets
		}
		step := rest[1:end]
		rest = rest[end+1:]
		switch {
		case len(step) == 0 && len(rest) > 0:
			return false, reasonEmptyStep
		case len(step) == 0:
			return true, ""
		case steps == maxDepth:
			return false, reasonDepth
		}
		f.keys = append(f.keys, 0)
		f.addStep(step)
	}
	return false, ""
}

// splitName divides a name before its first bracket.
func splitName(name []byte) (base, rest []byte) {
	if i := bytes.IndexByte(name, '['); i >= 0 {
		return name[:i], name[i:]
	}
	return name, nil
}

// otherStep comes after the steps that are numbers of up to nine digits, which begin with how many digits they have: so 10 is after 9.
const (
	longestIndex = 9
	otherStep    = longestIndex + 1
)

func (f *form) addStep(name []byte) {
	if isIndex(name) {
		f.keys = append(append(f.keys, byte(len(name))), name...)
		return
	}
	f.keys = append(f.keys, otherStep)
	start := len(f.keys)
	f.keys = append(f.keys, name...)
	for step := f.keys[start:]; ; {
		i := bytes.IndexByte(step, 0)
		if i < 0 {
			return
		}
		step[i] = 0xFF // no byte of UTF-8
		step = step[i+1:]
	}
}

// isIndex reports whether name is a number as an array's index is written.
func isIndex(name []byte) bool {
	n := len(name)
	return n > 0 && n <= longestIndex && digitsEnd(name, 0) == n && (name[0] != '0' || n == 1)
}

// appendDecoded appends text with "+" and percent escapes decoded. bad is where an escape is bad, or below 0.
func appendDecoded(dst, text []byte) (out []byte, bad int) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch c {
		case '+':
			c = ' '
		case '%':
			if i+2 >= len(text) {
				return dst, i
			}
			high, ok1 := hexDigit(text[i+1])
			low, ok2 := hexDigit(text[i+2])
			if !ok1 || !ok2 {
				return dst, i
			}
			c = high<<4 | low
			i += 2
		}
		dst = append(dst, c)
	}
	return dst, -1
}
