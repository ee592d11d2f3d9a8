package fingerprint

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Function is what generated code has for each version of a contract.
type Function func(s *canon.Scanner, r *canon.Request) (canon.Digest, error)

// Compare holds a fingerprint function against the reference interpreter on one request: accepted or refused, the refusal's place and
// offset, the canonical text, the digest, and the same again while fields are tracked. The error says in what they differ.
//
// Of a contract that accepts other bodies than JSON the places of refusals are not compared: names of a form come in any order, and the two
// meet its faults in different ones.
func Compare(c *canon.Contract, scan Function, r *canon.Request) error {
	text, textErr := c.Canonical(r)
	digest, digestErr := c.Digest(r)
	if (textErr == nil) != (digestErr == nil) {
		return fmt.Errorf("fingerprint: compare interpreters: canonical text says %w, digest says %w", orAccepted(textErr), orAccepted(digestErr))
	}
	want := expectation{text: text, digest: digest, refusal: textErr, anyPlace: slices.ContainsFunc(c.Accepts, isNoJSON)}
	for _, fields := range []int{0, len(c.Fields)} {
		if err := want.compare(scan, r, fields); err != nil {
			return fmt.Errorf("with %d fields tracked: %w", fields, err)
		}
	}
	return nil
}

func isNoJSON(m canon.Media) bool { return m != canon.JSON }

// expectation is what the reference interpreter says of a request.
type expectation struct {
	text     []byte
	digest   canon.Digest
	refusal  error
	anyPlace bool // the place of the refusal does not matter
}

func (e expectation) compare(scan Function, r *canon.Request, fields int) error {
	s := canon.Acquire()
	defer s.Release()
	s.TrackFields(fields)
	got, err := scan(s, r)
	switch {
	case (err == nil) != (e.refusal == nil):
		return fmt.Errorf("scanner says %w, reference says %w", orAccepted(err), orAccepted(e.refusal))
	case err != nil && e.anyPlace:
		return nil
	case err != nil:
		return compareRefusals(err, e.refusal)
	}
	if canonical := s.AppendCanonical(nil); !bytes.Equal(canonical, e.text) {
		return fmt.Errorf("canonical text\n scanner   %s\n reference %s", canonical, e.text)
	}
	if got != e.digest {
		return fmt.Errorf("digest of %s: scanner %x, reference %x", e.text, got, e.digest)
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
