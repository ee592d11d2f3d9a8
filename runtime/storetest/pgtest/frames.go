package pgtest

import "encoding/binary"

// keep is how much of a message's payload is kept for who looks at it: command tags are shorter.
const keep = 32

// frames cuts one direction of the protocol into messages, however they were cut into packets: a kind, four bytes of length that
// count themselves, and the payload. The client's first message, the startup, has no kind.
type frames struct {
	startup bool
	head    []byte // what has come of the current message's head
	left    int    // what is to come of its payload
	payload []byte
}

// feed calls each for every message that is complete. The payload is cut after a few bytes.
func (f *frames) feed(b []byte, each func(kind byte, payload []byte)) {
	for {
		if f.left == 0 && !f.header(&b) {
			return
		}
		n := min(f.left, len(b))
		f.payload = append(f.payload, b[:min(n, keep-len(f.payload))]...)
		b = b[n:]
		if f.left -= n; f.left > 0 {
			return
		}
		each(f.kind(), f.payload)
		f.startup = false
		f.head, f.payload = f.head[:0], f.payload[:0]
	}
}

// header takes bytes off b until the head is whole, and says whether it is.
func (f *frames) header(b *[]byte) bool {
	size := 5
	if f.startup {
		size = 4
	}
	n := min(size-len(f.head), len(*b))
	f.head = append(f.head, (*b)[:n]...)
	*b = (*b)[n:]
	if len(f.head) < size {
		return false
	}
	f.left = int(binary.BigEndian.Uint32(f.head[size-4:])) - 4
	return true
}

func (f *frames) kind() byte {
	if f.startup {
		return 0
	}
	return f.head[0]
}
