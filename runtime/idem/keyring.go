package idem

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"maps"

	"github.com/idemgen/idemgen/runtime/canon"
)

// KeyRing holds the secret keys of keyed fingerprints. A plain digest of a card number or an address can be found by trying all of
// them; one that is keyed cannot, without the key. Rotation: add a key everywhere, then make it the current one, and take the
// old one away when the longest retention has passed.
type KeyRing struct {
	current uint32
	keys    map[uint32][]byte
}

// minKey is the length of a key in bytes: that of the digest (RFC 2104 section 3).
const minKey = sha256.Size

// NewKeyRing gives a ring whose key `current` makes new fingerprints; the others still recognise older ones. A key id is stored
// with each record and is never 0. Keys have at least 32 random bytes and are copied.
func NewKeyRing(current uint32, keys map[uint32][]byte) (*KeyRing, error) {
	var errs []error
	if _, ok := keys[current]; !ok {
		errs = append(errs, fmt.Errorf("key %d, the current one, is not there", current))
	}
	k := &KeyRing{current: current, keys: maps.Clone(keys)}
	for id, key := range keys {
		if id == 0 {
			errs = append(errs, errors.New("key id 0 stands for fingerprints without a key"))
		}
		if len(key) < minKey {
			errs = append(errs, fmt.Errorf("key %d has %d bytes: give at least %d random ones", id, len(key), minKey))
		}
		k.keys[id] = append([]byte(nil), key...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("idem: new key ring: %w", err)
	}
	return k, nil
}

// currentID is the id that new entries carry; 0 without a ring.
func (k *KeyRing) currentID() uint32 {
	if k == nil {
		return 0
	}
	return k.current
}

// fingerprint is what a record holds of a digest under a key; false when the key is not known.
func (k *KeyRing) fingerprint(id uint32, digest canon.Digest) (canon.Digest, bool) {
	if id == 0 {
		return digest, true
	}
	mac, ok := k.mac(id)
	if !ok {
		return canon.Digest{}, false
	}
	mac.Write(digest[:])
	return canon.Digest(mac.Sum(nil)), true
}

// fieldDigests is what a record holds of the scanner's field digests. Those of sensitive fields are left at zero under every
// key: four bytes are few enough to try a value out.
func (k *KeyRing) fieldDigests(id uint32, plain []byte, sensitive []int) []byte {
	out := append([]byte(nil), plain...)
	if mac, ok := k.mac(id); ok {
		var sum [sha256.Size]byte
		for at := 0; at+fieldDigestSize <= len(out); at += fieldDigestSize {
			mac.Reset()
			var position [4]byte
			binary.BigEndian.PutUint32(position[:], uint32(at/fieldDigestSize)) // equal values of two fields look different
			mac.Write(position[:])
			mac.Write(plain[at : at+fieldDigestSize])
			copy(out[at:at+fieldDigestSize], mac.Sum(sum[:0]))
		}
	}
	for _, i := range sensitive {
		clear(out[i*fieldDigestSize : (i+1)*fieldDigestSize])
	}
	return out
}

func (k *KeyRing) mac(id uint32) (hash.Hash, bool) {
	if k == nil {
		return nil, false
	}
	key, ok := k.keys[id]
	if !ok {
		return nil, false
	}
	return hmac.New(sha256.New, key), true
}
