package idem_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// duplicates sends n equal requests at once and checks: one effect, and every answer is the first one's or 409.
func duplicates(t *testing.T, n int, h http.Handler, effects func() []string) {
	t.Helper()
	start := make(chan struct{})
	answers := make([]answer, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			answers[i] = send(h, call{})
		})
	}
	close(start)
	all.Wait()
	firsts := 0
	for _, a := range answers {
		switch a.status {
		case 201:
			assert.Equal(t, `{"run": 1}`, a.body)
			if !a.replayed() {
				firsts++
			}
		case 409:
			assert.Equal(t, idem.CodeInFlight, a.code())
			assert.Equal(t, "1", a.header.Get("Retry-After"))
		default:
			t.Errorf("status %d: %s", a.status, a.body)
		}
	}
	assert.Equal(t, 1, firsts)
	assert.Len(t, effects(), 1)
	assert.True(t, send(h, call{}).replayed())
}

func TestSimultaneousDuplicates(t *testing.T) {
	for _, n := range []int{2, 8, 64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			for range 10 {
				f := newFixture(t)
				runs := 0
				duplicates(t, n, f.handler(f.pay(&runs)), f.ledger.all)
				assert.Equal(t, 1, runs)
			}
		})
	}
}

func TestSimultaneousDuplicatesOfTwoProcesses(t *testing.T) {
	f := newFixture(t)
	other := newEngine(t, f, idem.Options{}) // its own map of running keys, the same store
	runs := 0
	pay := f.pay(&runs)
	one, two := f.handler(pay), authenticated(idem.Handle(other, f.op, decodePayment, pay))
	var turn atomic.Int32
	both := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if turn.Add(1)%2 == 0 {
			one.ServeHTTP(w, r)
			return
		}
		two.ServeHTTP(w, r)
	})
	duplicates(t, 64, both, f.ledger.all)
}

// counted counts the calls of a store.
type counted struct {
	idem.Store[*memstore.Tx]
	claims atomic.Int32
}

func (s *counted) Claim(ctx context.Context, c idem.Claim) (idem.Held[*memstore.Tx], idem.Prior, error) {
	s.claims.Add(1)
	return s.Store.Claim(ctx, c)
}

func TestDuplicateOfARunningRequestDoesNotTouchTheStore(t *testing.T) {
	store := &counted{Store: memstore.New()}
	f := newFixture(t, func(f *fixture, _ *idem.Options) { f.store = store })
	running, finish := make(chan struct{}), make(chan struct{})
	h := f.handler(func(_ ctx, _ *execution, _ paymentCommand) (idem.Response, error) {
		close(running)
		<-finish
		return idem.Response{Status: 201}, nil
	})
	done := make(chan answer)
	go func() { done <- send(h, call{}) }()
	<-running
	start := time.Now()
	for range 3 {
		a := send(h, call{})
		require.Equal(t, 409, a.status)
		assert.Equal(t, "no-store", a.header.Get("Cache-Control"))
		a = send(h, call{body: `{"amount":"11","currency":"EUR"}`})
		require.Equal(t, idem.CodeInFlight, a.code(), "the holder may still roll back: nothing is compared")
	}
	assert.Less(t, time.Since(start), time.Second, "at once")
	assert.EqualValues(t, 1, store.claims.Load())
	assert.Equal(t, idem.EventInFlight, f.events.last().Kind)
	close(finish)
	assert.Equal(t, 201, (<-done).status)
	assert.True(t, send(h, call{}).replayed())
	assert.EqualValues(t, 2, store.claims.Load())
}

func TestSimultaneousReplaysAreAllAnswered(t *testing.T) {
	f := newFixture(t)
	runs := 0
	h := f.handler(f.pay(&runs))
	require.Equal(t, 201, send(h, call{}).status)
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() { assert.True(t, send(h, call{}).replayed()) })
	}
	all.Wait()
}

func TestKeysOfTenantsAndKeyspacesAreApart(t *testing.T) {
	f := newFixture(t)
	runs := 0
	h := f.handler(f.pay(&runs))
	for i, c := range []call{{}, {tenant: "initech"}, {key: "key-2"}} {
		assert.Equal(t, fmt.Sprintf(`{"run": %d}`, i+1), send(h, c).body)
	}
	assert.Equal(t, `{"run": 1}`, send(h, call{key: `"key-1"`}).body, "the quoted spelling is the same key")
	assert.Equal(t, 401, send(h, call{tenant: "revoked"}).status)
}
