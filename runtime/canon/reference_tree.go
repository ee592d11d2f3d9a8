package canon

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// refKind tells the kinds of sent values apart.
type refKind uint8

const (
	refBroken      refKind = iota // nothing that begins a value
	refObjectValue                // {…}
	refArrayValue                 // […]
	refStringValue                // "…"
	refNumberValue
	refWordValue // true, false, null
	refTextValue // a text of a form, which stands for whatever a leaf expects
	refFileValue // a file; text is its digest
)

// refValue is a value as it was sent. Reading stops at the first fault: what was read up to there is in the tree, and the fault stands
// where it was met, so that an interpreter that walks the tree in order meets it in its turn.
type refValue struct {
	kind     refKind
	offset   int    // of its first byte in the body
	end      int    // of its closing bracket
	text     string // a string's characters, a number's or a word's spelling
	members  []refSent
	elements []*refValue
	fault    *Refusal  // where reading stopped in this value; nil when it is whole
	after    *Refusal  // of the whole body: what stands behind the value
	form     bool      // of a form: arrays are spelled in other ways too. What is in a JSON part is JSON and no form
	level    int       // of a form: how many objects and arrays are around it
	sent     *refPiece // of a form: the one piece that it was read from; nil where names are put together
}

// refSent is a member as it was sent.
type refSent struct {
	name   string // its characters
	offset int    // of its opening quote
	value  *refValue
}

// faulty reports whether reading stopped in v or below it.
func (v *refValue) faulty() bool {
	if v.fault != nil {
		return true
	}
	for _, m := range v.members {
		if m.value.faulty() {
			return true
		}
	}
	for _, e := range v.elements {
		if e.faulty() {
			return true
		}
	}
	return false
}

func refRefuse(place string, offset int, reason string) *Refusal {
	return &Refusal{Place: place, Offset: offset, Reason: reason}
}

// refReader reads JSON (RFC 8259) from its beginning to its first fault.
type refReader struct {
	body []byte
	pos  int
}

// refReadJSON reads a body that is one JSON value.
func refReadJSON(body []byte) *refValue {
	r := &refReader{body: body}
	v := r.value("body", 1)
	if v.faulty() {
		return v
	}
	if r.space(); r.pos < len(body) {
		v.after = refRefuse("body", r.pos, "data after the end of the JSON value")
	}
	return v
}

// next is the byte that stands at the reader's position, 0 at the end.
func (r *refReader) next() byte {
	if r.pos < len(r.body) {
		return r.body[r.pos]
	}
	return 0
}

func (r *refReader) space() {
	for r.pos < len(r.body) && strings.IndexByte(" \t\r\n", r.body[r.pos]) >= 0 {
		r.pos++
	}
}

// expected is the fault of something that does not stand where it must.
func (r *refReader) expected(place, what string) *Refusal {
	if r.pos >= len(r.body) {
		return refRefuse(place, len(r.body), "the body ends too early")
	}
	return refRefuse(place, r.pos, what+" is expected")
}

// value reads a value. level is how many objects and arrays there are, when it is one.
func (r *refReader) value(place string, level int) *refValue {
	r.space()
	v := &refValue{offset: r.pos}
	switch c := r.next(); {
	case c == '{':
		v.kind = refObjectValue
		v.fault = r.object(v, place, level)
	case c == '[':
		v.kind = refArrayValue
		v.fault = r.array(v, place, level)
	case c == '"':
		v.kind = refStringValue
		v.text, v.fault = r.quoted(place)
	case c == '-' || c >= '0' && c <= '9':
		v.kind = refNumberValue
		v.fault = r.number(place)
		v.text = string(r.body[v.offset:r.pos])
	default:
		for _, word := range []string{"true", "false", "null"} {
			if strings.HasPrefix(string(r.body[r.pos:min(r.pos+len(word), len(r.body))]), word) {
				v.kind, v.text = refWordValue, word
				r.pos += len(word)
				return v
			}
		}
		v.fault = r.expected(place, "a JSON value")
	}
	return v
}

const refLevels = 128

func (r *refReader) object(v *refValue, place string, level int) *Refusal {
	if level > refLevels {
		return refRefuse(place, r.pos, "more than 128 levels of nesting")
	}
	r.pos++
	for {
		r.space()
		if r.next() == '}' && len(v.members) == 0 {
			break
		}
		if r.next() != '"' {
			return r.expected(place, "a member name in quotes")
		}
		m := refSent{offset: r.pos}
		var fault *Refusal
		if m.name, fault = r.quoted(place); fault != nil {
			fault.Place = refBelow(place, r.brokenName(m.offset))
			return fault
		}
		inside := refBelow(place, m.name)
		r.space()
		if r.next() != ':' {
			return r.expected(inside, "a colon")
		}
		r.pos++
		m.value = r.value(inside, level+1)
		v.members = append(v.members, m)
		if m.value.faulty() {
			return nil // it is met there
		}
		r.space()
		if r.next() == '}' {
			break
		}
		if r.next() != ',' {
			return r.expected(inside, "a comma or the closing bracket")
		}
		r.pos++
	}
	v.end = r.pos
	r.pos++
	return nil
}

func (r *refReader) array(v *refValue, place string, level int) *Refusal {
	if level > refLevels {
		return refRefuse(place, r.pos, "more than 128 levels of nesting")
	}
	r.pos++
	for {
		r.space()
		inside := place + "/" + strconv.Itoa(len(v.elements))
		if len(v.elements) == 0 && r.pos == len(r.body) {
			return r.expected(inside, "")
		}
		if r.next() == ']' && len(v.elements) == 0 {
			break
		}
		e := r.value(inside, level+1)
		v.elements = append(v.elements, e)
		if e.faulty() {
			return nil
		}
		r.space()
		if r.next() == ']' {
			break
		}
		if r.next() != ',' {
			return r.expected(inside, "a comma or the closing bracket")
		}
		r.pos++
	}
	v.end = r.pos
	r.pos++
	return nil
}

// number consumes a number by RFC 8259 section 6.
func (r *refReader) number(place string) *Refusal {
	digits := func() bool {
		start := r.pos
		for r.next() >= '0' && r.next() <= '9' {
			r.pos++
		}
		return r.pos > start
	}
	if r.next() == '-' {
		r.pos++
	}
	if r.next() == '0' {
		r.pos++
	} else if !digits() {
		return r.expected(place, "a digit")
	}
	if r.next() == '.' {
		r.pos++
		if !digits() {
			return r.expected(place, "a digit")
		}
	}
	if r.next() == 'e' || r.next() == 'E' {
		r.pos++
		if r.next() == '+' || r.next() == '-' {
			r.pos++
		}
		if !digits() {
			return r.expected(place, "a digit")
		}
	}
	return nil
}

// quoted reads a string and gives its characters.
func (r *refReader) quoted(place string) (string, *Refusal) {
	var b strings.Builder
	r.pos++
	for {
		c, size := utf8.DecodeRune(r.body[r.pos:])
		switch {
		case size == 0:
			return b.String(), r.expected(place, "")
		case c == utf8.RuneError && size == 1:
			return b.String(), refRefuse(place, r.pos, "invalid UTF-8")
		case c == '"':
			r.pos++
			return b.String(), nil
		case c < 0x20:
			return b.String(), refRefuse(place, r.pos, "a control character in a string")
		case c == '\\':
			var fault *Refusal
			if c, size, fault = r.escape(place); fault != nil {
				return b.String(), fault
			}
		}
		b.WriteRune(c)
		r.pos += size
	}
}

// escape decodes the escape sequence at the reader's position, and gives its length.
func (r *refReader) escape(place string) (rune, int, *Refusal) {
	rest := r.body[r.pos:]
	if len(rest) == 1 {
		return 0, 0, refRefuse(place, len(r.body), "the body ends too early")
	}
	simple := map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
	if c, ok := simple[rest[1]]; ok {
		return c, 2, nil
	}
	if rest[1] != 'u' {
		return 0, 0, refRefuse(place, r.pos, "an unknown escape sequence")
	}
	first, ok := refUnit(rest)
	if !ok {
		return 0, 0, refRefuse(place, r.pos, "an escape sequence without four hexadecimal digits")
	}
	if !utf16.IsSurrogate(first) {
		return first, 6, nil
	}
	second, ok := refUnit(rest[6:])
	if c := utf16.DecodeRune(first, second); ok && c != utf8.RuneError {
		return c, 12, nil
	}
	return 0, 0, refRefuse(place, r.pos, "a lone surrogate")
}

// refUnit reads \uXXXX at the beginning of text.
func refUnit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit), err == nil
}

// brokenName gives what a place shows of a name that cannot be read, whose quote stands at start: all of it, or what comes before its first
// bad escape sequence.
func (r *refReader) brokenName(start int) string {
	end := start + 1
	for end < len(r.body) && r.body[end] != '"' {
		if r.body[end] == '\\' {
			end++
		}
		end++
	}
	raw := r.body[start+1 : min(end, len(r.body))]
	name := &refReader{body: raw}
	var b strings.Builder
	for name.pos < len(raw) {
		if raw[name.pos] != '\\' {
			b.WriteByte(raw[name.pos])
			name.pos++
			continue
		}
		c, size, fault := name.escape("")
		if fault != nil {
			return b.String() + "\ufffd"
		}
		b.WriteRune(c)
		name.pos += size
	}
	return b.String()
}
