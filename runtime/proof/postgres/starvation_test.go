package postgres_test

import (
	"context"
	"fmt"
	"net/http/httptrace"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/shop"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

const (
	stormSize = 64
	slowKey   = "slow"
)

// usage counts how a store is asked for slowKey. A call of Claim holds a connection for as long as it lasts.
type usage struct {
	idem.Store[pgx.Tx]
	mu             sync.Mutex
	calls, at, top int
}

func (u *usage) on(s idem.Store[pgx.Tx]) idem.Store[pgx.Tx] {
	u.Store = s
	return u
}

func (u *usage) add(calls, at int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.calls += calls
	u.at += at
	u.top = max(u.top, u.at)
}

func (u *usage) callCount() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.calls
}

func (u *usage) topCount() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.top
}

// Claim counts calls, and how many there are at once.
func (u *usage) Claim(ctx context.Context, c idem.Claim) (idem.Held[pgx.Tx], idem.Prior, error) {
	if c.Key == slowKey {
		u.add(1, 1)
		defer u.add(0, -1)
	}
	return u.Store.Claim(ctx, c)
}

// slow is a handler that holds slowKey, and with it a connection, until it is let go.
type slow struct {
	running, end  context.Context // done when slowKey runs, and when it may end
	start, finish context.CancelFunc
}

func newSlow() (s slow) {
	s.running, s.start = context.WithCancel(context.Background())
	s.end, s.finish = context.WithCancel(context.Background())
	return s
}

func (s slow) place(ctx context.Context, ex *idem.Execution[pgx.Tx], cmd shop.Command) (idem.Response, error) {
	if ex.Key() == slowKey {
		s.start()
		<-s.end.Done()
	}
	return place(ctx, ex, cmd)
}

// begin sends the first request of slowKey and returns when its handler runs. What it gives ends it and checks its answer.
func (s slow) begin(t *testing.T, p process, op *idem.Operation) (end func()) {
	t.Helper()
	t.Cleanup(s.finish) // else a failed test would wait for it for ever
	done := make(chan shop.Answer, 1)
	go func() {
		a, err := p.client.Send(context.Background(), orderOf(op, slowKey, "first"))
		assert.NoError(t, err)
		done <- a
	}()
	<-s.running.Done()
	return func() {
		s.finish()
		assert.Equal(t, 201, (<-done).Status)
	}
}

func orderOf(op *idem.Operation, key, call string) shop.Order {
	return shop.Order{Path: op.Path, Key: key, Command: shop.Command{Amount: "10", Call: call}}
}

// A storm of duplicates of a slow request takes no connection: with one that the slow request holds and one more, unrelated
// requests all come through. A storm that held connections would need 65.
func TestDuplicatesTakeNoConnection(t *testing.T) {
	cfg := migrated(t, pgtest.Config(t))
	cfg.MaxConns = 2
	op := shop.Operation("order", nil)
	u, s := &usage{}, newSlow()
	p := serve(t, cfg, op, s.place, u.on)
	end := s.begin(t, p, op)

	refused := duringStorm(t, p, op, func() { sendUnrelated(t, p, op) })
	assert.Equal(t, 1, u.callCount(), "claims of the slow key")
	assert.GreaterOrEqual(t, refused, stormSize)
	end()
	assert.Equal(t, 1, effects(t, p.pool, slowKey))
}

// At a process that does not run the slow request itself the storm takes one connection at a time, for one lock timeout.
func TestDuplicatesAtAnotherProcessTakeOneConnection(t *testing.T) {
	cfg := migrated(t, pgtest.Config(t))
	cfg.MaxConns = 2
	op := shop.Operation("order", nil)
	u, s := &usage{}, newSlow()
	holder, other := serve(t, cfg, op, s.place, nil), serve(t, cfg, op, s.place, u.on)
	end := s.begin(t, holder, op)

	refused := duringStorm(t, other, op, func() { sendUnrelated(t, other, op) })
	assert.Equal(t, 1, u.topCount(), "claims of the slow key at once")
	assert.GreaterOrEqual(t, refused, stormSize)
	end()
	assert.Equal(t, 1, effects(t, holder.pool, slowKey))
}

// Duplicates that wait for the outcome hold no connection while they do, here and at another process; afterwards all have the same
// answer.
func TestWaitingDuplicatesTakeNoConnection(t *testing.T) {
	for name, elsewhere := range map[string]bool{"in one process": false, "at another process": true} {
		t.Run(name, func(t *testing.T) {
			cfg := migrated(t, pgtest.Config(t))
			cfg.MaxConns = 2
			op := shop.Operation("order", func(op *idem.Operation) { op.Wait = time.Minute })
			u, s := &usage{}, newSlow()
			holder := serve(t, cfg, op, s.place, u.on)
			other := holder
			if elsewhere {
				u = &usage{}
				other = serve(t, cfg, op, s.place, u.on)
			}
			end := s.begin(t, holder, op)

			answers := waitForOutcome(t, other, op)
			sendUnrelated(t, other, op)
			if !elsewhere {
				assert.Equal(t, 1, u.callCount(), "claims of the slow key while its duplicates wait")
			}
			assert.LessOrEqual(t, u.topCount(), 1, "claims of the slow key at once")
			end()
			receipts := map[shop.Receipt]int{}
			for a := range answers {
				assert.Equal(t, 201, a.Status, "%s", a.Body)
				assert.True(t, a.Replayed)
				receipts[a.Receipt]++
			}
			assert.Len(t, receipts, 1)
			assert.Equal(t, 1, effects(t, holder.pool, slowKey))
		})
	}
}

// waitForOutcome sends a storm of duplicates that wait, and gives their answers once all are there. It returns when every one was
// sent.
func waitForOutcome(t *testing.T, p process, op *idem.Operation) <-chan shop.Answer {
	t.Helper()
	answers := make(chan shop.Answer, stormSize)
	var sent, all sync.WaitGroup
	for i := range stormSize {
		sent.Add(1)
		all.Go(func() {
			ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent.Done() }})
			a, err := p.client.Send(ctx, orderOf(op, slowKey, fmt.Sprint(i)))
			if assert.NoError(t, err) {
				answers <- a
			}
		})
	}
	sent.Wait()
	go func() {
		all.Wait()
		close(answers)
	}()
	return answers
}

// duringStorm runs do while a storm of duplicates of slowKey goes on, each of which must be refused, and says how many there
// were. Every client of the storm has had an answer before do runs.
func duringStorm(t *testing.T, p process, op *idem.Operation, do func()) (refused int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var counts [stormSize]int
	var once, all sync.WaitGroup
	stop := make(chan struct{})
	for i := range stormSize {
		once.Add(1)
		all.Go(func() {
			counts[i] = repeat(ctx, t, p, orderOf(op, slowKey, fmt.Sprint(i)), once.Done, stop)
		})
	}
	once.Wait()
	do()
	close(stop)
	all.Wait()
	for _, n := range counts {
		refused += n
	}
	return refused
}

// repeat sends a duplicate again and again until stop.
func repeat(ctx context.Context, t *testing.T, p process, o shop.Order, first func(), stop <-chan struct{}) (refused int) {
	for {
		a, err := p.client.Send(ctx, o)
		if refused++; refused == 1 {
			first()
		}
		if !assert.NoError(t, err) || !assert.Equal(t, idem.CodeInFlight, a.Code, "%s", a.Body) {
			return refused
		}
		select {
		case <-stop:
			return refused
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// sendUnrelated sends requests with keys of their own from four clients.
func sendUnrelated(t *testing.T, p process, op *idem.Operation) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var all sync.WaitGroup
	for client := range 4 {
		all.Go(func() {
			for i := range 50 {
				key := fmt.Sprintf("%d-%d", client, i)
				a, err := p.client.Send(ctx, orderOf(op, key, key))
				if !assert.NoError(t, err) || !assert.Equal(t, 201, a.Status, "%s", a.Body) {
					return
				}
			}
		})
	}
	all.Wait()
}
