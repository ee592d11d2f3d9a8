package agreement

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	unique "github.com/idemgen/idemgen/golden/pipeline/unique-reference/openapiidem"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// holdBusiness runs a request through the generated function of a business key, the contract's own scan and the reference interpreter.
// want is the canonical text; empty where the request has no business key.
func holdBusiness(t *testing.T, op *idem.Operation, r *canon.Request, want string) {
	t.Helper()
	u := of(t, "unique-reference", op).Unique
	require.NotNil(t, u)
	s := canon.Acquire()
	defer s.Release()
	digest, err := op.Unique.Digest(s, r)
	text := string(s.AppendCanonical(nil))
	s.Start(r)
	u.Version.Scan(s)
	scanned, scanErr := s.Finish(u.DigestName(op.Name), u.Version.ID)
	reference := u.Version.Reference(u.DigestName(op.Name))
	expected, referenceErr := reference.Canonical(r)
	if want == "" {
		require.Error(t, err, "%s", r.Body)
		require.Error(t, scanErr, "%s", r.Body)
		require.Error(t, referenceErr, "%s", r.Body)
		return
	}
	require.NoError(t, err, "%s", r.Body)
	require.NoError(t, referenceErr, "%s", r.Body)
	assert.Equal(t, want, text)
	assert.Equal(t, want, string(expected))
	assert.Equal(t, scanned, digest)
	fingerprint, err := op.Versions[0].Fingerprint(s, r)
	require.NoError(t, err)
	assert.NotEqual(t, fingerprint, digest)
}

const account = "0192a1b2-0000-7000-8000-00000000abcd"

// A payment is named by its account, reference and channel, however they are spelled and sent.
func TestBusinessKeyOfAPayment(t *testing.T) {
	op := &unique.CreatePaymentOperation
	assert.Equal(t, []string{"body.channel", "body.order.reference", "path.accountId"}, op.Unique.Fields)
	json := func(body string) *canon.Request {
		return &canon.Request{Body: []byte(body), ContentType: "application/json", Path: []string{"0192A1B2-0000-7000-8000-00000000ABCD"}}
	}
	form := func(body string) *canon.Request {
		return &canon.Request{Body: []byte(body), ContentType: formType, Path: []string{account}}
	}
	const web = `{"body":{"channel":"web","order":{"reference":"r-1"}},"path":{"accountId":"` + account + `"}}`
	for _, r := range []*canon.Request{
		json(`{"amount":"1","order":{"reference":"R-1"}}`), json(`{"order":{"note":"n","reference":"r-1"},"channel":"web","amount":"2.50","more":null}`),
		form("amount=1&order[reference]=R-1"), form("order[note]=n&order[reference]=r-1&channel=web&amount=7"),
	} {
		holdBusiness(t, op, r, web)
	}
	holdBusiness(t, op, json(`{"amount":"1","channel":"app","order":{"reference":"r-1"}}`),
		`{"body":{"channel":"app","order":{"reference":"r-1"}},"path":{"accountId":"`+account+`"}}`)
	for _, r := range []*canon.Request{
		json(`{"amount":"1"}`), json(`{"amount":"1","order":{}}`), json(`{"amount":"1","order":{"reference":null}}`), json(`{"amount":"1","order":null}`),
		json(`{"amount":"1","order":{"reference":7}}`), form("amount=1"), form("amount=1&order[note]=n"), {Path: []string{account}},
	} {
		holdBusiness(t, op, r, "")
	}
}

func TestBusinessKeyOfParameters(t *testing.T) {
	op := &unique.ConfirmOrderOperation
	holdBusiness(t, op, &canon.Request{Path: []string{"7"}, Query: "round=02&round2=1"}, "")
	holdBusiness(t, op, &canon.Request{Path: []string{"7"}, Query: "other=1&round=2"}, `{"path":{"orderId":"7"},"query":{"round":"2"}}`)
	holdBusiness(t, op, &canon.Request{Path: []string{"7"}}, "")
}
