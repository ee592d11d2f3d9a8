package ogen

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/examples/payments/provider"
	"github.com/idemgen/idemgen/examples/payments/store"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type answer struct {
	status   int
	replayed bool
	text     string
	body     map[string]any
}

func TestCore(t *testing.T) {
	bank := provider.NewServer()
	bankURL := httptest.NewServer(bank)
	defer bankURL.Close()
	pool := pgtest.Schema(t)
	require.NoError(t, pgstore.Migrate(t.Context(), pool))
	require.NoError(t, store.Migrate(t.Context(), pool))
	handler, engine, err := NewServer(pool, provider.Client{URL: bankURL.URL}, map[string]string{"secret": "alice"})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	var worker sync.WaitGroup
	worker.Go(func() { _ = engine.Run(ctx) })
	server := httptest.NewServer(handler)
	defer func() { server.Close(); stop(); worker.Wait() }()

	send := func(path, token, key, body string) (a answer) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		_ = json.Unmarshal(text, &a.body) // not all answers are JSON
		a.status, a.text, a.replayed = response.StatusCode, string(text), response.Header.Get("Idempotent-Replayed") == "true"
		return a
	}

	created := send("/payments", "secret", "k1", `{"amount": "10.00", "currency": "EUR", "note": "first"}`)
	require.Equal(t, http.StatusCreated, created.status, created.text)
	again := send("/payments", "secret", "k1", `{"currency": "EUR", "amount": "10"}`)
	assert.True(t, again.replayed)
	assert.Equal(t, created.text, again.text)
	assert.Equal(t, http.StatusUnprocessableEntity, send("/payments", "secret", "k1", `{"amount": "11", "currency": "EUR"}`).status)
	assert.Equal(t, http.StatusUnauthorized, send("/payments", "stolen", "k1", `{"currency": "EUR", "amount": "10"}`).status)

	capture := "/payments/" + created.body["id"].(string) + "/capture"
	captured := send(capture, "secret", "c1", "")
	require.Equal(t, http.StatusOK, captured.status, captured.text)
	assert.True(t, send(capture, "secret", "c1", "").replayed)
	assert.True(t, send(capture, "secret", "c2", "").replayed, "another key, and the same payment")
	assert.Equal(t, http.StatusNotFound, send("/payments/none/capture", "secret", "c3", "").status)
	made, asked := bank.Charges()
	assert.Equal(t, 1, made)
	assert.Equal(t, 1, asked)

	event := `{"id": "evt_1", "kind": "charge.refunded", "charge": "` + captured.body["charge"].(string) + `"}`
	assert.Equal(t, http.StatusNoContent, send("/webhooks/provider", "secret", "", event).status)
	assert.True(t, send("/webhooks/provider", "secret", "", event).replayed)
}
