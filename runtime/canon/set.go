package canon

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// element is an element of a set: its span of the scanner's out, comma included, and its first bytes as a number that sorts as they do.
type element struct {
	key        uint64
	start, end uint32
}

// measure finds the ends and the first bytes of elements of which only the beginnings are known. It reports whether those first bytes
// ascend already.
func (s *Scanner) measure(elements []element) bool {
	ascending, next := true, ^uint64(0)
	end := len(s.out)
	out := s.out[:cap(s.out)]
	for i := len(elements) - 1; i >= 0; i-- {
		e := &elements[i]
		start := int(e.start)
		e.end = uint32(end)
		if start+9 <= len(out) {
			e.key = binary.BigEndian.Uint64(out[start+1:])
		} else {
			var last [8]byte
			copy(last[:], out[start+1:end])
			e.key = binary.BigEndian.Uint64(last[:])
		}
		if size := end - start - 1; size < 8 {
			e.key &^= 1<<(64-8*size) - 1
		}
		ascending = ascending && e.key < next
		next, end = e.key, start
	}
	return ascending
}

// compareElements orders by canonical bytes.
func (s *Scanner) compareElements(a, b element) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	return s.compareTexts(a, b)
}

// compareTexts orders elements with equal first bytes.
func (s *Scanner) compareTexts(a, b element) int {
	return bytes.Compare(s.out[a.start:a.end], s.out[b.start:b.end])
}

// fewElements is up to where sorting by insertion is faster.
const fewElements = 12

// closeSet puts the elements into the order of their canonical bytes; a Set keeps one of each.
func (s *Scanner) closeSet(a *ArrayFrame) {
	elements := s.elements[a.elements:]
	s.elements = s.elements[:a.elements]
	if s.measure(elements) {
		return
	}
	if len(elements) > fewElements {
		slices.SortFunc(elements, s.compareElements)
	} else {
		s.insertElements(elements)
	}
	tmp := s.tmp[:0]
	for i, e := range elements {
		if a.kind == Set && i > 0 && e.key == elements[i-1].key && s.compareTexts(e, elements[i-1]) == 0 {
			continue
		}
		tmp = appendPiece(tmp, s.out, int(e.start), int(e.end))
	}
	s.out = append(s.out[:a.base], tmp...)
	s.tmp = tmp
}

// insertElements sorts a few elements.
func (s *Scanner) insertElements(elements []element) {
	for i := 1; i < len(elements); i++ {
		e, j := elements[i], i
		for ; j > 0; j-- {
			before := elements[j-1]
			if before.key < e.key || before.key == e.key && s.compareTexts(before, e) <= 0 {
				break
			}
			elements[j] = before
		}
		elements[j] = e
	}
}
