package canon

import "crypto/sha256"

// scheme is the first line of what is hashed (FINGERPRINT section 1).
const scheme = "idempotency-fingerprint/1\n"

// smallText is up to where putting a text together costs less than hashing it piece by piece.
const smallText = 2048

// sum hashes prefix and canonical text.
func (s *Scanner) sum(name string, id ContractID) Digest {
	s.tmp = append(append(append(s.tmp[:0], scheme...), name...), '\n')
	s.tmp = append(append(s.tmp, id...), '\n')
	if len(s.out) <= smallText {
		s.tmp = s.AppendCanonical(s.tmp)
		return sha256.Sum256(s.tmp)
	}
	s.hash.Reset()
	s.hash.Write(s.tmp)
	if len(s.top) == 0 {
		s.hash.Write(s.out)
	} else {
		start, end := s.topBounds()
		s.hash.Write(s.out[:start])
		for _, span := range s.top {
			s.hash.Write(s.out[span.start:span.end])
		}
		s.hash.Write(s.out[end:])
	}
	s.digest = s.hash.Sum(s.digest[:0])
	return Digest(s.digest)
}

// AppendCanonical appends the canonical text of the request that was finished last; nothing when it was refused.
func (s *Scanner) AppendCanonical(dst []byte) []byte {
	if s.refused.set || !s.finished {
		return dst
	}
	if len(s.top) == 0 {
		return append(dst, s.out...)
	}
	start, end := s.topBounds()
	dst = append(dst, s.out[:start]...)
	for _, span := range s.top {
		dst = append(dst, s.out[span.start:span.end]...)
	}
	return append(dst, s.out[end:]...)
}

// topBounds gives the part of out that the top level's spans cover.
func (s *Scanner) topBounds() (start, end int) {
	start, end = s.top[0].start, s.top[0].end
	for _, span := range s.top[1:] {
		start, end = min(start, span.start), max(end, span.end)
	}
	return start, end
}
