package idem

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
)

// Sealer keeps what records hold of responses and commands from everybody who can read the database. It is safe for concurrent
// use. NewAESSealer gives one whose keys the program holds; one that asks a key service fits here too.
type Sealer interface {
	// Seal gives plain in a form that only Open reads. additional is not part of that form: whoever opens must give it again.
	Seal(ctx context.Context, plain, additional []byte) ([]byte, error)
	// Open gives back what Seal was given. It fails when either of its arguments has changed, or the key is not known.
	Open(ctx context.Context, sealed, additional []byte) ([]byte, error)
}

// AESSealer is a ring of AES-256-GCM keys. Rotation: add a key everywhere, then make it the current one, and take the old one away
// when the longest retention has passed. A key may seal 2^32 values (NIST SP 800-38D section 8.3), of which a response takes two.
type AESSealer struct {
	current uint32
	keys    map[uint32]cipher.AEAD
}

// aesKey is the length of a key in bytes.
const aesKey = 32

// keyIDSize is the length of the key's id before what it sealed.
const keyIDSize = 4

var errSealerKey = errors.New("idem: sealed under a key that is not in the ring")

// NewAESSealer gives a ring whose key `current` seals; the others still open what they sealed. A key's id is stored in clear with
// everything that it seals. Keys are 32 random bytes each, apart from those of fingerprints.
func NewAESSealer(current uint32, keys map[uint32][]byte) (*AESSealer, error) {
	s := &AESSealer{current: current, keys: make(map[uint32]cipher.AEAD, len(keys))}
	var errs []error
	if _, ok := keys[current]; !ok {
		errs = append(errs, fmt.Errorf("key %d, the current one, is not there", current))
	}
	for id, key := range keys {
		aead, err := newAEAD(key)
		if err != nil {
			errs = append(errs, fmt.Errorf("key %d: %w", id, err))
		}
		s.keys[id] = aead
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("idem: new sealer: %w", err)
	}
	return s, nil
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	if len(key) != aesKey {
		return nil, fmt.Errorf("it has %d bytes: give %d random ones", len(key), aesKey)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Seal gives the current key's id and what it makes of plain.
func (s *AESSealer) Seal(_ context.Context, plain, additional []byte) ([]byte, error) {
	aead := s.keys[s.current]
	sealed := make([]byte, keyIDSize, keyIDSize+len(plain)+aead.Overhead())
	binary.BigEndian.PutUint32(sealed, s.current)
	return aead.Seal(sealed, nil, plain, additional), nil
}

// Open finds the key by its id.
func (s *AESSealer) Open(_ context.Context, sealed, additional []byte) ([]byte, error) {
	if len(sealed) < keyIDSize {
		return nil, errors.New("idem: what was sealed is not whole")
	}
	id := binary.BigEndian.Uint32(sealed)
	aead, ok := s.keys[id]
	if !ok {
		return nil, fmt.Errorf("%w: key %d", errSealerKey, id)
	}
	return aead.Open(nil, nil, sealed[keyIDSize:], additional)
}
