package agreement

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// request is one that an operation accepts as want, or refuses at a place.
type request struct {
	body    string
	want    string // canonical text; empty where it is refused
	refused string // place
}

// of gives the contract of an operation of a golden case.
func of(t *testing.T, golden string, op *idem.Operation) *contract.Contract {
	t.Helper()
	doc, found, err := openapi.Load(filepath.Join("..", "pipeline", golden, "openapi.yaml"), openapi.Options{Webhooks: true})
	require.NoError(t, err)
	require.False(t, found.HasErrors())
	api, found := contract.Build(doc, contract.Options{Base: "openapi"})
	require.False(t, found.HasErrors())
	for _, c := range api.Contracts {
		if c.Name == op.Name {
			return c
		}
	}
	t.Fatalf("no contract %s", op.Name)
	return nil
}

// hold runs JSON bodies through the generated function, the contract's own scan and the reference interpreter.
func hold(t *testing.T, golden string, op *idem.Operation, requests []request) {
	t.Helper()
	c := of(t, golden, op)
	for _, r := range requests {
		holdOne(t, c, op, &canon.Request{Body: []byte(r.body), ContentType: "application/json"}, r)
	}
}

func holdOne(t *testing.T, c *contract.Contract, op *idem.Operation, r *canon.Request, want request) {
	t.Helper()
	s := canon.Acquire()
	defer s.Release()
	digest, err := op.Versions[0].Fingerprint(s, r)
	text := string(s.AppendCanonical(nil))
	reference := c.Version.Reference(c.Name)
	expected, referenceErr := reference.Canonical(r)
	if want.refused != "" {
		var generated, interpreted *canon.Refusal
		require.ErrorAs(t, err, &generated, "%s", r.Body)
		require.ErrorAs(t, referenceErr, &interpreted, "%s", r.Body)
		assert.Equal(t, want.refused, generated.Place, "%s: %s", r.Body, generated.Reason)
		assert.Equal(t, interpreted.Place, generated.Place, "%s", r.Body)
		assert.Equal(t, interpreted.Offset, generated.Offset, "%s", r.Body)
		return
	}
	require.NoError(t, err, "%s", r.Body)
	require.NoError(t, referenceErr, "%s", r.Body)
	assert.Equal(t, want.want, text, "%s", r.Body)
	assert.Equal(t, want.want, string(expected), "%s", r.Body)
	referenceDigest, err := reference.Digest(r)
	require.NoError(t, err)
	assert.Equal(t, referenceDigest, digest, "%s", r.Body)

	s.Start(r)
	c.Version.Scan(s)
	_, err = s.Finish(c.Name, c.Version.ID)
	require.NoError(t, err)
	assert.Equal(t, want.want, string(s.AppendCanonical(nil)), "%s", r.Body)
}

// differ gives the fields that a mismatch of two JSON bodies names.
func differ(t *testing.T, op *idem.Operation, first, second string) []string {
	t.Helper()
	sums := func(body string) []byte {
		s := canon.Acquire()
		defer s.Release()
		s.TrackFields(len(op.Versions[0].Fields))
		_, err := op.Versions[0].Fingerprint(s, &canon.Request{Body: []byte(body), ContentType: "application/json"})
		require.NoError(t, err)
		return s.AppendFieldDigests(nil)
	}
	a, b := sums(first), sums(second)
	var fields []string
	for i, name := range op.Versions[0].Fields {
		if string(a[4*i:4*i+4]) != string(b[4*i:4*i+4]) {
			fields = append(fields, name)
		}
	}
	return fields
}
