package idem

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func testSealer(t *testing.T, current uint32, ids ...uint32) *AESSealer {
	t.Helper()
	keys := map[uint32][]byte{}
	for _, id := range ids {
		keys[id] = bytes.Repeat([]byte{byte(id)}, 32)
	}
	s, err := NewAESSealer(current, keys)
	require.NoError(t, err)
	return s
}

func TestAESSealerOpensWhatItSealedAndNothingElse(t *testing.T) {
	s := testSealer(t, 1, 1)
	for _, plain := range []string{"", "secret", "\x00\xff"} {
		sealed, err := s.Seal(t.Context(), []byte(plain), []byte("place"))
		require.NoError(t, err)
		assert.NotContains(t, string(sealed), "secret")
		opened, err := s.Open(t.Context(), sealed, []byte("place"))
		require.NoError(t, err)
		assert.Equal(t, plain, string(opened))

		again, err := s.Seal(t.Context(), []byte(plain), []byte("place"))
		require.NoError(t, err)
		assert.NotEqual(t, sealed, again, "equal values look different")
		_, err = s.Open(t.Context(), sealed, []byte("elsewhere"))
		require.Error(t, err)
		for i := range sealed {
			_, err = s.Open(t.Context(), sealed[:i], []byte("place"))
			require.Error(t, err, "the first %d bytes", i)
			changed := bytes.Clone(sealed)
			changed[i] ^= 1
			_, err = s.Open(t.Context(), changed, []byte("place"))
			require.Error(t, err, "byte %d changed", i)
		}
	}
}

func TestRotationOfSealerKeys(t *testing.T) {
	old, both, moved := testSealer(t, 1, 1), testSealer(t, 1, 1, 2), testSealer(t, 2, 1, 2)
	before, err := old.Seal(t.Context(), []byte("before"), nil)
	require.NoError(t, err)
	after, err := moved.Seal(t.Context(), []byte("after"), nil)
	require.NoError(t, err)
	for _, s := range []*AESSealer{both, moved} { // the programs that run while the key is changed
		for _, sealed := range [][]byte{before, after} {
			_, err := s.Open(t.Context(), sealed, nil)
			require.NoError(t, err)
		}
	}
	_, err = old.Open(t.Context(), after, nil)
	require.ErrorIs(t, err, errSealerKey)
	_, err = testSealer(t, 2, 2).Open(t.Context(), before, nil)
	require.ErrorIs(t, err, errSealerKey)
}

func TestNewAESSealerRefusesWeakRings(t *testing.T) {
	good := bytes.Repeat([]byte{1}, 32)
	for says, keys := range map[string]map[uint32][]byte{
		"key 1, the current one, is not there": {2: good},
		"key 2: it has 16 bytes":               {1: good, 2: good[:16]},
		"key 1: it has 0 bytes":                {1: nil},
	} {
		_, err := NewAESSealer(1, keys)
		require.ErrorContains(t, err, says)
	}
	key := bytes.Clone(good)
	s, err := NewAESSealer(1, map[uint32][]byte{1: key})
	require.NoError(t, err)
	sealed, err := s.Seal(t.Context(), []byte("x"), nil)
	require.NoError(t, err)
	clear(key)
	_, err = s.Open(t.Context(), sealed, nil)
	require.NoError(t, err, "keys are copied")
}

// What was sealed for one record opens for no other one, and for no other part of the same one.
func TestSealedPartBelongsToItsRecord(t *testing.T) {
	s := seals{testSealer(t, 1, 1)}
	id := NewUUID()
	home := place{scope: `["acme","ann"]`, before: `["acme"]`, keyspace: "pay", key: "k", recordID: id}
	sealed, err := s.seal(t.Context(), home, partPhase+"create", []byte(`{"id":"secret"}`))
	require.NoError(t, err)
	assert.NotContains(t, string(sealed), "secret")

	for name, at := range map[string]place{
		"here":                    home,
		"program of one scope":    {scope: home.scope, keyspace: "pay", key: "k", recordID: id},
		"program of an old scope": {scope: home.before, keyspace: "pay", key: "k", recordID: id},
		"program of a next scope": {scope: `["acme","eu","ann"]`, before: home.scope, keyspace: "pay", key: "k", recordID: id},
	} {
		opened, err := s.open(t.Context(), at, partPhase+"create", sealed)
		require.NoError(t, err, name)
		assert.JSONEq(t, `{"id":"secret"}`, string(opened))
	}
	for name, at := range map[string]place{
		"another scope":    {scope: `["initech"]`, keyspace: "pay", key: "k", recordID: id},
		"another keyspace": {scope: home.scope, before: home.before, keyspace: "refund", key: "k", recordID: id},
		"another key":      {scope: home.scope, before: home.before, keyspace: "pay", key: "l", recordID: id},
		"another record":   {scope: home.scope, before: home.before, keyspace: "pay", key: "k", recordID: NewUUID()},
		"texts shifted":    {scope: home.scope, before: home.before, keyspace: "payk", key: "", recordID: id},
	} {
		_, err := s.open(t.Context(), at, partPhase+"create", sealed)
		require.ErrorIs(t, err, errUnopened, name)
	}
	for _, part := range []string{partPhase + "capture", partCommand, partBody} {
		_, err := s.open(t.Context(), home, part, sealed)
		require.ErrorIs(t, err, errUnopened, part)
	}
	elsewhere := bytes.Replace(sealed, []byte("acme"), []byte("evil"), 2) // the scopes in clear are bound as well
	evil := place{scope: `["evil","ann"]`, before: `["evil"]`, keyspace: "pay", key: "k", recordID: id}
	_, err = s.open(t.Context(), evil, partPhase+"create", elsewhere)
	require.ErrorIs(t, err, errUnopened)
	for i := 1; i < len(sealed); i++ {
		_, err := s.open(t.Context(), home, partPhase+"create", sealed[:i])
		require.ErrorIs(t, err, errUnopened, "the first %d bytes", i)
	}
}

func TestPartsWithoutASealer(t *testing.T) {
	at := place{scope: `["acme"]`, keyspace: "pay", key: "k", recordID: NewUUID()}
	none, some := seals{}, seals{testSealer(t, 1, 1)}
	for _, plain := range []string{"", `{"a":1}`, "\x01command"} {
		stored, err := none.seal(t.Context(), at, partCommand, []byte(plain))
		require.NoError(t, err)
		assert.Equal(t, plain, string(stored))
		for _, s := range []seals{none, some} {
			opened, err := s.open(t.Context(), at, partCommand, stored)
			require.NoError(t, err, "what was stored before there was a sealer stays readable")
			assert.Equal(t, plain, string(opened))
		}
	}
	sealed, err := some.seal(t.Context(), at, partCommand, []byte("x"))
	require.NoError(t, err)
	_, err = none.open(t.Context(), at, partCommand, sealed)
	require.ErrorIs(t, err, errUnopened)
	_, err = none.seal(t.Context(), at, partCommand, sealed)
	require.ErrorIs(t, err, errMarked, "it would be taken for a sealed one")
}

func TestHeaderBytesComeBackAsTheyWere(t *testing.T) {
	for _, h := range []http.Header{
		{}, {"Link": {"<a>, <b>", "<c>"}, "X-Latin": {"caf\xe9\x00"}, "X-Empty": {""}, "x-odd": {}},
	} {
		encoded := appendHeader(nil, h)
		r := sizedReader{rest: encoded}
		assert.Equal(t, h, r.header())
		assert.False(t, r.bad)
		for i := range encoded {
			cut := sizedReader{rest: encoded[:i]}
			cut.header()
			assert.True(t, cut.bad, "the first %d bytes", i)
		}
	}
}
