package idem

import (
	"encoding/hex"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// businessMark begins the key of a record whose request came without one and has a business key. No client can spell it: keys are
// visible ASCII.
const businessMark = "\x01"

// keyOfBusiness is the key of such a record.
func keyOfBusiness(digest []byte) string { return businessMark + hex.EncodeToString(digest) }

// clientKey is the key that a client sent; empty where it sent none.
func clientKey(key string) string {
	if strings.HasPrefix(key, businessMark) {
		return ""
	}
	return key
}

// business gives the digest of the request's business key; nil when it has none, because a value is missing or nobody asks.
func (p *plan) business(r *canon.Request) []byte {
	if p.op.Unique == nil {
		return nil
	}
	s := canon.Acquire()
	defer s.Release()
	s.TrackFields(0)
	digest, err := p.op.Unique.Digest(s, r)
	if err != nil {
		return nil
	}
	return digest[:]
}
