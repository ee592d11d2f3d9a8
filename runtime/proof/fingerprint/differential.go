package fingerprint

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Function is what generated code has for each version of a contract.
type Function func(s *canon.Scanner, r *canon.Request) (canon.Digest, error)

// Compare holds a fingerprint function against the reference interpreter on one request: accepted or refused, the refusal's place and
// offset, the canonical text, the digest, and the same again while fields are tracked. The error says in what they differ.
func Compare(c *canon.Contract, scan Function, r *canon.Request) error {
	text, textErr := c.Canonical(r)
	digest, digestErr := c.Digest(r)
	if (textErr == nil) != (digestErr == nil) {
		return fmt.Errorf("reference: canonical text says %v, digest says %v", textErr, digestErr)
	}
	for _, fields := range []int{0, len(c.Fields)} {
		if err := compareRun(scan, r, fields, text, digest, textErr); err != nil {
			return fmt.Errorf("with %d fields tracked: %w", fields, err)
		}
	}
	return nil
}

func compareRun(scan Function, r *canon.Request, fields int, text []byte, digest canon.Digest, want error) error {
	s := canon.Acquire()
	defer s.Release()
	s.TrackFields(fields)
	got, err := scan(s, r)
	if (err == nil) != (want == nil) {
		return fmt.Errorf("scanner says %w, reference says %w", orAccepted(err), orAccepted(want))
	}
	if err != nil {
		return compareRefusals(err, want)
	}
	if canonical := s.AppendCanonical(nil); !bytes.Equal(canonical, text) {
		return fmt.Errorf("canonical text\n scanner   %s\n reference %s", canonical, text)
	}
	if got != digest {
		return fmt.Errorf("digest of %s: scanner %x, reference %x", text, got, digest)
	}
	return nil
}

var errAccepted = errors.New("accepted")

func orAccepted(err error) error {
	if err == nil {
		return errAccepted
	}
	return err
}

func compareRefusals(scanner, reference error) error {
	var a, b *canon.Refusal
	if !errors.As(scanner, &a) || !errors.As(reference, &b) {
		return fmt.Errorf("no refusals: scanner %w, reference %w", scanner, reference)
	}
	if a.Place != b.Place || a.Offset != b.Offset {
		return fmt.Errorf("refused at\n scanner   %w\n reference %w", scanner, reference)
	}
	return nil
}
