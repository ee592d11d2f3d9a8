package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/examples/payments/provider"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// fixture is the program in this process, with its provider.
type fixture struct {
	t        *testing.T
	url      string
	provider *provider.Server
}

func newFixture(t *testing.T) *fixture {
	p := provider.NewServer()
	bank := httptest.NewServer(p)
	t.Cleanup(func() { bank.CloseClientConnections(); bank.Close() })
	handler, engine, err := newServer(t.Context(), pgtest.Schema(t), bank.URL, []string{"alice", "bob", "provider"})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	var worker sync.WaitGroup
	worker.Go(func() { _ = engine.Run(ctx) })
	server := httptest.NewServer(handler)
	t.Cleanup(func() { server.Close(); stop(); worker.Wait() })
	return &fixture{t, server.URL, p}
}

type answer struct {
	status   int
	replayed bool
	body     map[string]any
}

func (f *fixture) send(method, path, token, key, body string) answer {
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.url+path, strings.NewReader(body))
	require.NoError(f.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(f.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(f.t, err)
	a := answer{status: response.StatusCode, replayed: response.Header.Get("Idempotent-Replayed") == "true"}
	_ = json.Unmarshal(text, &a.body) // not all answers are JSON
	return a
}

// create gives the path of a new payment of alice's.
func (f *fixture) create(key string) string {
	created := f.send(http.MethodPost, "/payments", "alice", key, `{"amount": "12.50", "currency": "EUR", "reference": "order 7"}`)
	require.Equal(f.t, http.StatusCreated, created.status)
	return "/payments/" + created.body["id"].(string)
}

func TestCreateOnce(t *testing.T) {
	f := newFixture(t)
	path := f.create("k1")
	again := f.send(http.MethodPost, "/payments", "alice", "k1", `{"currency": "EUR", "amount": "12.5", "reference": "order 7", "note": "again"}`)
	assert.True(t, again.replayed)
	assert.Equal(t, path, "/payments/"+again.body["id"].(string))
	assert.Equal(t, http.StatusUnprocessableEntity, f.send(http.MethodPost, "/payments", "alice", "k1", `{"amount": "13", "currency": "EUR", "reference": "order 7"}`).status)
	assert.Equal(t, http.StatusCreated, f.send(http.MethodPost, "/payments", "bob", "k1", `{"amount": "13", "currency": "EUR"}`).status, "another merchant's key")
	assert.Equal(t, http.StatusNotFound, f.send(http.MethodGet, path, "bob", "", "").status)
}

func TestCaptureOnce(t *testing.T) {
	f := newFixture(t)
	path := f.create("k1")
	first := f.send(http.MethodPost, path+"/capture", "alice", "c1", "")
	require.Equal(t, http.StatusOK, first.status)
	assert.Equal(t, "captured", first.body["status"])
	again := f.send(http.MethodPost, path+"/capture", "alice", "c1", "")
	assert.True(t, again.replayed)
	assert.Equal(t, first.body, again.body)
	other := f.send(http.MethodPost, path+"/capture", "alice", "c2", "")
	assert.True(t, other.replayed, "another key, and the same payment")
	assert.Equal(t, first.body, other.body)
	assert.Equal(t, http.StatusNotFound, f.send(http.MethodPost, "/payments/none/capture", "alice", "c3", "").status)
	made, asked := f.provider.Charges()
	assert.Equal(t, 1, made)
	assert.Equal(t, 1, asked)
}

// A payment is captured once, whatever keys clients send at the same time.
func TestCaptureOnceWithManyKeys(t *testing.T) {
	f := newFixture(t)
	path := f.create("k1")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			status := f.send(http.MethodPost, path+"/capture", "alice", fmt.Sprint("two-", i), "").status
			assert.Contains(t, []int{http.StatusOK, http.StatusConflict}, status)
		})
	}
	all.Wait()
	made, asked := f.provider.Charges()
	assert.Equal(t, 1, made)
	assert.Equal(t, 1, asked)
	assert.True(t, f.send(http.MethodPost, path+"/capture", "alice", "two-9", "").replayed)
}

// The answer of the provider is lost. The attempt ends with its lease, and the worker completes without a second charge.
func TestCaptureWhoseAnswerIsLost(t *testing.T) {
	f := newFixture(t)
	path := f.create("k1")
	f.provider.DropAnswers(true)
	ctx, hangUp := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, f.url+path+"/capture", http.NoBody)
		r.Header.Set("Authorization", "Bearer alice")
		r.Header.Set("Idempotency-Key", "c1")
		if response, err := http.DefaultClient.Do(r); err == nil {
			_ = response.Body.Close()
		}
	}()
	<-f.provider.Dropped()
	hangUp() // the client gives up; the handler goes on, until the provider's connection breaks
	<-done
	f.provider.DropAnswers(false)
	f.provider.Reset()
	require.Eventually(t, func() bool {
		return f.send(http.MethodGet, path, "alice", "", "").body["status"] == "captured"
	}, time.Minute, 50*time.Millisecond)
	retry := f.send(http.MethodPost, path+"/capture", "alice", "c1", "")
	assert.Equal(t, http.StatusOK, retry.status)
	assert.True(t, retry.replayed)
	made, asked := f.provider.Charges()
	assert.Equal(t, 1, made)
	assert.Equal(t, 1, asked, "it was found, not asked for again")
}

func TestEventOnce(t *testing.T) {
	f := newFixture(t)
	path := f.create("k1")
	charge := f.send(http.MethodPost, path+"/capture", "alice", "c1", "").body["charge"].(string)
	event := `{"id": "evt_1", "kind": "charge.refunded", "charge": "` + charge + `"}`
	assert.Equal(t, http.StatusNoContent, f.send(http.MethodPost, "/webhooks/provider", "provider", "", event).status)
	assert.True(t, f.send(http.MethodPost, "/webhooks/provider", "provider", "", event).replayed)
	assert.Equal(t, "refunded", f.send(http.MethodGet, path, "alice", "", "").body["status"])
	other := strings.Replace(event, charge, "ch_99", 1)
	assert.Equal(t, http.StatusUnprocessableEntity, f.send(http.MethodPost, "/webhooks/provider", "provider", "", other).status, "an id that means something else")
}
