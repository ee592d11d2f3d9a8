package canon_test

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

// read gives the canonical text of a JSON body, without the member around it, or the refusal.
func read(t testing.TB, body string, value func(*canon.Scanner)) (string, *canon.Refusal) {
	t.Helper()
	s := canon.Acquire()
	defer s.Release()
	s.Start(&canon.Request{Body: []byte(body), ContentType: "application/json"})
	if s.Body(true, canon.JSON) == canon.JSON {
		value(s)
	}
	return finish(t, s)
}

// readParams gives the canonical text of a request without a body, or the refusal.
func readParams(t testing.TB, r canon.Request, params ...canon.Param) (string, *canon.Refusal) {
	t.Helper()
	s := canon.Acquire()
	defer s.Release()
	s.Start(&r)
	s.Params(params)
	return finish(t, s)
}

func finish(t testing.TB, s *canon.Scanner) (string, *canon.Refusal) {
	t.Helper()
	digest, err := s.Finish("test", "0123456789abcdef")
	if err == nil {
		text := string(s.AppendCanonical(nil))
		sum := sha256.Sum256([]byte("idempotency-fingerprint/1\ntest\n0123456789abcdef\n" + text))
		require.Equal(t, canon.Digest(sum), digest, "the digest is that of the canonical text")
		if body, ok := strings.CutPrefix(text, `{"body":`); ok {
			return strings.TrimSuffix(body, "}"), nil
		}
		return text, nil
	}
	var refusal *canon.Refusal
	require.True(t, errors.As(err, &refusal), "%T", err)
	require.Empty(t, s.AppendCanonical(nil), "a refused request has no canonical text")
	return "", refusal
}

// leaf reads a value under a normaliser.
func leaf(as canon.Normaliser) func(*canon.Scanner) {
	return func(s *canon.Scanner) {
		switch as {
		case canon.Exact:
			s.Exact(-1)
		case canon.Int:
			s.Int(-1)
		case canon.Decimal:
			s.Decimal(-1)
		case canon.Double:
			s.Double(-1)
		case canon.Boolean:
			s.Boolean(-1)
		case canon.Instant:
			s.Instant(-1)
		case canon.UUID:
			s.UUID(-1)
		case canon.Base64:
			s.Base64(-1)
		case canon.ASCIILower:
			s.ASCIILower(-1)
		case canon.ASCIIUpper:
			s.ASCIIUpper(-1)
		case canon.ASCIITrim:
			s.ASCIITrim(-1)
		case canon.Generic:
			s.Generic(-1)
		}
	}
}

func quoted(text string) string { return string(canon.AppendJSONString(nil, text)) }
