package columns

import (
	"encoding/binary"
	"errors"
	"maps"
	"net/http"
	"slices"
)

// headersFormat is the first byte of stored headers. Another layout gets another number, so that a program reads what an older
// or newer one wrote, or says that it cannot.
const headersFormat = 1

var errHeaders = errors.New("stored headers are damaged or of a newer format")

// EncodeHeaders gives h as bytes: the format; then for each name, sorted, its text, the number of its lines, and each line's
// text; texts with their length before them. Header values are bytes, not text, so a text format such as JSON would change some.
func EncodeHeaders(h http.Header) []byte {
	b := []byte{headersFormat}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		b = appendText(b, name)
		b = binary.AppendUvarint(b, uint64(len(h[name])))
		for _, line := range h[name] {
			b = appendText(b, line)
		}
	}
	return b
}

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// DecodeHeaders reads what EncodeHeaders wrote. Nothing stored is no headers.
func DecodeHeaders(b []byte) (http.Header, error) {
	h := http.Header{}
	if len(b) == 0 {
		return h, nil
	}
	if b[0] != headersFormat {
		return nil, errHeaders
	}
	r := headerReader{rest: b[1:]}
	for len(r.rest) > 0 && !r.bad {
		name := r.text()
		lines := []string{}
		for n := r.number(); n > 0 && !r.bad; n-- {
			lines = append(lines, r.text())
		}
		h[name] = lines
	}
	if r.bad {
		return nil, errHeaders
	}
	return h, nil
}

// headerReader takes values off the front. bad stays set from the first one that is not whole.
type headerReader struct {
	rest []byte
	bad  bool
}

func (r *headerReader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *headerReader) text() string {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.bad = true
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}
