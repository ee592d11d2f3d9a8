package idem

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
)

// UUID is an RFC 9562 identifier: claim tokens and record ids.
type UUID [16]byte

// NewUUID gives a random UUID, version 4 (RFC 9562 section 5.4).
func NewUUID() UUID {
	var u UUID
	_, _ = rand.Read(u[:]) // never fails since Go 1.24: it would end the program
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u
}

// String gives the 8-4-4-4-12 form in lower case.
func (u UUID) String() string {
	var b [36]byte
	hex.Encode(b[:8], u[:4])
	hex.Encode(b[9:13], u[4:6])
	hex.Encode(b[14:18], u[6:8])
	hex.Encode(b[19:23], u[8:10])
	hex.Encode(b[24:], u[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// ParseUUID reads what String writes, in any case.
func ParseUUID(s string) (u UUID, err error) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return u, fmt.Errorf("idem: %q is no UUID", s)
	}
	if _, err := hex.Decode(u[:], []byte(s[:8]+s[9:13]+s[14:18]+s[19:23]+s[24:])); err != nil {
		return UUID{}, fmt.Errorf("idem: %q is no UUID", s)
	}
	return u, nil
}

// IsZero reports whether u is the zero UUID, which is never chosen.
func (u UUID) IsZero() bool { return u == UUID{} }
