package agreement

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	forms "github.com/idemgen/idemgen/golden/pipeline/form-and-json/openapiidem"
	webhook "github.com/idemgen/idemgen/golden/pipeline/received-webhook/openapiidem"
	sensitive "github.com/idemgen/idemgen/golden/pipeline/sensitive-fields/openapiidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func send(t *testing.T, h http.Handler, contentType, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/hooks/provider", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Header().Get("Idempotent-Replayed")
}

// A webhook is served wherever the program mounts it.
func TestWebhook(t *testing.T) {
	engine, err := webhook.NewEngine(memstore.New(), func(context.Context) (webhook.Scope, error) { return webhook.Scope{Provider: "p"}, nil }, idem.Options{})
	require.NoError(t, err)
	runs := 0
	h := webhook.HandlePaymentSettled(engine, func(_ context.Context, _ *idem.Execution[*memstore.Tx], cmd webhook.PaymentSettledCommand) (idem.Response, error) {
		runs++
		assert.Equal(t, "settled", cmd.Body.Type)
		return idem.Response{Status: 200}, nil
	})
	status, replayed := send(t, h, "application/json", `{"id":"e1","type":"settled","attempt":1,"data":{"amount":"1.0"}}`)
	assert.Equal(t, 200, status)
	assert.Empty(t, replayed)
	status, replayed = send(t, h, "application/json", `{"id":"e1","type":"settled","attempt":2,"data":{"amount":"1"}}`)
	assert.Equal(t, 200, status)
	assert.Equal(t, "true", replayed)
	status, _ = send(t, h, "application/json", `{"id":"e1","type":"settled","data":{"amount":"2"}}`)
	assert.Equal(t, 422, status)
	assert.Equal(t, 1, runs)
	hold(t, "received-webhook", &webhook.PaymentSettledOperation, []request{
		{body: `{"id":"e","type":"t","attempt":1,"more":1,"data":{"amount":"1e1"}}`, want: `{"body":{"data":{"amount":"10"},"type":"t"}}`},
	})
}

// A key, a scope and a command are found in a form as in JSON, and the two are one command.
func TestKeyAndScopeInAForm(t *testing.T) {
	engine, err := forms.NewEngine(memstore.New(), func(context.Context) (forms.Scope, error) { return forms.Scope{Tenant: "t"}, nil }, idem.Options{})
	require.NoError(t, err)
	var amounts []int64
	h := forms.HandleCreateCharge(engine, func(_ context.Context, _ *idem.Execution[*memstore.Tx], cmd forms.CreateChargeCommand) (idem.Response, error) {
		amounts = append(amounts, cmd.Body.Amount)
		return idem.Response{Status: 201}, nil
	})
	serve := func(contentType, body string) (int, string) {
		r := httptest.NewRequest(http.MethodPost, "/charges", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Header().Get("Idempotent-Replayed")
	}
	status, _ := serve(formType, "request_id=k1&amount=5&account=0192A1B2-0000-7000-8000-00000000ABCD&metadata[a]=1")
	assert.Equal(t, 201, status)
	status, replayed := serve("application/json", `{"request_id":"k1","amount":5,"account":"0192a1b2-0000-7000-8000-00000000abcd"}`)
	assert.Equal(t, 201, status)
	assert.Equal(t, "true", replayed)
	status, _ = serve(formType, "request_id=k1&amount=6&account=0192a1b2-0000-7000-8000-00000000abcd")
	assert.Equal(t, 422, status)
	assert.Equal(t, []int64{5}, amounts)
}

// Without a key ring a program with sensitive fields does not start.
func TestSensitiveFieldsNeedAKeyRing(t *testing.T) {
	scope := func(context.Context) (sensitive.Scope, error) { return sensitive.Scope{Tenant: "t"}, nil }
	_, err := sensitive.NewEngine(memstore.New(), scope, idem.Options{})
	require.ErrorContains(t, err, "storeCard")
	keys, err := idem.NewKeyRing(1, map[uint32][]byte{1: []byte(strings.Repeat("k", 32))})
	require.NoError(t, err)
	_, err = sensitive.NewEngine(memstore.New(), scope, idem.Options{Keys: keys})
	require.NoError(t, err)
}
