// Package fingerprinttest holds a generated fingerprint function against the canonical text and the digest that FINGERPRINT
// section 1 defines. The golden packages use it; it knows nothing of how the functions are made.
package fingerprinttest

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// JSON is a request with a JSON body and the path values of the operation's template.
func JSON(body string, path ...string) *canon.Request {
	return &canon.Request{Body: []byte(body), ContentType: "application/json", Path: path}
}

// Accepts checks that the current version of op reads r as canonical, and that the digest is the hash of that.
func Accepts(t *testing.T, op *idem.Operation, r *canon.Request, canonical string) {
	t.Helper()
	text, digest, err := run(op, r)
	require.NoError(t, err, "%s", r.Body)
	assert.Equal(t, canonical, text)
	prefix := "idempotency-fingerprint/1\n" + op.Name + "\n" + string(op.Versions[0].ID) + "\n"
	assert.Equal(t, canon.Digest(sha256.Sum256([]byte(prefix+canonical))), digest)
}

// Refuses checks that the current version of op refuses r at place.
func Refuses(t *testing.T, op *idem.Operation, r *canon.Request, place string) {
	t.Helper()
	_, _, err := run(op, r)
	var refusal *canon.Refusal
	require.ErrorAs(t, err, &refusal, "%s", r.Body)
	assert.Equal(t, place, refusal.Place, refusal.Reason)
}

// Fields gives the fields of op that differ between two requests, as a mismatch names them.
func Fields(t *testing.T, op *idem.Operation, first, second *canon.Request) []string {
	t.Helper()
	version := op.Versions[0]
	a, b := digests(t, version, first), digests(t, version, second)
	var differ []string
	for i, name := range version.Fields {
		if string(a[4*i:4*i+4]) != string(b[4*i:4*i+4]) {
			differ = append(differ, name)
		}
	}
	return differ
}

func digests(t *testing.T, version idem.Version, r *canon.Request) []byte {
	t.Helper()
	s := canon.Acquire()
	defer s.Release()
	s.TrackFields(len(version.Fields))
	_, err := version.Fingerprint(s, r)
	require.NoError(t, err)
	return s.AppendFieldDigests(nil)
}

func run(op *idem.Operation, r *canon.Request) (string, canon.Digest, error) {
	s := canon.Acquire()
	defer s.Release()
	digest, err := op.Versions[0].Fingerprint(s, r)
	return string(s.AppendCanonical(nil)), digest, err
}
