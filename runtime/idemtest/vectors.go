package idemtest

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/vector"
)

// The data of vectors, under names that generated tests can write with one import.
type (
	Vector  = vector.Vector
	Change  = vector.Change
	Request = vector.Request
	Value   = vector.Value
)

// Vectors holds the newest version of an operation's contract to its vectors: what they call the same command has one digest, what they call
// another one has another, what they call refused has none, and canonical texts and digests are those that stand in the vectors. A fault
// means that records written before are not recognised any more.
func Vectors(t testing.TB, op *idem.Operation, vectors []Vector) {
	t.Helper()
	switch {
	case len(op.Versions) == 0:
		t.Errorf("contract %q: the operation compares nothing, so no vector can hold", op.Name)
		return
	case len(vectors) == 0:
		t.Errorf("contract %q: there is no vector", op.Name)
		return
	}
	s := canon.Acquire()
	defer s.Release()
	fingerprint := func(r *canon.Request) (string, canon.Digest, error) {
		digest, err := op.Versions[0].Fingerprint(s, r)
		return string(s.AppendCanonical(nil)), digest, err
	}
	for _, f := range vector.Check(vectors, op.Path, fingerprint) {
		if f.Index < 0 {
			t.Errorf("contract %q version %d: %s", op.Name, op.Versions[0].Number, f.Text)
			continue
		}
		t.Errorf("contract %q version %d, vector %q: %s", op.Name, op.Versions[0].Number, f.Vector, f.Text)
	}
}
