package idem

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func secret(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func ring(t *testing.T, current uint32, ids ...uint32) *KeyRing {
	t.Helper()
	keys := map[uint32][]byte{}
	for _, id := range ids {
		keys[id] = secret(byte(id))
	}
	k, err := NewKeyRing(current, keys)
	require.NoError(t, err)
	return k
}

func TestNewKeyRingRefusesWeakRings(t *testing.T) {
	for name, c := range map[string]struct {
		current uint32
		keys    map[uint32][]byte
		says    string
	}{
		"no keys":              {1, nil, "key 1, the current one, is not there"},
		"current is not there": {2, map[uint32][]byte{1: secret(1)}, "key 2, the current one, is not there"},
		"id 0":                 {0, map[uint32][]byte{0: secret(1)}, "key id 0"},
		"short":                {1, map[uint32][]byte{1: secret(1)[:31]}, "key 1 has 31 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewKeyRing(c.current, c.keys)
			assert.ErrorContains(t, err, c.says)
		})
	}
	key := secret(1)
	k, err := NewKeyRing(1, map[uint32][]byte{1: key})
	require.NoError(t, err)
	before, _ := k.fingerprint(1, digestOf(5))
	clear(key)
	after, _ := k.fingerprint(1, digestOf(5))
	assert.Equal(t, before, after, "the ring has its own copy")
}

func TestKeyedFingerprintIsTheHMACOfTheDigest(t *testing.T) {
	digest := digestOf(5)
	mac := hmac.New(sha256.New, secret(7))
	mac.Write(digest[:])
	got, ok := ring(t, 7, 7).fingerprint(7, digest)
	require.True(t, ok)
	assert.Equal(t, mac.Sum(nil), got[:])
	_, ok = ring(t, 7, 7).fingerprint(8, digest)
	assert.False(t, ok)
	plain, ok := (*KeyRing)(nil).fingerprint(0, digest)
	require.True(t, ok)
	assert.Equal(t, digest, plain)
}

// keyedCommand is a command of one version with a plain and a sensitive field.
func keyedCommand(digest byte, plainField, sensitiveField byte) *command {
	return &command{versions: []versionOf{{digest: digestOf(digest)}}, fields: []byte{0, 0, 0, plainField, 0, 0, 0, sensitiveField}}
}

func keyedPlan(keys *KeyRing) *plan {
	p := planOf(2)
	p.keys = keys
	p.op.Versions[0].Sensitive = []int{1}
	return p
}

func record(p *plan, c *command) *Prior {
	prior := &Prior{Operation: "pay"}
	prior.Fingerprints, prior.Fields = c.encode(p)
	return prior
}

func TestRotationOfKeys(t *testing.T) {
	first, both, second := ring(t, 1, 1), ring(t, 2, 1, 2), ring(t, 2, 2)
	same := keyedCommand(7, 1, 1)
	old := record(keyedPlan(first), same)
	assert.Equal(t, verdict{}, keyedPlan(first).compare(same, old))
	assert.Equal(t, verdict{}, keyedPlan(both).compare(same, old), "the old key still recognises")
	assert.Equal(t, verdict{comparison: NotComparable}, keyedPlan(second).compare(same, old), "a key that is gone is no mismatch")
	fresh := record(keyedPlan(both), same)
	assert.Equal(t, verdict{}, keyedPlan(second).compare(same, fresh), "new records use the current key")
	assert.Equal(t, verdict{comparison: NotComparable}, keyedPlan(first).compare(same, fresh))
	plain := record(keyedPlan(nil), same)
	assert.Equal(t, verdict{}, keyedPlan(first).compare(same, plain), "records from before there were keys")
}

func TestFieldDigestsUnderAKey(t *testing.T) {
	keys := ring(t, 1, 1)
	prior := record(keyedPlan(keys), keyedCommand(7, 1, 1))
	assert.NotEqual(t, []byte{0, 0, 0, 1}, prior.Fields[:4], "a plain checksum could be tried out")
	assert.Equal(t, []byte{0, 0, 0, 0}, prior.Fields[4:], "nothing is kept of a sensitive field")
	differ := func(c *command) []string { return keyedPlan(keys).compare(c, prior).fields }
	assert.Equal(t, []string{"body.amount"}, differ(keyedCommand(8, 2, 1)))
	assert.Empty(t, differ(keyedCommand(8, 1, 2)), "a sensitive field is never named")
	twins := record(planWithKeys(keys), keyedCommand(7, 3, 3)).Fields
	assert.NotEqual(t, twins[:4], twins[4:], "equal values of two fields look different")
}

func planWithKeys(keys *KeyRing) *plan {
	p := planOf(2)
	p.keys = keys
	return p
}
