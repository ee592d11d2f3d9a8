package canon

// skip consumes one value and checks it as JSON: grammar, UTF-8, surrogates, depth, duplicate names.
func (s *Scanner) skip() {
	switch s.peek() {
	case '"':
		s.readString()
	case '{':
		s.skipObject()
	case '[':
		s.skipArray()
	case 't', 'f', 'n':
		if !s.literal("true") && !s.literal("false") && !s.literal("null") {
			s.refuseAt(s.pos, reasonValue)
		}
	default:
		s.skipNumber()
	}
}

func (s *Scanner) skipNumber() {
	if _, _, end := shortNumber(s.data, s.pos); end > s.pos {
		s.pos = end
		return
	}
	p, ok := scanNumber(s.data, s.pos)
	if !ok {
		reason := reasonNumber
		if p.end == s.pos {
			reason = reasonValue
		}
		s.refuseHere(p.end, reason)
		return
	}
	s.pos = p.end
}

func (s *Scanner) skipObject() {
	if !s.enter(s.pos) {
		return
	}
	names, text := len(s.names), len(s.text)
	s.pos++
	for first := true; s.nextName(first); first = false {
		s.names = append(s.names, s.nameRef())
		s.skip()
	}
	s.checkNames(names)
	s.text = s.text[:text]
	s.depth--
}

func (s *Scanner) skipArray() {
	if !s.enter(s.pos) {
		return
	}
	s.pos++
	for first := true; s.nextElement(first); first = false {
		s.skip()
	}
	s.depth--
}

// nextElement goes to an array's next element; false at the array's end.
func (s *Scanner) nextElement(first bool) bool {
	data := s.data
	pos := skipSpace(data, s.pos)
	switch {
	case pos >= len(data):
		s.refuseEnd()
		return false
	case data[pos] == ']':
		s.pos = pos + 1
		return false
	case first:
		s.pos = pos
		return true
	case data[pos] != ',':
		s.refuseAt(pos, reasonSeparator)
		return false
	}
	s.pos = skipSpace(data, pos+1)
	return true
}
