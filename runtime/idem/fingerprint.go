package idem

import (
	"context"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"iter"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Fingerprint is one entry of a record: what the command is under one version of its contract.
type Fingerprint struct {
	Contract [8]byte // the contract id's bytes
	KeyID    uint32  // 0: the plain digest
	Value    canon.Digest
}

const fingerprintSize = 8 + 4 + 32

// AppendFingerprint appends an entry in the form in which records keep it: contract id, key id (big endian), fingerprint.
func AppendFingerprint(dst []byte, f Fingerprint) []byte {
	dst = append(dst, f.Contract[:]...)
	dst = binary.BigEndian.AppendUint32(dst, f.KeyID)
	return append(dst, f.Value[:]...)
}

// Fingerprints gives a record's entries, newest first. A tail that is no whole entry is left out, so a damaged record
// compares with nothing.
func Fingerprints(encoded []byte) iter.Seq[Fingerprint] {
	return func(yield func(Fingerprint) bool) {
		for len(encoded) >= fingerprintSize {
			f := Fingerprint{
				Contract: [8]byte(encoded[:8]),
				KeyID:    binary.BigEndian.Uint32(encoded[8:12]),
				Value:    canon.Digest(encoded[12:fingerprintSize]),
			}
			if !yield(f) {
				return
			}
			encoded = encoded[fingerprintSize:]
		}
	}
}

// contractBytes decodes a contract id.
func contractBytes(id canon.ContractID) (b [8]byte, err error) {
	if len(id) != 16 {
		return b, errors.New("a contract id has 16 hexadecimal digits")
	}
	for i := range len(id) {
		if !isHex(id[i]) || 'A' <= id[i] && id[i] <= 'F' {
			return b, errors.New("a contract id has lower-case hexadecimal digits")
		}
	}
	_, err = hex.Decode(b[:], []byte(id))
	return b, err
}

// command is what a request is under every live version of its operation's contract, newest first.
type command struct {
	versions []versionOf
	fields   []byte // field digests under the newest version
}

// versionOf is the command under one version: its digest, or why that version refuses it.
type versionOf struct {
	digest  canon.Digest
	refusal error
}

// command fingerprints r under the newest `limit` versions.
func (p *plan) command(ctx context.Context, r *canon.Request, limit int) command {
	limit = min(limit, len(p.op.Versions))
	c := command{versions: make([]versionOf, limit)}
	var seen views
	s := canon.Acquire()
	defer s.Release()
	for i := range limit {
		v := &p.op.Versions[i]
		request, err := seen.of(ctx, p, v, r)
		if err != nil {
			c.versions[i].refusal = err
			continue
		}
		if i == 0 {
			s.TrackFields(len(v.Fields))
		} else {
			s.TrackFields(0)
		}
		c.versions[i].digest, c.versions[i].refusal = v.Fingerprint(s, request)
		if i == 0 && c.versions[0].refusal == nil {
			c.fields = s.AppendFieldDigests(nil)
		}
	}
	return c
}

// refusal says why today's contract does not accept the request.
func (c *command) refusal() error {
	if len(c.versions) == 0 {
		return nil
	}
	return c.versions[0].refusal
}

// encode gives the entries for a record under the current key, and the field digests. A version that refuses the request leaves none.
func (c *command) encode(p *plan) (entries, fields []byte) {
	key := p.keys.currentID()
	for i, v := range c.versions {
		if v.refusal == nil {
			value, _ := p.keys.fingerprint(key, v.digest) // the current key is always there
			entries = AppendFingerprint(entries, Fingerprint{Contract: p.contracts[i], KeyID: key, Value: value})
		}
	}
	if c.fields != nil {
		fields = p.keys.fieldDigests(key, c.fields, p.op.Versions[0].Sensitive)
	}
	return entries, fields
}

// verdict is a comparison and, for another command, the field paths that differ.
type verdict struct {
	comparison Comparison
	fields     []string
	// refused: the version that judged does not accept the request.
	refused bool
}

// compare judges the request against a record: by the operation first, then by the newest contract version that both know.
func (p *plan) compare(c *command, prior *Prior) verdict {
	if prior.Operation != p.op.Name {
		return verdict{comparison: OtherCommand}
	}
	if len(p.op.Versions) == 0 {
		return verdict{comparison: SameCommand} // comparison is switched off
	}
	for i, v := range c.versions {
		recorded, newest, ok := recordedUnder(prior.Fingerprints, p.contracts[i])
		if !ok {
			continue
		}
		ours, known := p.keys.fingerprint(recorded.KeyID, v.digest)
		if !known {
			continue
		}
		if v.refusal != nil {
			return verdict{comparison: OtherCommand, refused: true}
		}
		if subtle.ConstantTimeCompare(recorded.Value[:], ours[:]) == 1 {
			return verdict{comparison: SameCommand}
		}
		differ := verdict{comparison: OtherCommand}
		if i == 0 && newest {
			now := p.op.Versions[0]
			differ.fields = differingFields(now.Fields, p.keys.fieldDigests(recorded.KeyID, c.fields, now.Sensitive), prior.Fields)
		}
		return differ
	}
	return verdict{comparison: NotComparable}
}

// recordedUnder finds the record's fingerprint under a contract; newest says that it is the record's first entry, the one whose
// field digests are kept.
func recordedUnder(encoded []byte, contract [8]byte) (recorded Fingerprint, newest, ok bool) {
	newest = true
	for f := range Fingerprints(encoded) {
		if f.Contract == contract {
			return f, newest, true
		}
		newest = false
	}
	return Fingerprint{}, false, false
}

const fieldDigestSize = 4

// differingFields names the fields whose digests differ; none when the digests do not belong together.
func differingFields(names []string, ours, recorded []byte) []string {
	if len(ours) != len(recorded) || len(ours) != len(names)*fieldDigestSize {
		return nil
	}
	var differ []string
	for i, name := range names {
		at := i * fieldDigestSize
		if [fieldDigestSize]byte(ours[at:]) != [fieldDigestSize]byte(recorded[at:]) {
			differ = append(differ, name)
		}
	}
	return differ
}
