package canon

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// ArrayFrame is an array that is being read.
type ArrayFrame struct {
	kind     ArrayKind
	field    int
	base     int // where its elements begin in the scanner's out
	elements int // where they begin on the stack
	place    int
	index    int
	started  bool
}

// Array expects an array; its canonical span counts as field. A field below 0 is not tracked: so everywhere.
func (s *Scanner) Array(kind ArrayKind, field int) ArrayFrame {
	a := s.newArray(kind, field)
	if s.peek() != '[' {
		s.refuseHere(s.pos, reasonArray)
		return a
	}
	if s.enter(s.pos) {
		s.pos++
	}
	return a
}

func (s *Scanner) newArray(kind ArrayKind, field int) ArrayFrame {
	return ArrayFrame{kind: kind, field: field, base: len(s.out), elements: len(s.elements), place: len(s.place)}
}

// Element goes to the next element, whose value follows; at the array's end it writes what the kind demands and returns false.
func (s *Scanner) Element(a *ArrayFrame) bool {
	first := !a.started
	a.started = true
	if s.nextElement(first) {
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
		s.closeElement(a)
		s.elements = append(s.elements, entry{start: uint32(len(s.out))})
	}
	s.out = append(s.out, ',')
	if len(s.sums) > 0 {
		s.place = s.place[:a.place]
		if a.kind == List {
			s.place = append(binary.AppendUvarint(s.place, uint64(a.index)), placeEnd)
		}
	}
	a.index++
}

func (s *Scanner) closeElement(a *ArrayFrame) {
	if n := len(s.elements); n > a.elements {
		s.elements[n-1].end = uint32(len(s.out))
	}
}

func (s *Scanner) closeArray(a *ArrayFrame) {
	if a.index == 0 {
		s.out = append(s.out, '[', ']')
		s.count(a.field, a.base)
		return
	}
	if a.kind != List {
		s.closeElement(a)
		s.closeSet(a)
	}
	s.out[a.base] = '['
	s.out = append(s.out, ']')
	if len(s.sums) > 0 {
		s.place = s.place[:a.place]
		s.count(a.field, a.base)
	}
}

// closeSet puts the elements into the order of their canonical bytes; a Set keeps one of each.
func (s *Scanner) closeSet(a *ArrayFrame) {
	elements := s.elements[a.elements:]
	s.elements = s.elements[:a.elements]
	compare := func(x, y entry) int { return bytes.Compare(s.out[x.start:x.end], s.out[y.start:y.end]) }
	inOrder := true
	for i := 1; i < len(elements) && inOrder; i++ {
		c := compare(elements[i-1], elements[i])
		inOrder = c < 0 || c == 0 && a.kind == Multiset
	}
	if inOrder {
		return
	}
	slices.SortFunc(elements, compare)
	s.tmp = s.tmp[:0]
	for i, e := range elements {
		if a.kind == Set && i > 0 && compare(elements[i-1], e) == 0 {
			continue
		}
		s.tmp = append(s.tmp, s.out[e.start:e.end]...)
	}
	s.out = append(s.out[:a.base], s.tmp...)
}
