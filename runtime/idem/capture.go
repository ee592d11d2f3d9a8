package idem

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
)

// capture keeps the raw request body while the framework reads it, so that a fingerprint is made of what entered and not of
// what a decoder left over. It reads nothing by itself before Begin: a request that authentication refuses is never drained.
type capture struct {
	limit int64

	mu     sync.Mutex
	source io.ReadCloser
	kept   []byte // at most limit+1 bytes
	served int    // bytes of kept that the framework has read
	err    error  // what ended the source; nil while it goes on
	closed bool
}

func newCapture(source io.ReadCloser, limit int64) *capture {
	if source == nil {
		source = http.NoBody
	}
	return &capture{source: source, limit: limit}
}

// Read gives the framework the next piece: of what was kept and not yet read, then of the source.
func (c *capture) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	if c.served < len(c.kept) {
		n := copy(p, c.kept[c.served:])
		c.served += n
		return n, nil
	}
	n, err := c.fill(p)
	c.served = len(c.kept)
	return n, err
}

// fill reads a piece of the source and keeps it, as far as the limit allows.
func (c *capture) fill(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.source.Read(p)
	room := max(c.limit+1-int64(len(c.kept)), 0)
	c.kept = append(c.kept, p[:min(int64(n), room)]...)
	c.err = err
	return n, err
}

// Close ends reading by the framework. The source stays open for rest; the server closes it.
func (c *capture) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}

// rest reads what the framework left and gives the whole body. What the framework did not read it can read afterwards.
func (c *capture) rest() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.err == nil && int64(len(c.kept)) <= c.limit {
		c.kept = slices.Grow(c.kept, bytes.MinRead)
		room := c.kept[len(c.kept):min(int64(cap(c.kept)), c.limit+1)]
		n, err := c.source.Read(room)
		c.kept, c.err = c.kept[:len(c.kept)+n], err
	}
	err := c.err
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return c.kept, bodyError(len(c.kept), c.limit, err)
}
