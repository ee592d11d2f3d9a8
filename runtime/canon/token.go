package canon

// spaces has a bit for each character of JSON's white space.
const spaces = 1<<' ' | 1<<'\t' | 1<<'\n' | 1<<'\r'

// skipSpace gives the index of the first character from pos on that is no white space, or len(data).
func skipSpace(data []byte, pos int) int {
	for pos < len(data) && data[pos] <= ' ' && spaces>>data[pos]&1 != 0 {
		pos++
	}
	return pos
}

// literal consumes a word; false, without a refusal, when another value follows.
func (s *Scanner) literal(word string) bool {
	end := s.pos + len(word)
	if end > len(s.data) || string(s.data[s.pos:end]) != word {
		return false
	}
	s.pos = end
	return true
}

// peek gives the first byte of the value that follows; 0 at the input's end.
func (s *Scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// nextName goes to the value of an object's next member; false at the object's end or after a refusal.
func (s *Scanner) nextName(first bool) bool {
	data := s.data
	pos := skipSpace(data, s.pos)
	comma := !first && pos < len(data) && data[pos] == ','
	if comma {
		pos = skipSpace(data, pos+1)
	}
	if (first || comma) && pos < len(data) && data[pos] == '"' {
		end := quoteEnd(data, pos+1)
		if end+1 < len(data) && data[end+1] == ':' {
			s.name, s.nameStart, s.nameIn = data[pos+1:end], pos+1, 0
			s.pos = skipSpace(data, end+2)
			return true
		}
	}
	return s.nextNameSlow(pos, first, comma)
}

// nextNameSlow is nextName for names with escapes, space before the colon, and the object's end. pos is after the comma.
func (s *Scanner) nextNameSlow(pos int, first, comma bool) bool {
	data := s.data
	switch {
	case pos >= len(data):
		s.refuseEnd()
		return false
	case data[pos] == '}' && !comma:
		s.pos = pos + 1
		return false
	case !first && !comma:
		s.refuseAt(pos, reasonSeparator)
		return false
	case data[pos] != '"':
		s.refuseAt(pos, reasonName)
		return false
	}
	s.pos = pos
	raw, escaped, ok := s.readString()
	if !ok {
		return false
	}
	s.name, s.nameStart, s.nameIn = raw, pos+1, 0
	if escaped {
		s.keepName(raw)
	}
	return s.passColon()
}

// passColon goes from the end of a name to the value.
func (s *Scanner) passColon() bool {
	data, pos := s.data, skipSpace(s.data, s.pos)
	if pos >= len(data) || data[pos] != ':' {
		s.refuseHere(pos, reasonColon)
		return false
	}
	s.pos = skipSpace(data, pos+1)
	return true
}
