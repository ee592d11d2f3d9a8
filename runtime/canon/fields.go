package canon

import (
	"encoding/binary"
	"hash/crc32"
)

// castagnoli is the table of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// placeEnd ends each step of a place. It is no byte of UTF-8.
const placeEnd = 0xFF

// TrackFields makes every later Start collect digests of n fields (the contract's field list). 0 switches it off.
func (s *Scanner) TrackFields(n int) { s.tracked = n }

func (s *Scanner) startFields() {
	s.setPlace(0)
	s.sums = s.sums[:0]
	for range s.tracked {
		s.sums = append(s.sums, 0)
	}
}

// setPlace goes back to the first n bytes of the place.
func (s *Scanner) setPlace(n int) {
	s.place = s.place[:n]
	s.placed = false
}

// count adds the canonical text from start on to a field. Not tracked: one comparison that is always false.
func (s *Scanner) count(field, start int) {
	if uint(field) < uint(len(s.sums)) && !s.refused.set {
		s.addField(field, start)
	}
}

// addField adds up, so that members of a map may come in any order; the place keeps elements and members apart.
func (s *Scanner) addField(field, start int) {
	if !s.placed {
		s.placeSum, s.placed = crc32.Update(0, castagnoli, s.place), true
	}
	s.sums[field] += crc32.Update(s.placeSum, castagnoli, s.out[start:])
	if s.sums[field] == 0 {
		s.sums[field] = 1 // 0 is an absent field
	}
}

// AppendFieldDigests appends 4 bytes for each tracked field, 0 when it is absent: CRC-32C (big endian) of its canonical span.
// A field below arrays and maps may have several spans. Each is preceded by the indexes (lists) and names (maps) on its way, and their
// CRCs are added: order counts in lists alone.
func (s *Scanner) AppendFieldDigests(dst []byte) []byte {
	for _, sum := range s.sums {
		dst = binary.BigEndian.AppendUint32(dst, sum)
	}
	return dst
}
