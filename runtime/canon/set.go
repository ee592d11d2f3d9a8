package canon

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// element is an element of a set: its span of the scanner's out, comma included, and its first bytes as a number that sorts as they do.
type element struct {
	key        uint64
	start, end uint32
}

// measure finds the ends and the first bytes of elements of which only the beginnings are known.
func (s *Scanner) measure(elements []element) {
	end := len(s.out)
	for i := len(elements) - 1; i >= 0; i-- {
		e := &elements[i]
		e.end = uint32(end)
		start := int(e.start)
		if start+9 <= end {
			e.key = binary.BigEndian.Uint64(s.out[start+1:])
		} else {
			for at := start + 1; at < start+9; at++ {
				e.key <<= 8
				if at < end {
					e.key |= uint64(s.out[at])
				}
			}
		}
		end = start
	}
}

// compareElements orders by canonical bytes.
func (s *Scanner) compareElements(a, b *element) int {
	if a.key != b.key {
		if a.key < b.key {
			return -1
		}
		return 1
	}
	return bytes.Compare(s.out[a.start:a.end], s.out[b.start:b.end])
}

// fewElements is up to where sorting by insertion is faster.
const fewElements = 12

// closeSet puts the elements into the order of their canonical bytes; a Set keeps one of each.
func (s *Scanner) closeSet(a *ArrayFrame) {
	elements := s.elements[a.elements:]
	s.elements = s.elements[:a.elements]
	s.measure(elements)
	inOrder := true
	for i := 1; i < len(elements) && inOrder; i++ {
		c := s.compareElements(&elements[i-1], &elements[i])
		inOrder = c < 0 || c == 0 && a.kind == Multiset
	}
	if inOrder {
		return
	}
	if len(elements) > fewElements {
		slices.SortFunc(elements, func(x, y element) int { return s.compareElements(&x, &y) })
	} else {
		s.insertElements(elements)
	}
	s.tmp = s.tmp[:0]
	for i := range elements {
		if a.kind == Multiset || i == 0 || s.compareElements(&elements[i-1], &elements[i]) != 0 {
			s.tmp = appendPiece(s.tmp, s.out, int(elements[i].start), int(elements[i].end))
		}
	}
	s.out = append(s.out[:a.base], s.tmp...)
}

// insertElements sorts a few elements.
func (s *Scanner) insertElements(elements []element) {
	for i := 1; i < len(elements); i++ {
		e, j := elements[i], i
		for ; j > 0 && s.compareElements(&elements[j-1], &e) > 0; j-- {
			elements[j] = elements[j-1]
		}
		elements[j] = e
	}
}
