package canon

// Valid reports whether text is one JSON text by the rules that hold everywhere in a body: grammar, UTF-8, paired surrogates, at most
// 128 levels. It keeps nothing, so duplicate names are not seen. A fingerprint costs at least this and the hash of its canonical text:
// benchmarks measure against it.
func Valid(text []byte) bool {
	s := Acquire()
	defer s.Release()
	s.Start(nil)
	s.data, s.pos = text, skipSpace(text, 0)
	s.pass()
	return !s.refused.set && skipSpace(s.data, s.pos) == len(s.data)
}

// pass is skip without names.
func (s *Scanner) pass() {
	switch s.peek() {
	case '{':
		if !s.enter(s.pos) {
			return
		}
		s.pos++
		for first := true; s.nextName(first); first = false {
			s.text = s.text[:0]
			s.pass()
		}
		s.depth--
	case '[':
		if !s.enter(s.pos) {
			return
		}
		s.pos++
		for first := true; s.nextElement(first); first = false {
			s.pass()
		}
		s.depth--
	case '"':
		s.readString()
	default:
		s.skip()
	}
}
