package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type answer struct {
	status   int
	body     string
	replayed bool
}

// serve starts the service on a file.
func serve(t *testing.T, file string) func(method, customer, key, body string) answer {
	t.Helper()
	db, err := open(file)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	handler, _, err := newAPI(t.Context(), db)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return func(method, customer, key, body string) answer {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/orders", strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", customer)
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return answer{response.StatusCode, string(text), response.Header.Get("Idempotent-Replayed") == "true"}
	}
}

func TestService(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orders ?#%.db")
	ask := serve(t, file)
	place := func(key, body string) answer { return ask(http.MethodPost, "Bearer ann", key, body) }

	first := place("1", `{"article":"coffee","quantity":2}`)
	assert.Equal(t, answer{status: 201, body: `{"id":1,"article":"coffee","quantity":2}`}, first)
	again := place("1", `{ "quantity": 2, "article": "coffee" }`)
	assert.Equal(t, answer{first.status, first.body, true}, again)
	assert.Equal(t, 422, place("1", `{"article":"coffee","quantity":1}`).status, "another command")
	assert.Equal(t, 400, place("", `{"article":"coffee","quantity":1}`).status, "no key")
	assert.Equal(t, 401, ask(http.MethodPost, "", "1", `{"article":"coffee","quantity":2}`).status, "no replay without a credential")

	refused := answer{status: 422, body: "sold out\n"}
	assert.Equal(t, refused, place("2", `{"article":"coffee","quantity":2}`))
	refused.replayed = true
	assert.Equal(t, refused, place("2", `{"article":"coffee","quantity":2}`), "nothing was ordered, and the retry hears that")

	assert.Equal(t, `[]`, ask(http.MethodGet, "Bearer bob", "", "").body, "keys and orders are the customer's")
	assert.Equal(t, 201, ask(http.MethodPost, "Bearer bob", "1", `{"article":"coffee","quantity":1}`).status)

	restarted := serve(t, file)
	assert.Equal(t, again, restarted(http.MethodPost, "Bearer ann", "1", `{"article":"coffee","quantity":2}`))
	assert.Equal(t, `[{"id":1,"article":"coffee","quantity":2}]`, restarted(http.MethodGet, "Bearer ann", "", "").body)
}

// A burst of retries in two processes places one order; other customers' orders are placed beside it.
func TestServiceUnderABurst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orders.db")
	processes := []func(method, customer, key, body string) answer{serve(t, file), serve(t, file)}
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for i := range 24 {
		all.Go(func() {
			customer := "Bearer ann"
			if i%3 == 0 {
				customer = "Bearer bob"
			}
			a := processes[i%2](http.MethodPost, customer, "1", `{"article":"tea","quantity":1}`)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
		})
	}
	all.Wait()
	for status := range statuses {
		assert.Contains(t, []int{201, 409}, status)
	}
	for _, customer := range []string{"Bearer ann", "Bearer bob"} {
		a := processes[0](http.MethodPost, customer, "1", `{"article":"tea","quantity":1}`)
		assert.Equal(t, 201, a.status)
		assert.True(t, a.replayed)
		assert.Equal(t, "["+a.body+"]", processes[1](http.MethodGet, customer, "", "").body)
	}
}
