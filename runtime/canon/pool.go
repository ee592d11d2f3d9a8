package canon

import (
	"crypto/sha256"
	"sync"
)

// maxKept is the largest buffer that goes back to the pool. One large body must not pin its size for ever.
const maxKept = 64 << 10

// scanners keeps buffers only; a scanner in it knows nothing of a request.
var scanners = sync.Pool{New: func() any {
	return &Scanner{
		hash:   sha256.New(),
		out:    make([]byte, 0, 1024),
		tmp:    make([]byte, 0, 1024),
		digest: make([]byte, 0, sha256.Size),
	}
}}

// Acquire takes a scanner from the pool.
func Acquire() *Scanner { return scanners.Get().(*Scanner) }

// Release gives s back to the pool. Buffers above 64 KiB are dropped. s must not be used afterwards.
func (s *Scanner) Release() {
	s.req, s.data, s.name = nil, nil, nil
	s.refused = refused{}
	s.tracked, s.sums = 0, s.sums[:0]
	s.out, s.tmp, s.text = keep(s.out, 1), keep(s.tmp, 1), keep(s.text, 1)
	s.top, s.order, s.spans = keep(s.top, 16), keep(s.order, 16), keep(s.spans, 16)
	s.names, s.query = keep(s.names, 8), keep(s.query, 16)
	s.entries, s.elements = keep(s.entries, 16), keep(s.elements, 16)
	s.keepLooks()
	s.form.keep()
	scanners.Put(s)
}

// keep empties a buffer of elements of size bytes, and drops a large one.
func keep[T any](buffer []T, size int) []T {
	if cap(buffer)*size > maxKept {
		return nil
	}
	return buffer[:0]
}
