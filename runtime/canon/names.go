package canon

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// nameRef is a member's unescaped name: in the body, or in the scanner's text when inText is set in at.
type nameRef struct{ at, size uint32 }

const inText = 1 << 31

// keepName puts an escaped name, unescaped, onto the text stack, after the offset of its quote in the body.
func (s *Scanner) keepName(raw []byte) {
	s.text = binary.LittleEndian.AppendUint32(s.text, uint32(s.nameStart-1))
	s.nameIn = len(s.text)
	s.text = appendUnescaped(s.text, raw)
	s.name = s.text[s.nameIn:]
}

// Name is the unescaped name of the member that Next found. It is valid until the next call on s.
func (s *Scanner) Name() []byte { return s.name }

// nameRef is a reference to Name that stays valid for as long as the text stack is not cut.
func (s *Scanner) nameRef() nameRef {
	if s.nameIn != 0 {
		return nameRef{at: uint32(s.nameIn) | inText, size: uint32(len(s.name))}
	}
	return nameRef{at: uint32(s.nameStart), size: uint32(len(s.name))}
}

// nameText gives a name's characters.
func (s *Scanner) nameText(r nameRef) []byte {
	if r.at&inText != 0 {
		at := r.at &^ inText
		return s.text[at : at+r.size]
	}
	return s.data[r.at : r.at+r.size]
}

// nameOffset gives the body offset of a name's opening quote.
func (s *Scanner) nameOffset(r nameRef) int {
	if r.at&inText != 0 {
		return int(binary.LittleEndian.Uint32(s.text[r.at&^inText-4:]))
	}
	return int(r.at) - 1
}

// fewNames is up to where comparing each with each beats sorting.
const fewNames = 8

// checkNames refuses duplicates among the names from base on, and takes them off the stack.
// Beyond a few it sorts, so that no choice of names makes it slow.
func (s *Scanner) checkNames(base int) {
	if s.refused.set {
		return
	}
	names := s.names[base:]
	s.names = s.names[:base]
	if len(names) > fewNames {
		s.checkSorted(names)
		return
	}
	for i, name := range names {
		for _, earlier := range names[:i] {
			if name.size == earlier.size && bytes.Equal(s.nameText(name), s.nameText(earlier)) {
				s.refuseAt(s.nameOffset(name), reasonDuplicate)
				return
			}
		}
	}
}

func (s *Scanner) checkSorted(names []nameRef) {
	compare := func(a, b nameRef) int { return bytes.Compare(s.nameText(a), s.nameText(b)) }
	if !slices.IsSortedFunc(names, compare) {
		slices.SortFunc(names, func(a, b nameRef) int {
			if c := compare(a, b); c != 0 {
				return c
			}
			return s.compareOffsets(a, b)
		})
	}
	duplicate := -1
	for i := 1; i < len(names); i++ {
		if compare(names[i-1], names[i]) == 0 {
			later := max(s.nameOffset(names[i-1]), s.nameOffset(names[i]))
			if duplicate < 0 || later < duplicate {
				duplicate = later
			}
		}
	}
	if duplicate >= 0 {
		s.refuseAt(duplicate, reasonDuplicate)
	}
}

// compareOffsets orders equal names as they were sent, so that the first of three that stands again is found as such.
func (s *Scanner) compareOffsets(a, b nameRef) int {
	return cmp.Compare(s.nameOffset(a), s.nameOffset(b))
}

// foldsToDeclared reports whether the name that Next found is a declared one in another case.
func (s *Scanner) foldsToDeclared(shape *Shape) bool {
	if shape == nil {
		return false
	}
	for i := range shape.Members {
		if foldsTo(s.Name(), shape.Members[i].Name) && string(s.Name()) != shape.Members[i].Name {
			return true
		}
	}
	return false
}
