package idem_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestFirstReplayMismatch(t *testing.T) {
	f := newFixture(t)
	runs := 0
	h := f.handler(f.pay(&runs))

	first := send(h, call{})
	require.Equal(t, 201, first.status, first.body)
	assert.Equal(t, "first only", first.header.Get("X-Other"))
	assert.False(t, first.replayed())

	again := send(h, call{body: "{ \"metadata\": {\"sent\": 2},\n\"currency\": \"eur\", \"amount\": 10 }"})
	assert.Equal(t, 201, again.status)
	assert.Equal(t, first.body, again.body)
	assert.True(t, again.replayed())
	assert.Equal(t, http.Header{
		"Content-Type": {"application/json"}, "Location": {"/payments/1"}, "Idempotent-Replayed": {"true"},
	}, again.header)

	other := send(h, call{body: `{"amount":"10.01","currency":"EUR"}`})
	assert.Equal(t, 422, other.status)
	assert.Equal(t, idem.CodeMismatch, other.code())
	assert.Contains(t, other.body, `"fields":["body.amount"]`)
	assert.NotContains(t, other.body, "10.01")

	account := send(h, call{path: "/v1/accounts/acc_2/payments"})
	assert.Contains(t, account.body, `"fields":["path.accountId"]`)

	assert.Equal(t, 1, runs)
	assert.Equal(t, []string{"acc_1 10.00"}, f.ledger.all())
	assert.Equal(t, []idem.EventKind{
		idem.EventClaimed, idem.EventCompleted, idem.EventReplayed, idem.EventMismatch, idem.EventMismatch,
	}, f.events.kinds())
}
