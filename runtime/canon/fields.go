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
	s.place = 0
	s.sums = s.sums[:0]
	for range s.tracked {
		s.sums = append(s.sums, 0)
	}
}

// goTo goes one step down from a place: place is the CRC of the whole way, so that a step costs its own bytes and not those of
// the steps above it.
func (s *Scanner) goTo(from uint32, step []byte) {
	s.step[0] = placeEnd
	s.place = crc32.Update(crc32.Update(from, castagnoli, step), castagnoli, s.step[:1])
}

// goToElement goes to an element of a list.
func (s *Scanner) goToElement(from uint32, index int) {
	n := binary.PutUvarint(s.step[:], uint64(index))
	s.step[n] = placeEnd
	s.place = crc32.Update(from, castagnoli, s.step[:n+1])
}

// count adds the canonical text from start on to a field. Not tracked: one comparison that is always false.
func (s *Scanner) count(field, start int) {
	if uint(field) < uint(len(s.sums)) && !s.refused.set {
		s.addField(field, start)
	}
}

// addField adds up, so that members of a map may come in any order; the place keeps elements and members apart.
func (s *Scanner) addField(field, start int) {
	s.sums[field] += crc32.Update(s.place, castagnoli, s.out[start:])
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
