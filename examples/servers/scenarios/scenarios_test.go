package scenarios_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scenarios are what every kind of server must do alike, each on a database of its own.
var scenarios = []struct {
	name string
	run  func(*testing.T, *world)
}{
	{"first and retry", func(t *testing.T, w *world) {
		first := w.send(create("10.50"))
		require.Equal(t, http.StatusCreated, first.status, first.body)
		assert.False(t, first.replayed)
		again := w.send(create("10.50").says(` {"currency": "EUR", "amount": "10.5", "accountId": "a1"}`))
		assert.True(t, again.replayed)
		again.replayed = false
		assert.Equal(t, first, again, "status, type and bytes")
		assert.Equal(t, 1, w.effects("createPayment"))
	}},
	{"mismatch", func(t *testing.T, w *world) {
		require.Equal(t, http.StatusCreated, w.send(create("10")).status)
		other := w.send(create("11"))
		assert.Equal(t, http.StatusUnprocessableEntity, other.status)
		assert.Contains(t, other.body, "body.amount")
		assert.Equal(t, 1, w.effects("createPayment"))
	}},
	{"concurrent pair", concurrentPair},
	{"handler error after a write", func(t *testing.T, w *world) {
		w.afterWrites(func(context.Context, string) error { return errors.New("secret") })
		failed := w.send(create("10"))
		assert.Equal(t, http.StatusInternalServerError, failed.status)
		assert.Equal(t, 0, w.effects("createPayment"))
		w.afterWrites(nil)
		second := w.send(create("10"))
		assert.Equal(t, http.StatusCreated, second.status, second.body)
		assert.False(t, second.replayed)
		assert.Equal(t, 1, w.effects("createPayment"))
	}},
	{"panic after a write", func(t *testing.T, w *world) {
		w.afterWrites(func(context.Context, string) error { panic("boom") })
		failed := w.send(create("10"))
		assert.Contains(t, []int{0, http.StatusInternalServerError}, failed.status, "a broken connection, or what a recoverer renders")
		assert.Equal(t, 0, w.effects("createPayment"))
		w.afterWrites(nil)
		second := w.send(create("10"))
		assert.Equal(t, http.StatusCreated, second.status, second.body)
		assert.False(t, second.replayed)
		assert.Equal(t, 1, w.effects("createPayment"))
	}},
	{"malformed, then corrected", func(t *testing.T, w *world) {
		for _, body := range []string{`{"accountId": `, `{"accountId": "a1", "amount": "1", "amount": "9", "currency": "EUR"}`, `[]`} {
			assert.Equal(t, http.StatusBadRequest, w.send(create("10").says(body)).status, body)
		}
		assert.Equal(t, 0, w.effects("createPayment"))
		assert.Equal(t, http.StatusCreated, w.send(create("10")).status)
	}},
	{"another case of a name", func(t *testing.T, w *world) {
		smuggled := w.send(create("10").says(`{"accountId": "a1", "amount": "1", "AMOUNT": "9", "currency": "EUR"}`))
		assert.Equal(t, http.StatusBadRequest, smuggled.status)
		assert.Equal(t, 0, w.effects("createPayment"))
	}},
	{"no key", func(t *testing.T, w *world) {
		assert.Equal(t, http.StatusBadRequest, w.send(create("10").with("")).status)
		assert.Equal(t, 0, w.effects("createPayment"))
	}},
	{"bad credential", func(t *testing.T, w *world) {
		assert.Equal(t, http.StatusUnauthorized, w.send(create("10").from("bad")).status)
		assert.Equal(t, http.StatusCreated, w.send(create("10")).status, "the key is free")
	}},
	{"revoked credential", func(t *testing.T, w *world) {
		require.Equal(t, http.StatusCreated, w.send(create("10")).status)
		w.revoke()
		again := w.send(create("10"))
		assert.Equal(t, http.StatusUnauthorized, again.status)
		assert.False(t, again.replayed)
		assert.NotContains(t, again.body, "a1")
	}},
	{"unannotated route", func(t *testing.T, w *world) {
		var p struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(w.send(create("10")).body), &p))
		for range 2 {
			got := w.send(call{http.MethodGet, "/payments/" + p.ID, "", "key-1", "good"})
			assert.Equal(t, http.StatusOK, got.status, got.body)
			assert.Contains(t, got.body, p.ID)
			assert.False(t, got.replayed)
		}
		assert.Equal(t, http.StatusNotFound, w.send(call{http.MethodGet, "/payments/none", "", "", "good"}).status)
		assert.Equal(t, http.StatusNotFound, w.send(call{http.MethodGet, "/nothing", "", "", "good"}).status)
	}},
	{"stream", stream},
	{"leased", func(t *testing.T, w *world) {
		var p struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(w.send(create("10")).body), &p))
		first := w.send(capture(p.ID, "10"))
		require.Equal(t, http.StatusOK, first.status, first.body)
		again := w.send(capture(p.ID, "10"))
		assert.True(t, again.replayed)
		assert.Equal(t, first.body, again.body)
		assert.Equal(t, http.StatusUnprocessableEntity, w.send(capture(p.ID, "11")).status)
		assert.Equal(t, 1, w.effects("capturePayment"))
	}},
	{"absent is not null", func(t *testing.T, w *world) {
		require.Equal(t, http.StatusOK, w.send(update(`{}`)).status)
		assert.Equal(t, http.StatusUnprocessableEntity, w.send(update(`{"limit": null}`)).status)
		assert.Equal(t, 1, w.effects("updateAccount"))
	}},
	{"webhook with its key in the body", func(t *testing.T, w *world) {
		require.Equal(t, http.StatusNoContent, w.send(event("e1", "paid")).status)
		again := w.send(event("e1", "paid"))
		assert.Equal(t, http.StatusNoContent, again.status)
		assert.True(t, again.replayed)
		assert.Equal(t, http.StatusUnprocessableEntity, w.send(event("e1", "failed")).status)
		assert.Equal(t, http.StatusNoContent, w.send(event("e2", "paid")).status)
		assert.Equal(t, 2, w.effects("receiveEvent"))
	}},
}

// concurrentPair sends the second request while the first one's handler is in the middle of its work.
func concurrentPair(t *testing.T, w *world) {
	wrote, goOn := make(chan struct{}), make(chan struct{})
	w.afterWrites(func(context.Context, string) error { wrote <- struct{}{}; <-goOn; return nil })
	first := make(chan reply, 1)
	go func() { first <- w.send(create("10")) }()
	select {
	case <-wrote:
	case r := <-first:
		require.Fail(t, "the handler did not run", "%+v", r)
	}
	second := w.send(create("10"))
	assert.Equal(t, http.StatusConflict, second.status)
	assert.Equal(t, http.StatusConflict, w.send(create("11")).status, "the first one may still roll back")
	close(goOn)
	w.afterWrites(nil)
	assert.Equal(t, http.StatusCreated, (<-first).status)
	assert.True(t, w.send(create("10")).replayed)
	assert.Equal(t, 1, w.effects("createPayment"))
}

// stream reads a line before the next one is written, so it fails where anything between holds the response back.
func stream(t *testing.T, w *world) {
	for _, key := range []string{"k1", "k2"} {
		require.Equal(t, http.StatusCreated, w.send(create("10").with(key)).status)
	}
	read := make(chan struct{})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	w.afterWrites(func(context.Context, string) error {
		select {
		case <-read:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	response, err := http.DefaultClient.Do(w.request(call{http.MethodGet, "/payments/export", "", "", "good"}).WithContext(ctx))
	require.NoError(t, err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	require.True(t, lines.Scan(), "the first line comes while the second one is not written")
	assert.Contains(t, lines.Text(), "10 EUR")
	close(read)
	assert.True(t, lines.Scan())
	assert.False(t, lines.Scan())
}
