package idem_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func answering(runs *int, status, size int) paymentHandler {
	return func(ctx, *execution, paymentCommand) (idem.Response, error) {
		*runs++
		return idem.Response{
			Status: status,
			Header: http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}, "Location": {"/p/1"}, "X-Other": {"first only"}},
			Body:   []byte(strings.Repeat("x", size)),
		}, nil
	}
}

// An answer that is too large to be kept is an answer all the same: it is told once, and never made again.
func TestResponseOverTheLimitIsATombstone(t *testing.T) {
	const limit = 100
	for _, status := range []int{201, 402} {
		for _, sealed := range []bool{false, true} {
			store := &glass{Store: memstore.New()}
			f := newFixture(t, func(f *fixture, o *idem.Options) {
				f.store, o.MaxResponse = store, limit
				if sealed {
					o.Sealer = sealer(t)
				}
			})
			runs := 0
			h := f.handler(answering(&runs, status, limit+1))
			first := send(h, call{})
			assert.Len(t, first.body, limit+1, "the first client gets it whole")
			assert.Equal(t, "br", first.header.Get("Content-Encoding"))
			assert.Empty(t, first.header.Get("Idempotency-Response"))
			assert.True(t, store.stored.NotKept)
			assert.Empty(t, store.stored.Response.Body)

			for range 2 {
				again := send(h, call{})
				assert.Equal(t, answer{status, http.Header{
					"Content-Type": {"application/json"}, "Location": {"/p/1"},
					"Idempotent-Replayed": {"true"}, "Idempotency-Response": {"not-kept"},
				}, ""}, again)
			}
			assert.Equal(t, idem.EventReplayed, f.events.last().Kind)
			assert.Equal(t, idem.CodeMismatch, send(h, call{body: `{"amount":"11","currency":"EUR"}`}).code())
			assert.Equal(t, 1, runs)
		}
	}
}

func TestResponseAtTheLimitIsKept(t *testing.T) {
	for _, c := range []struct {
		limit   int64 // 0: the default
		size    int
		kept    bool
		because string
	}{
		{100, 100, true, "at the limit"},
		{100, 101, false, "one more"},
		{0, 1 << 20, true, "one mebibyte is the default"},
		{0, 1<<20 + 1, false, "one more than the default"},
	} {
		f := newFixture(t, func(_ *fixture, o *idem.Options) { o.MaxResponse = c.limit })
		runs := 0
		h := f.handler(answering(&runs, 200, c.size))
		assert.Len(t, send(h, call{}).body, c.size)
		again := send(h, call{})
		assert.Equal(t, c.kept, len(again.body) == c.size, c.because)
		assert.Equal(t, !c.kept, again.header.Get("Idempotency-Response") == "not-kept", c.because)
		assert.Equal(t, 1, runs)
	}
}

func TestTombstoneBelowOuterLayersAndInTheMiddleware(t *testing.T) {
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.MaxResponse = 5 })
	runs := 0
	h := f.app(strict, f.payFor(&runs), cors, authenticated)
	first := send(h, call{})
	require.Equal(t, `{"run": 1}`, first.body)
	again := send(h, call{})
	assert.Equal(t, 201, again.status)
	assert.Empty(t, again.body)
	assert.Equal(t, []string{"Idempotent-Replayed", "Idempotency-Response"}, again.header["Access-Control-Expose-Headers"],
		"a browser's script can read both")
	assert.Equal(t, 1, runs)

	none := f.handler(answering(&runs, 204, 100))
	send(none, call{key: "no content"})
	assert.Empty(t, send(none, call{key: "no content"}).header.Get("Idempotency-Response"), "there was none to keep")
}
