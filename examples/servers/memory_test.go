package servers_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// memory runs a test on every kind of server, with records in memory.
func memory(t *testing.T, test func(t *testing.T, w *world[*memstore.Tx])) {
	t.Helper()
	for _, k := range kinds[*memstore.Tx]() {
		t.Run(k.name, func(t *testing.T) { test(t, newWorld(t, k, memstore.New(), &business.Memory{})) })
	}
}

func TestOneEffectAndTheSameAnswer(t *testing.T) {
	memory(t, func(t *testing.T, w *world[*memstore.Tx]) {
		first := w.send(t, call{key: "k"})
		require.Equal(t, http.StatusCreated, first.status, first.body)
		assert.False(t, first.replayed)
		again := w.send(t, call{key: "k", body: `{"note":"again","currency":"EUR","amount":"10","accountId":"acc"}`})
		assert.True(t, again.replayed)
		assert.Equal(t, first.status, again.status)
		assert.Equal(t, first.body, again.body)
		other := w.send(t, call{key: "k", body: `{"accountId":"acc","amount":"11","currency":"EUR"}`})
		assert.Equal(t, http.StatusUnprocessableEntity, other.status)
		assert.Equal(t, "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST", other.member("code"))
		assert.Equal(t, "IDEMPOTENCY_KEY_MISSING", w.send(t, call{}).member("code"))
		assert.Equal(t, []string{"createPayment"}, w.effects(t))
		assert.Empty(t, w.failed, "what the middleware answers is no error of the server")
	})
}

func TestWhatFailsAfterAWriteLeavesNothing(t *testing.T) {
	fails := map[string]struct {
		wrote  func(context.Context, string) error
		status []int
	}{
		"error": {func(context.Context, string) error { return errors.New("no") }, []int{http.StatusInternalServerError}},
		"panic": {func(context.Context, string) error { panic("no") }, []int{-1, http.StatusInternalServerError}},
	}
	for name, fail := range fails {
		t.Run(name, func(t *testing.T) {
			memory(t, func(t *testing.T, w *world[*memstore.Tx]) {
				w.app.Wrote = fail.wrote
				for range 2 {
					a := w.send(t, call{key: "k"})
					assert.Contains(t, fail.status, a.status, a.body)
				}
				assert.Empty(t, w.effects(t))
				w.app.Wrote = nil
				a := w.send(t, call{key: "k"})
				assert.Equal(t, http.StatusCreated, a.status)
				assert.False(t, a.replayed)
			})
		})
	}
}

func TestWhatIsRefusedBurnsNoKey(t *testing.T) {
	memory(t, func(t *testing.T, w *world[*memstore.Tx]) {
		assert.Equal(t, http.StatusBadRequest, w.send(t, call{key: "k", body: `{"accountId":`}).status)
		assert.Equal(t, http.StatusUnauthorized, w.send(t, call{key: "k", token: "nobody"}).status)
		require.Equal(t, http.StatusCreated, w.send(t, call{key: "k"}).status)
		delete(w.tokens, "alice")
		revoked := w.send(t, call{key: "k"})
		assert.Equal(t, http.StatusUnauthorized, revoked.status)
		assert.False(t, revoked.replayed)
	})
}

func TestAbsentAndNullDiffer(t *testing.T) {
	memory(t, func(t *testing.T, w *world[*memstore.Tx]) {
		patch := call{method: http.MethodPatch, path: "/accounts/acc", key: "k", body: `{"owner":"eve"}`}
		require.Equal(t, http.StatusOK, w.send(t, patch).status)
		same := patch
		same.path += "?notify=false"
		assert.True(t, w.send(t, same).replayed, "the default is the same command")
		null := patch
		null.body = `{"owner":"eve","limit":null}`
		a := w.send(t, null)
		assert.NotEqual(t, http.StatusOK, a.status, a.body)
		assert.Equal(t, []string{"updateAccount"}, w.effects(t))
	})
}

func TestKeyInTheBody(t *testing.T) {
	memory(t, func(t *testing.T, w *world[*memstore.Tx]) {
		event := call{path: "/webhooks/psp", body: `{"id":"evt_1","kind":"captured","paymentId":"p"}`}
		require.Equal(t, http.StatusNoContent, w.send(t, event).status)
		assert.True(t, w.send(t, event).replayed)
		assert.Equal(t, []string{"receiveEvent"}, w.effects(t))
	})
}

func TestAnAttemptThatIsCutOffIsRecovered(t *testing.T) {
	memory(t, func(t *testing.T, w *world[*memstore.Tx]) {
		id := w.send(t, call{key: "create"}).member("id")
		keys := map[string]int{}
		var failing atomic.Bool
		failing.Store(true)
		w.app.Charge = func(_ context.Context, key string, _ business.Payment) error {
			keys[key]++
			if failing.Load() {
				return errors.New("the answer was lost")
			}
			return nil
		}
		capture := call{path: "/payments/" + id + "/capture", key: "k", body: `{"amount":"10.00"}`}
		assert.Equal(t, http.StatusInternalServerError, w.send(t, capture).status)
		failing.Store(false)
		recovered := w.send(t, capture)
		require.Equal(t, http.StatusOK, recovered.status, recovered.body)
		again := w.send(t, capture)
		assert.True(t, again.replayed)
		assert.Equal(t, recovered.body, again.body)
		assert.Len(t, keys, 1, "the provider saw one key")
		assert.Equal(t, []string{"createPayment", "capturePayment"}, w.effects(t))
		missing := w.send(t, call{path: "/payments/none/capture", key: "other", body: `{"amount":"1"}`})
		assert.Equal(t, http.StatusNotFound, missing.status)
	})
}

func TestUnannotatedOperationsPassUntouched(t *testing.T) {
	memory(t, func(t *testing.T, w *world[*memstore.Tx]) {
		id := w.send(t, call{key: "k"}).member("id")
		got := w.send(t, call{method: http.MethodGet, path: "/payments/" + id})
		assert.Equal(t, http.StatusOK, got.status)
		assert.Equal(t, id, got.member("id"))
		exported := w.send(t, call{method: http.MethodGet, path: "/payments/export"})
		assert.Equal(t, http.StatusOK, exported.status)
		assert.Equal(t, id+" 10.00 EUR\n", exported.body)
	})
}
