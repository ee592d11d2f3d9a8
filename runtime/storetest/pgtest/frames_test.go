package pgtest

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func message(kind byte, payload string) []byte {
	b := []byte{kind}
	b = binary.BigEndian.AppendUint32(b, uint32(4+len(payload)))
	return append(b, payload...)
}

func TestFramesDoNotDependOnPackets(t *testing.T) {
	stream := append([]byte{0, 0, 0, 9}, "hello"...) // a startup message has no kind
	stream = append(stream, message('S', "")...)
	stream = append(stream, message('D', strings.Repeat("long", 100))...)
	stream = append(stream, message('C', "COMMIT\x00")...)
	stream = append(stream, message('S', "")...)
	for packet := 1; packet <= len(stream); packet++ {
		f := frames{startup: true}
		var kinds []byte
		var tag string
		for rest := stream; len(rest) > 0; {
			n := min(packet, len(rest))
			f.feed(rest[:n], func(kind byte, payload []byte) {
				kinds = append(kinds, kind)
				if kind == 'C' {
					tag = string(payload)
				}
			})
			rest = rest[n:]
		}
		assert.Equal(t, "\x00SDCS", string(kinds), "packets of %d", packet)
		assert.Equal(t, "COMMIT\x00", tag)
	}
}
