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

// readName reads a member's name at pos and its colon, and stops before the value.
func (s *Scanner) readName(pos int) bool {
	if pos >= len(s.data) || s.data[pos] != '"' {
		s.refuseHere(pos, reasonName)
		return false
	}
	s.pos, s.nameAt = pos, pos
	raw, escaped, ok := s.readString()
	if !ok {
		return false
	}
	if escaped {
		raw = s.keepName(raw)
	} else {
		s.nameRef = nameRef{at: uint32(pos + 1), size: uint32(len(raw))}
	}
	s.name = raw
	data := s.data
	pos = s.pos
	if pos >= len(data) || data[pos] != ':' {
		pos = skipSpace(data, pos)
		if pos >= len(data) || data[pos] != ':' {
			s.refuseHere(pos, reasonColon)
			return false
		}
	}
	s.pos = skipSpace(data, pos+1)
	return true
}
