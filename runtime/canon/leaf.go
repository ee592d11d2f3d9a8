package canon

// Exact expects a string and takes its characters as they are.
func (s *Scanner) Exact(field int) {
	start := len(s.out)
	data, at := s.data, s.pos
	if at < len(data) && data[at] == '"' {
		if end := quoteEnd(data, at+1); end < len(data) {
			s.put(at, end+1)
			s.pos = end + 1
			s.count(field, start)
			return
		}
	}
	s.writeString()
	s.count(field, start)
}

// Int expects a plain integer token, or a string that holds one, of at most 38 digits.
func (s *Scanner) Int(field int) { s.number(Int, field) }

// Decimal expects a number, or a string that holds one in JSON's spelling, of at most 38 digits (all that are written count) and an
// exponent within ±38.
func (s *Scanner) Decimal(field int) { s.number(Decimal, field) }

// Double expects a number that is a finite IEEE 754 double. What is too small for one is 0.
func (s *Scanner) Double(field int) {
	if s.peek() == '"' && !s.textFollows() {
		s.refuseAt(s.pos, reasonNumber)
		return
	}
	s.number(Double, field)
}

// number writes the number that follows, or that the string holds that follows.
func (s *Scanner) number(as Normaliser, field int) {
	if s.peek() == '"' {
		s.textual(as, field)
		return
	}
	start := len(s.out)
	if s.writeNumber(as) {
		s.count(field, start)
	}
}

func (s *Scanner) writeNumber(as Normaliser) bool {
	at := s.pos
	if point, last, end := shortNumber(s.data, at); end > at && as != Double && (as != Int || point == end) && len(s.out)+2*pieceSize <= cap(s.out) {
		n, size := len(s.out), last-at
		out := s.out[n : n+2*pieceSize]
		out[0] = '"'
		*(*[pieceSize]byte)(out[1:]) = *(*[pieceSize]byte)(s.data[at:])
		out[1+size] = '"'
		s.out, s.pos = s.out[:n+size+2], end
		return true
	}
	if as != Double {
		if out, end := appendSimple(append(s.out, '"'), s.data, at, as); end > at {
			s.out, s.pos = append(out, '"'), end
			return true
		}
	}
	return s.writeNumberSlow(as)
}

func (s *Scanner) writeNumberSlow(as Normaliser) bool {
	at := s.pos
	p, ok := scanNumber(s.data, at)
	if !ok {
		reason := reasonNumber
		switch {
		case as == Int:
			reason = reasonInteger
		case as == Generic && p.end == at:
			reason = reasonValue
		}
		s.refuseHere(p.end, reason)
		return false
	}
	token := s.data[:p.end]
	out := append(s.out, '"')
	var reason string
	switch as {
	case Int:
		out, reason = appendInt(out, token, p)
	case Double:
		out, reason = appendDouble(out, token[at:])
	default:
		out, reason = appendDecimal(out, token, p)
	}
	if reason != "" {
		s.refuseAt(at, reason)
		return false
	}
	s.out = append(out, '"')
	s.pos = p.end
	return true
}

// textual writes what a normaliser makes of a string whose canonical characters need no escapes.
func (s *Scanner) textual(as Normaliser, field int) {
	at, start := s.pos, len(s.out)
	text, ok := s.readText()
	if !ok {
		return
	}
	out, reason := as.appendContent(append(s.out, '"'), text)
	if reason != "" {
		s.refuseAt(at, reason)
		return
	}
	s.out = append(out, '"')
	s.count(field, start)
}

// Boolean expects true or false.
func (s *Scanner) Boolean(field int) {
	start := len(s.out)
	switch {
	case s.literal("true"):
		s.out = append(s.out, "true"...)
	case s.literal("false"):
		s.out = append(s.out, "false"...)
	case s.textFollows():
		s.formBoolean(field)
		return
	default:
		s.refuseHere(s.pos, reasonBoolean)
		return
	}
	s.count(field, start)
}

// Instant expects an RFC 3339 date-time in a string.
func (s *Scanner) Instant(field int) { s.textual(Instant, field) }

// UUID expects a UUID in a string, 8-4-4-4-12.
func (s *Scanner) UUID(field int) { s.textual(UUID, field) }

// Base64 expects standard base64 in a string, padded, without white space or stray bits.
func (s *Scanner) Base64(field int) { s.textual(Base64, field) }

// ASCIILower expects a string and writes A to Z in lower case.
func (s *Scanner) ASCIILower(field int) { s.folded(ASCIILower, field) }

// ASCIIUpper expects a string and writes a to z in upper case.
func (s *Scanner) ASCIIUpper(field int) { s.folded(ASCIIUpper, field) }

// ASCIITrim expects a string and leaves out ASCII white space at both ends: tab, line feed, form feed, carriage return, space.
func (s *Scanner) ASCIITrim(field int) { s.folded(ASCIITrim, field) }

// folded writes what a normaliser makes of a string whose canonical characters may need escapes.
func (s *Scanner) folded(as Normaliser, field int) {
	start := len(s.out)
	raw, escaped, ok := s.readString()
	switch {
	case !ok:
		return
	case escaped:
		mark := len(s.text)
		s.text = appendUnescaped(s.text, raw)
		s.out = s.appendTextValue(as, s.text[mark:])
		s.text = s.text[:mark]
	default: // no normaliser makes a character that needs an escape
		s.out, _ = as.appendContent(append(s.out, '"'), raw)
		s.out = append(s.out, '"')
	}
	s.count(field, start)
}

// appendTextValue gives s.out with the JSON string of what a normaliser that refuses nothing makes of text.
func (s *Scanner) appendTextValue(as Normaliser, text []byte) []byte {
	s.tmp, _ = as.appendContent(s.tmp[:0], text)
	return appendJSONText(s.out, s.tmp)
}

// ContentDigest expects a string and takes SHA-256 and length of its bytes. A part of a multipart body that is a file, and a body that is
// no text, stand as theirs.
func (s *Scanner) ContentDigest(field int) {
	if s.fileFollows() {
		s.Exact(field)
		return
	}
	s.textual(ContentDigest, field)
}

// Generic takes any JSON value; numbers and objects are tagged (FINGERPRINT section 1).
func (s *Scanner) Generic(field int) {
	start := len(s.out)
	s.whole = uint(field) < uint(len(s.sums))
	s.generic()
	s.whole = false
	s.count(field, start)
}

func (s *Scanner) generic() {
	switch s.peek() {
	case '"':
		s.writeString()
	case '{':
		s.out = append(s.out, `{"object":`...)
		f := s.Map(nil)
		for s.Next(&f) {
			s.Entry(&f)
			s.generic()
		}
		s.out = append(s.out, '}')
	case '[':
		a := s.Array(List, -1)
		for s.Element(&a) {
			s.generic()
		}
	case 't', 'f', 'n':
		s.word()
	default:
		s.out = append(s.out, `{"number":`...)
		if s.writeNumber(Generic) {
			s.out = append(s.out, '}')
		}
	}
}

// word writes true, false or null.
func (s *Scanner) word() {
	at := s.pos
	if !s.literal("true") && !s.literal("false") && !s.literal("null") {
		s.refuseAt(at, reasonValue)
		return
	}
	s.out = append(s.out, s.data[at:s.pos]...)
}
