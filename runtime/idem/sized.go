package idem

import (
	"encoding/binary"
	"maps"
	"net/http"
	"slices"
)

// appendSized appends a text with its length before it.
func appendSized(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// sizedReader takes values off the front. bad stays set from the first one that is not whole.
type sizedReader struct {
	rest []byte
	bad  bool
}

func (r *sizedReader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *sizedReader) text() string {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.bad = true
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

// appendHeader appends the number of names, and for each of them, sorted, its text and its lines. Values are bytes, which a text
// format would change.
func appendHeader(b []byte, h http.Header) []byte {
	b = binary.AppendUvarint(b, uint64(len(h)))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		b = appendSized(b, name)
		b = binary.AppendUvarint(b, uint64(len(h[name])))
		for _, line := range h[name] {
			b = appendSized(b, line)
		}
	}
	return b
}

// header undoes appendHeader.
func (r *sizedReader) header() http.Header {
	h := http.Header{}
	for n := r.number(); n > 0 && !r.bad; n-- {
		name := r.text()
		lines := []string{}
		for m := r.number(); m > 0 && !r.bad; m-- {
			lines = append(lines, r.text())
		}
		h[name] = lines
	}
	return h
}
