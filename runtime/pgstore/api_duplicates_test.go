package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// programs are n engines with pools of their own on one database.
func programs(t *testing.T, b *bench, n int, conns int32, op *idem.Operation, h apiHandler) (handlers []http.Handler, pools []*pgxpool.Pool) {
	t.Helper()
	for range n {
		cfg := b.pool.Config()
		cfg.MaxConns = conns
		pool, err := pgxpool.NewWithConfig(b.ctx, cfg)
		require.NoError(t, err)
		t.Cleanup(pool.Close)
		a := &api{b: b, op: op}
		handlers = append(handlers, serving(a.another(t, pgstore.New(pool), idem.Options{}), op, h))
		pools = append(pools, pool)
	}
	return handlers, pools
}

// Whatever the isolation level, and whether duplicates meet in one process or in several: one effect, one answer, and nobody is
// told that the store failed.
func TestSimultaneousDuplicatesThroughTheEngine(t *testing.T) {
	for _, level := range []string{"read committed", "repeatable read", "serializable"} {
		for _, n := range []int{2, 8, 64} {
			for _, wait := range []time.Duration{0, 20 * time.Second} {
				t.Run(fmt.Sprint(level, ", ", n, ", ", wait), func(t *testing.T) {
					b := newBench(t, isolated(level))
					op := payOperation()
					op.Wait = wait
					slow := func(ctx ctx, ex *apiExecution) (idem.Response, error) {
						time.Sleep(5 * time.Millisecond)
						return paying(ctx, ex)
					}
					handlers, _ := programs(t, b, 2, 8, op, slow)
					for round := range 3 {
						key := fmt.Sprint("k", round)
						replies := make([]reply, n)
						start := make(chan struct{})
						var all sync.WaitGroup
						for i := range n {
							all.Go(func() {
								<-start
								replies[i] = ask(handlers[i%2], key)
							})
						}
						close(start)
						all.Wait()
						firsts, body := 0, ask(handlers[0], key).body
						for _, r := range replies {
							switch {
							case r.status == 409 && wait == 0:
								assert.Equal(t, idem.CodeInFlight, r.code())
							case assert.Equal(t, 201, r.status, r.body):
								assert.Equal(t, body, r.body)
								if !r.replayed {
									firsts++
								}
							}
						}
						assert.Equal(t, 1, firsts)
						assert.Equal(t, 1, b.count(key))
					}
				})
			}
		}
	}
}

// A holder needs one connection and no second one, also to be told in flight, to replay and to wait.
func TestPoolOfOneConnection(t *testing.T) {
	b := newBench(t, nil)
	op := payOperation()
	op.Wait = 20 * time.Second
	var runs atomic.Int32
	handlers, pools := programs(t, b, 2, 1, op, func(ctx ctx, ex *apiExecution) (idem.Response, error) {
		time.Sleep(50 * time.Millisecond)
		if runs.Add(1) == 1 {
			return idem.Response{}, errors.New("failed")
		}
		return paying(ctx, ex)
	})
	var all sync.WaitGroup
	var failures atomic.Int32
	for i := range 32 {
		all.Go(func() {
			if r := ask(handlers[i%2], "k"); r.status == 500 {
				failures.Add(1)
			} else {
				assert.Equal(t, 201, r.status, r.body)
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, failures.Load())
	assert.EqualValues(t, 2, runs.Load())
	assert.Equal(t, 1, b.count("k"))
	for _, pool := range pools {
		assert.LessOrEqual(t, pool.Stat().TotalConns(), int32(1))
	}
}

// Many wait for one slow key, here and in another process: no connection is held for them, and other keys are served as if they
// were not there.
func TestThoseThatWaitHoldNoConnection(t *testing.T) {
	b := newBench(t, nil)
	op := payOperation()
	op.Wait = 20 * time.Second
	begun, end := make(chan struct{}), make(chan struct{})
	handlers, pools := programs(t, b, 2, 2, op, func(ctx ctx, ex *apiExecution) (idem.Response, error) {
		if ex.Key() == "slow" {
			close(begun)
			<-end
		}
		return paying(ctx, ex)
	})
	first := make(chan reply, 1)
	go func() { first <- ask(handlers[0], "slow") }()
	<-begun
	const n = 64
	replies := make(chan reply, 2*n)
	for i := range 2 * n {
		go func() { replies <- ask(handlers[i%2], "slow") }()
	}
	time.Sleep(100 * time.Millisecond) // for all of them to wait
	held := 0
	for i := range 50 {
		start := time.Now()
		require.Equal(t, 201, ask(handlers[i%2], fmt.Sprint("other-", i)).status)
		assert.Less(t, time.Since(start), 5*time.Second)
		if pools[1].Stat().AcquiredConns() > 0 {
			held++ // the one that asks for all
		}
	}
	assert.LessOrEqual(t, pools[0].Stat().AcquiredConns(), int32(1), "the holder's")
	assert.Less(t, held, 50, "with pauses between")
	close(end)
	slow := <-first
	assert.Equal(t, 201, slow.status)
	for range 2 * n {
		r := <-replies
		assert.True(t, r.replayed, r.body)
		assert.Equal(t, slow.body, r.body)
	}
	assert.Equal(t, 1, b.count("slow"))
}

// A timeout handler answers while business code is still at work with savepoints and says that its writes are to be kept: what the
// client was told is what happened.
func TestTimeoutHandlerAgainstSavepoints(t *testing.T) {
	b := newBench(t, nil)
	a := newAPI(t, b, nil)
	business := func(ctx ctx, ex *apiExecution) (idem.Response, error) {
		if err := effects.Write(ctx, ex.Tx(), ex.Key()); err != nil {
			return idem.Response{}, err
		}
		for range 3 {
			nested, err := ex.Tx().Begin(ctx)
			if err != nil {
				return idem.Response{}, err
			}
			if _, err := nested.Exec(ctx, "insert into effects values ('nested')"); err != nil {
				return idem.Response{}, err
			}
			if err := nested.Rollback(ctx); err != nil {
				return idem.Response{}, err
			}
		}
		ex.KeepWrites()
		return idem.Response{Status: 402, Body: []byte("declined")}, nil
	}
	var told, timedOut int
	for i := range 120 {
		key := fmt.Sprint("k", i)
		timeout := time.Duration(i%30) * 200 * time.Microsecond
		h := bound(a, business, func(next http.Handler) http.Handler { return http.TimeoutHandler(next, timeout, "timed out") })
		r := roundTrip(h, request(key, "{}"))
		effects := b.count(key)
		switch r.status {
		case 402:
			told++
			assert.Equal(t, 1, effects)
			again := roundTrip(h, request(key, "{}"))
			assert.Contains(t, []int{402, 503}, again.status) // its timeout may come before the replay
		case 503:
			timedOut++
			assert.Zero(t, effects, "what the client was told did not happen")
			again := roundTrip(bound(a, business), request(key, "{}"))
			for again.status == 409 && b.ctx.Err() == nil { // the server may not have ended the statement that was cut off
				again = roundTrip(bound(a, business), request(key, "{}"))
			}
			assert.Equal(t, 402, again.status, again.body)
			assert.False(t, again.replayed)
			assert.Equal(t, 1, b.count(key))
		default:
			t.Errorf("status %d: %s", r.status, r.body)
		}
	}
	assert.Zero(t, b.count("nested"))
	assert.NotZero(t, told)
	assert.NotZero(t, timedOut)
	b.requireHealthy()
}

// bound serves business code as a framework with its binding does, inside of the middleware and of layers.
func bound(a *api, business apiHandler, layers ...func(http.Handler) http.Handler) http.Handler {
	call := func(ctx context.Context) (response idem.Response, err error) {
		ex, err := idem.Begin[pgxTx](ctx, ctx, a.op)
		if err != nil {
			return response, err
		}
		err = idem.ErrNotReturned
		defer ex.End(&err)
		response, err = business(ctx, ex)
		return response, err
	}
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		response, err := call(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(response.Status)
		_, _ = w.Write(response.Body)
	})
	for _, layer := range layers {
		h = layer(h)
	}
	return a.engine.Middleware(h)
}
