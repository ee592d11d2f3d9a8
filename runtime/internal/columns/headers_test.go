package columns

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHeadersAreStoredInOneWay(t *testing.T) {
	h := http.Header{"B": {"2", ""}, "A": {"\xff,1"}, "C": {}}
	want := "\x01" + "\x01A\x01\x03\xff,1" + "\x01B\x02\x012\x00" + "\x01C\x00"
	for range 20 { // map order must not show
		require.Equal(t, want, string(EncodeHeaders(h)))
	}
	got, err := DecodeHeaders([]byte(want))
	require.NoError(t, err)
	assert.Equal(t, h, got)
}

func TestDamagedHeadersAreRefused(t *testing.T) {
	whole := EncodeHeaders(http.Header{"Content-Type": {"a", "b"}})
	for n := 2; n < len(whole); n++ {
		_, err := DecodeHeaders(whole[:n])
		assert.ErrorIs(t, err, errHeaders, "the first %d bytes", n)
	}
	for _, bad := range []string{"\x02", "\x00", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x01\x01A\xff\xff\xff\xff\xff\x01"} {
		_, err := DecodeHeaders([]byte(bad))
		assert.ErrorIs(t, err, errHeaders, "%q", bad)
	}
}

func FuzzDecodeHeaders(f *testing.F) {
	f.Add(EncodeHeaders(http.Header{"Link": {"a", "b, c"}, "Etag": {`"x"`}}))
	f.Add([]byte{1, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := DecodeHeaders(b)
		if err != nil {
			return
		}
		again, err := DecodeHeaders(EncodeHeaders(h))
		require.NoError(t, err)
		require.Equal(t, h, again)
	})
}

func TestParseUUID(t *testing.T) {
	for _, bad := range []string{"", "x", "00000000-0000-0000-0000-00000000000", "g0000000-0000-0000-0000-000000000000"} {
		_, err := ParseUUID(bad)
		assert.Error(t, err, "%q", bad)
	}
}
