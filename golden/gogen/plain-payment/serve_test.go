package paymentsidem

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// TestHandlerRunsOnceForAKey serves the generated handler over a store: a retry is answered, another command is refused, and what
// cannot be read claims nothing.
func TestHandlerRunsOnceForAKey(t *testing.T) {
	scope := func(context.Context) (Scope, error) { return Scope{Tenant: "alice"}, nil }
	engine, err := NewEngine(memstore.New(), scope, idem.Options{})
	require.NoError(t, err)
	runs := 0
	handler := HandleCreatePayment(engine, func(_ context.Context, _ *idem.Execution[*memstore.Tx], cmd CreatePaymentCommand) (idem.Response, error) {
		runs++
		return idem.Response{Status: http.StatusCreated, Body: []byte(cmd.Path.AccountID + " pays " + string(cmd.Body.Amount))}, nil
	})
	send := func(body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/v1/accounts/acc_1/payments", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "k")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	assert.Equal(t, http.StatusBadRequest, send(`{"amount":"ten","currency":"EUR"}`).Code)
	first := send(`{"amount":"10","currency":"EUR"}`)
	assert.Equal(t, http.StatusCreated, first.Code)
	assert.Equal(t, "acc_1 pays 10", first.Body.String())

	retry := send(`{"currency": "eur", "amount": 10.0}`)
	assert.Equal(t, http.StatusCreated, retry.Code)
	assert.Equal(t, first.Body.String(), retry.Body.String())
	assert.Equal(t, "true", retry.Header().Get("Idempotent-Replayed"))

	mismatch := send(`{"amount":"11","currency":"EUR"}`)
	assert.Equal(t, http.StatusUnprocessableEntity, mismatch.Code)
	assert.Contains(t, mismatch.Body.String(), "body.amount")
	assert.Equal(t, 1, runs)
}
