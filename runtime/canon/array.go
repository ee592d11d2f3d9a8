package canon

// ArrayFrame is an array that is being read.
type ArrayFrame struct {
	field    int
	base     int    // where its elements begin in the scanner's out
	elements uint32 // where they begin on the stack
	place    uint32
	index    uint32
	kind     ArrayKind
	sent     arraySpelling
	started  bool // it is spelled as an array, and has an element
}

// Array expects an array; its canonical span counts as field. A field below 0 is not tracked: so everywhere.
func (s *Scanner) Array(kind ArrayKind, field int) ArrayFrame {
	// Small enough to be inlined, as Object is.
	return ArrayFrame{sent: s.bracket(), kind: kind, field: field}
}

// bracket consumes the opening bracket.
func (s *Scanner) bracket() arraySpelling {
	if s.peek() != '[' {
		return s.formArray()
	}
	if s.enter(s.pos) {
		s.pos++
	}
	return asArray
}

// beginArray remembers where an array begins.
func (s *Scanner) beginArray(a *ArrayFrame) {
	a.base, a.elements, a.place = len(s.out), uint32(len(s.elements)), s.place
}

// Element goes to the next element, whose value follows; at the array's end it writes what the kind demands and returns false.
func (s *Scanner) Element(a *ArrayFrame) bool {
	data, pos := s.data, s.pos
	if a.started && pos < len(data) && data[pos] == ',' {
		s.pos = skipSpace(data, pos+1)
		if a.kind == List && len(s.sums) == 0 {
			s.out = append(s.out, ',')
			a.index++
			return true
		}
		s.beginElement(a)
		return true
	}
	return s.elementSlow(a)
}

// elementSlow is Element for the first one, for what is written unusually, and for the array's end.
func (s *Scanner) elementSlow(a *ArrayFrame) bool {
	if a.sent != asArray {
		return s.formElement(a)
	}
	if a.index == 0 {
		s.beginArray(a)
	}
	if s.nextElement(a.index == 0) {
		a.started = true
		s.beginElement(a)
		return true
	}
	if !s.refused.set {
		s.depth--
		s.closeArray(a)
	}
	return false
}

func (s *Scanner) beginElement(a *ArrayFrame) {
	if a.kind != List {
		s.elements = append(s.elements, element{start: uint32(len(s.out))})
	}
	s.out = append(s.out, ',')
	if len(s.sums) > 0 {
		s.placeElement(a)
	}
	a.index++
}

// placeElement puts the element's index onto the way to it. Sets have no indexes.
func (s *Scanner) placeElement(a *ArrayFrame) {
	s.place = a.place
	if a.kind == List {
		s.goToElement(a.place, int(a.index))
	}
}

func (s *Scanner) closeArray(a *ArrayFrame) {
	if a.index == 0 {
		s.out = append(s.out, '[', ']')
		s.count(a.field, a.base)
		return
	}
	if a.kind != List {
		s.closeSet(a)
	}
	s.out[a.base] = '['
	s.out = append(s.out, ']')
	if len(s.sums) > 0 {
		s.place = a.place
		s.count(a.field, a.base)
	}
}
