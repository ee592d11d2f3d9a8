package referencesidem

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ft "github.com/idemgen/idemgen/golden/gogen/fingerprinttest"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// business gives the canonical text of a request's business key; empty where it has none.
func business(t *testing.T, op *idem.Operation, id string, r *canon.Request) string {
	t.Helper()
	s := canon.Acquire()
	defer s.Release()
	digest, err := op.Unique.Digest(s, r)
	if err != nil {
		var refusal *canon.Refusal
		require.ErrorAs(t, err, &refusal)
		return ""
	}
	text := string(s.AppendCanonical(nil))
	prefix := "idempotency-fingerprint/1\n" + op.Name + "\tunique\n" + id + "\n"
	assert.Equal(t, canon.Digest(sha256.Sum256([]byte(prefix+text))), digest)
	return text
}

func form(body string, path ...string) *canon.Request {
	return &canon.Request{Body: []byte(body), ContentType: "application/x-www-form-urlencoded", Path: path}
}

// The values alone decide, in whatever body they come; without one of them there is no business key.
func TestBusinessKeyOfACharge(t *testing.T) {
	of := func(r *canon.Request) string {
		return business(t, &CreateChargeOperation, "00000000000000b1", r)
	}
	const want = `{"body":{"reference":"r-1"},"path":{"shop":"7"}}`
	assert.Equal(t, want, of(ft.JSON(`{"reference":"R-1"}`, "7")))
	assert.Equal(t, want, of(ft.JSON(`{"amount":"12.50","reference":"r-1"}`, "7")))
	assert.Equal(t, want, of(form("amount=3&reference=R-1", "7")))
	assert.Equal(t, `{"body":{"reference":"r-1"},"path":{"shop":"8"}}`, of(ft.JSON(`{"reference":"r-1"}`, "8")))
	for _, r := range []*canon.Request{
		ft.JSON(`{"amount":1}`, "7"), ft.JSON(`{"reference":null}`, "7"), ft.JSON(`{}`, "7"), ft.JSON(`null`, "7"), {Path: []string{"7"}},
		form("amount=3", "7"), ft.JSON(`{"reference":"r-1"}`, "x"),
	} {
		assert.Empty(t, of(r), "%s", r.Body)
	}
}

func TestBusinessKeyOfParameters(t *testing.T) {
	of := func(query string) string {
		return business(t, &PingOperation, "00000000000000b2", &canon.Request{Query: query})
	}
	assert.Equal(t, `{"query":{"at":"2026-01-02T00:00:00Z","of":"all"}}`, of("at=2026-01-02T01:00:00%2B01:00"), "a default stands for what is missing")
	assert.Equal(t, of("at=2026-01-02T00:00:00Z"), of("of=all&more=1&at=2026-01-02T00:00:00.0Z"))
	assert.Empty(t, of("of=all"))
}

// The kind of a value counts, and null is of no kind.
func TestBusinessKeyOfAUnion(t *testing.T) {
	of := func(body string) string { return business(t, &NotifyOperation, "00000000000000b1", ft.JSON(body)) }
	assert.Equal(t, `{"body":{"event":{"string":"5"}}}`, of(`{"event":"5","more":{}}`))
	assert.Equal(t, `{"body":{"event":{"number":"5"}}}`, of(`{"event":5}`))
	assert.Empty(t, of(`{"event":null}`))
	assert.Empty(t, of(`{"event":[]}`))
}
