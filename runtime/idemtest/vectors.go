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
	if len(op.Versions) == 0 {
		t.Errorf("contract %q: the operation compares nothing, so no vector can hold", op.Name)
		return
	}
	hold(t, op, &op.Versions[0], op.Path, vectors)
}

// OlderVectors is Vectors for another live version than the newest one. path is the template that its path parameters belong to.
func OlderVectors(t testing.TB, op *idem.Operation, vectors []Vector, number int, path string) {
	t.Helper()
	for i := range op.Versions {
		if op.Versions[i].Number == number {
			hold(t, op, &op.Versions[i], path, vectors)
			return
		}
	}
	t.Errorf("contract %q: the operation has no version %d", op.Name, number)
}

func hold(t testing.TB, op *idem.Operation, v *idem.Version, path string, vectors []Vector) {
	t.Helper()
	if len(vectors) == 0 {
		t.Errorf("contract %q: there is no vector", op.Name)
		return
	}
	s := canon.Acquire()
	defer s.Release()
	fingerprint := func(r *canon.Request) (string, canon.Digest, error) {
		digest, err := v.Fingerprint(s, r)
		return string(s.AppendCanonical(nil)), digest, err
	}
	for _, f := range vector.Check(vectors, path, fingerprint) {
		if f.Index < 0 {
			t.Errorf("contract %q version %d: %s", op.Name, v.Number, f.Text)
			continue
		}
		t.Errorf("contract %q version %d, vector %q: %s", op.Name, v.Number, f.Vector, f.Text)
	}
}
