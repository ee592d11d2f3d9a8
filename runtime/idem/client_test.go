package idem_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// patientClient sends over one connection after the other, as http.DefaultClient does, and has used the present one before: only then
// does it send again by itself.
func patientClient(t *testing.T, server *httptest.Server) func(ctx context.Context, key string) (answer, error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	do := func(ctx context.Context, key string) (answer, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1/accounts/acc/payments", strings.NewReader(tenPayment))
		require.NoError(t, err)
		r.Header = call{key: key}.request().Header
		response, err := client.Do(r)
		if err != nil {
			return answer{}, err
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		return answer{response.StatusCode, response.Header, string(body)}, err
	}
	warm, err := do(context.Background(), "warm")
	require.NoError(t, err)
	require.Equal(t, 201, warm.status)
	return do
}

// Go's client sends a request with an Idempotency-Key again by itself when the connection is dropped without an answer. A handler that
// panics therefore runs several times for one call; what it wrote is there once.
func TestGoClientSendsAgainByItself(t *testing.T) {
	for _, middleware := range []bool{false, true} {
		f := newFixture(t)
		var runs, drops atomic.Int32
		pay := func(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
			f.ledger.write(ex, ex.Key())
			if ex.Key() == "panics" && runs.Add(1) == 1 {
				panic(http.ErrAbortHandler)
			}
			return idem.Response{Status: 201, Body: []byte("paid")}, nil
		}
		inner := f.handler(pay)
		if middleware {
			inner = f.app(strict, pay, authenticated)
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Idempotency-Key") == "dropped" && drops.Add(1) == 1 {
				inner.ServeHTTP(httptest.NewRecorder(), r) // committed, and the answer is lost
				panic(http.ErrAbortHandler)
			}
			inner.ServeHTTP(w, r)
		}))
		defer server.Close()

		a, err := patientClient(t, server)(t.Context(), "panics")
		require.NoError(t, err)
		assert.Equal(t, 201, a.status)
		assert.False(t, a.replayed())
		assert.EqualValues(t, 2, runs.Load(), "one call, two runs")

		a, err = patientClient(t, server)(t.Context(), "dropped")
		require.NoError(t, err)
		assert.Equal(t, 201, a.status)
		assert.True(t, a.replayed())
		assert.EqualValues(t, 2, drops.Load())
		assert.ElementsMatch(t, []string{"warm", "panics", "dropped"}, f.ledger.all())
	}
}

// A client that goes away at any moment undoes nothing: the next one with its key is given the outcome.
func TestClientThatIsGoneBeforeDuringAndAfter(t *testing.T) {
	for _, middleware := range []bool{false, true} {
		f := newFixture(t)
		hangUp := map[string]context.CancelFunc{}
		var runs atomic.Int32
		pay := func(ctx ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
			runs.Add(1)
			f.ledger.write(ex, ex.Key())
			if cancel := hangUp[ex.Key()]; cancel != nil {
				cancel()
				time.Sleep(20 * time.Millisecond)
				assert.NoError(t, ctx.Err())
			}
			return idem.Response{Status: 201, Body: []byte("paid")}, nil
		}
		h := f.handler(pay)
		if middleware {
			h = f.app(strict, pay, authenticated)
		}
		server := httptest.NewServer(h)
		defer server.Close()
		do := patientClient(t, server)

		during, cancel := context.WithCancel(t.Context())
		hangUp["during"] = cancel
		_, err := do(during, "during")
		require.ErrorIs(t, err, context.Canceled)
		require.Eventually(t, func() bool { return len(f.ledger.all()) == 2 }, 5*time.Second, time.Millisecond)
		again, err := do(t.Context(), "during")
		require.NoError(t, err)
		assert.True(t, again.replayed())
		assert.Equal(t, "paid", again.body)

		before, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = do(before, "before")
		require.Error(t, err)
		fresh, err := do(t.Context(), "before")
		require.NoError(t, err)
		assert.Equal(t, 201, fresh.status)

		after := call{key: "after", path: "/v1/accounts/acc/payments"}.request() // whose answer nobody takes
		h.ServeHTTP(goneWriter{httptest.NewRecorder()}, after)
		again, err = do(t.Context(), "after")
		require.NoError(t, err)
		assert.True(t, again.replayed())
		assert.EqualValues(t, 4, runs.Load())
		assert.Len(t, f.ledger.all(), 4)
	}
}

// goneWriter writes to a connection that is closed.
type goneWriter struct{ *httptest.ResponseRecorder }

func (goneWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A check that depends on what has happened since must not stand between a retry and its answer.
func TestChangedStateDoesNotFailTheReplay(t *testing.T) {
	f := newFixture(t)
	closed := false
	h := f.handler(func(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
		if closed {
			return idem.Response{Status: 422}, nil
		}
		closed = true // the payment empties the account
		f.ledger.write(ex, "paid")
		return idem.Response{Status: 201, Body: []byte("paid")}, nil
	})
	require.Equal(t, 201, send(h, call{}).status)
	assert.Equal(t, 201, send(h, call{}).status)
	assert.Equal(t, 422, send(h, call{key: "another"}).status)
}

// Nor must one that refuses what is old or was seen before, as receivers of signed messages do: a retry is both.
func TestNonceDoesNotFailTheReplay(t *testing.T) {
	seen := func() func(*execution) bool {
		nonces := map[string]bool{}
		return func(ex *execution) bool {
			again := nonces[ex.Key()]
			nonces[ex.Key()] = true
			return again
		}
	}
	t.Run("business code", func(t *testing.T) {
		f := newFixture(t)
		known := seen()
		pay := f.pay(new(int))
		h := f.handler(func(ctx ctx, ex *execution, cmd paymentCommand) (idem.Response, error) {
			if known(ex) {
				return idem.Response{Status: 403}, nil
			}
			return pay(ctx, ex, cmd)
		})
		require.Equal(t, 201, send(h, call{}).status)
		assert.True(t, send(h, call{}).replayed())
		assert.Equal(t, 201, send(h, call{}).status)
	})
	decoding := func() func(*canon.Request) (paymentCommand, error) {
		received := 0
		return func(r *canon.Request) (paymentCommand, error) {
			if received++; received > 1 {
				return paymentCommand{}, &canon.Refusal{Place: "header.Signature", Offset: -1, Reason: "it is too old"}
			}
			return decodePayment(r)
		}
	}
	transactional, leased := newFixture(t), newLeasedFixture(t, idem.Retake)
	for name, h := range map[string]http.Handler{
		"decoding":           idem.Handle(transactional.engine, transactional.op, decoding(), transactional.pay(new(int))),
		"decoding of leased": idem.HandleLeased(leased.engine, leased.op, decoding(), leased.charge(new(int)), nil),
	} {
		t.Run(name, func(t *testing.T) {
			h := authenticated(h)
			require.Equal(t, 201, send(h, call{}).status)
			again := send(h, call{})
			assert.Equal(t, 201, again.status, again.body)
			assert.True(t, again.replayed())
			assert.Equal(t, 400, send(h, call{key: "another"}).status)
		})
	}
}

// What the client would like to have now does not change what was made then.
func TestReplayIsTheStoredRepresentation(t *testing.T) {
	f := newFixture(t)
	h := f.handler(f.pay(new(int)))
	first := send(h, call{header: http.Header{"Accept": {"application/json"}}})
	again := send(h, call{header: http.Header{"Accept": {"application/xml"}, "Accept-Language": {"de"}, "Range": {"bytes=0-1"}}})
	assert.True(t, again.replayed())
	assert.Equal(t, 201, again.status)
	assert.Equal(t, first.body, again.body)
	assert.Equal(t, "application/json", again.header.Get("Content-Type"))
}
