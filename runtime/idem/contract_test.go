package idem_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// program is a deploy of the service: an engine with some versions of the contract over a store that all share.
func program(t *testing.T, store *memstore.Store, versions ...idem.Version) (*fixture, *int) {
	t.Helper()
	f := newFixture(t, func(f *fixture, _ *idem.Options) {
		f.store = store
		f.op.Versions = versions
	})
	return f, new(int)
}

func TestDeploysRecogniseEachOther(t *testing.T) {
	const retry = `{"currency":"EUR","amount":10}`
	deploys := map[string][]idem.Version{
		"old": {paymentV1}, "new": {paymentV2, paymentV1}, "newest alone": {paymentV2}, "off": nil,
	}
	cases := []struct {
		first, second string
		body          string
		status        int
		fields        string
	}{
		{"old", "new", retry, 201, ""},
		{"new", "old", retry, 201, ""},
		{"new", "new", retry, 201, ""},
		{"new", "newest alone", retry, 201, ""},
		{"newest alone", "new", retry, 201, ""},
		{"old", "newest alone", retry, 503, ""},
		{"newest alone", "old", retry, 503, ""},
		// Version 1 does not know the currency, so whoever judges by it takes both for the same command.
		{"old", "new", `{"amount":"10","currency":"USD"}`, 201, ""},
		{"new", "new", `{"amount":"10","currency":"USD"}`, 422, `"fields":["body.currency"]`},
		{"new", "old", `{"amount":"11","currency":"EUR"}`, 422, ""},
		{"old", "new", `{"amount":"11","currency":"EUR"}`, 422, ""},
		// Version 2 refuses the extra member that version 1 ignored. The retry of a call that succeeded is replayed all the same.
		{"old", "new", `{"amount":"10","currency":"EUR","extra":1}`, 201, ""},
		{"old", "new", `{"amount":"11","currency":"EUR","extra":1}`, 422, ""},
		{"old", "newest alone", `{"amount":"10","currency":"EUR","extra":1}`, 503, ""},
		// Refused by the version that judges, too: it is malformed, not a mismatch.
		{"new", "new", `{"amount":"10","currency":"EUR","extra":1}`, 400, ""},
		{"new", "new", `{"amount":`, 400, ""},
		{"off", "off", `{"amount":"11","currency":"EUR"}`, 201, ""},
		{"new", "off", `{"amount":"11","currency":"EUR"}`, 201, ""},
		{"off", "new", retry, 503, ""},
	}
	for _, c := range cases {
		t.Run(c.first+" then "+c.second+" "+c.body, func(t *testing.T) {
			store := memstore.New()
			first, runs := program(t, store, deploys[c.first]...)
			require.Equal(t, 201, send(first.handler(first.pay(runs)), call{}).status)
			second, again := program(t, store, deploys[c.second]...)
			a := send(second.handler(second.pay(again)), call{body: c.body})
			assert.Equal(t, c.status, a.status, a.body)
			assert.Equal(t, c.status == 201, a.replayed())
			if c.fields == "" {
				assert.NotContains(t, a.body, "fields")
			}
			assert.Contains(t, a.body, c.fields)
			assert.Zero(t, *again)
		})
	}
}

func TestMalformedRequestClaimsNothing(t *testing.T) {
	f := newFixture(t)
	runs := 0
	h := f.handler(f.pay(&runs))
	a := send(h, call{body: `{"amount":"10","currency":"EUR","lines":[1]}`})
	assert.Equal(t, 400, a.status)
	assert.Equal(t, idem.CodeRequestMalformed, a.code())
	assert.Contains(t, a.body, `"pointer":"/lines"`)
	assert.Equal(t, []idem.EventKind{idem.EventRefused}, f.events.kinds())
	assert.Equal(t, 201, send(h, call{}).status, "corrected under the same key")

	a = send(h, call{key: "two", body: `{"amount":"10","currency":"EUR","AMOUNT":"99"}`})
	assert.Equal(t, idem.CodeRequestMalformed, a.code(), "a decoder would take the member in capitals")
}

func TestSharedKeyspace(t *testing.T) {
	store := memstore.New()
	pay, runs := program(t, store, paymentV2)
	require.Equal(t, 201, send(pay.handler(pay.pay(runs)), call{}).status)
	refund := newFixture(t, func(f *fixture, _ *idem.Options) {
		f.store = store
		f.op.Name = "refundPayment" // in the keyspace of createPayment
	})
	a := send(refund.handler(refund.pay(runs)), call{})
	assert.Equal(t, idem.CodeMismatch, a.code())
	assert.NotContains(t, a.body, "fields")
	a = send(refund.handler(refund.pay(runs)), call{body: "{"})
	assert.Equal(t, idem.CodeMismatch, a.code(), "the operation is compared before anything else")
	assert.Equal(t, 1, *runs)
}

func TestReuseAfterExpiryRunsAgain(t *testing.T) {
	now := newClock()
	f := newFixture(t, func(f *fixture, _ *idem.Options) { f.store = memstore.New(memstore.WithClock(now.get)) })
	runs := 0
	h := f.handler(f.pay(&runs))
	require.Equal(t, `{"run": 1}`, send(h, call{}).body)
	now.advance(f.op.Retention)
	other := call{body: `{"amount":"11","currency":"EUR"}`}
	require.Equal(t, `{"run": 2}`, send(h, other).body)
	require.True(t, send(h, other).replayed())
}
