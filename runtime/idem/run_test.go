package idem_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestLeasedOperationNeedsRun(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	h := f.serves(t, f.charge(new(int)), nil)
	require.Equal(t, 201, send(h, call{}).status)
	f.end()
	for _, c := range []call{{}, {key: "key-2"}} { // a replay as well: the program is wrong, and should show it
		a := send(h, c)
		assert.Equal(t, 500, a.status)
		assert.Equal(t, idem.CodeNotBound, a.code())
		require.ErrorContains(t, f.events.last().Err, "go engine.Run(ctx)", "the reason is for the log")
		assert.NotContains(t, a.body, "Run")
	}
	again := run(t, f.engine)
	require.Eventually(t, func() bool { return send(h, call{}).replayed() }, 20*time.Second, time.Millisecond, "Run can run again")
	again()
}

func TestRequestWaitsForRunToBegin(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	f.engine = newEngine(t, f.fixture, idem.Options{Observer: f.events})
	idem.SetStartPatience(f.engine, time.Minute)
	h := f.serves(t, f.charge(new(int)), nil)
	done := make(chan answer)
	go func() { done <- send(h, call{}) }()
	time.Sleep(10 * time.Millisecond)
	run(t, f.engine)
	assert.Equal(t, 201, (<-done).status)

	f.engine = newEngine(t, f.fixture, idem.Options{})
	idem.SetStartPatience(f.engine, 10*time.Millisecond)
	assert.Equal(t, idem.CodeNotBound, send(f.serves(t, f.charge(new(int)), nil), call{}).code())
}

func TestRunRunsOnce(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	require.Equal(t, 201, send(f.serves(t, f.charge(new(int)), nil), call{}).status)
	assert.ErrorContains(t, f.engine.Run(t.Context()), "runs already")
}

// TestRunEndsCleanly ends Run in the middle of a lease, a recovery and a sweep: what is under way ends by itself, nothing new begins,
// and no goroutine is left.
func TestRunEndsCleanly(t *testing.T) {
	before := runtime.NumGoroutine()
	f := newLeasedFixture(t, idem.Recover, quick(900*time.Millisecond), withWorker, func(_ *fixture, o *idem.Options) { o.Sweep = 2 * time.Millisecond })
	recovering, recovers, handling, goOn := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	f.store = f.tapped().LeaseStore.(*memstore.Store) // crash wants the bare one
	f.crash(t, call{}, f.stepping)
	h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		if l.Key() == "key-2" {
			close(handling)
			<-goOn
		}
		return created(1), ctx.Err()
	}, func(ctx context.Context, l *lease, _ paymentCommand, _ idem.Prior) (idem.Response, error) {
		close(recovering)
		<-recovers
		return created(l.Attempt()), ctx.Err()
	})
	<-recovering
	done := make(chan answer)
	go func() { done <- send(h, call{key: "key-2"}) }()
	<-handling

	ended := make(chan struct{})
	go func() { f.end(); close(ended) }()
	require.Eventually(t, func() bool { return send(h, call{key: "key-3"}).code() == idem.CodeTryAgain }, 20*time.Second, time.Millisecond)
	time.Sleep(f.op.Lease * 5 / 4) // longer than a lease: both are still kept alive
	close(recovers)
	require.Eventually(t, func() bool { return f.state(t, "key-1").State == idem.StateCompleted }, 20*time.Second, time.Millisecond, "the recovery goes on to its end")
	time.Sleep(f.op.Lease / 2)
	select {
	case <-ended:
		t.Error("Run ended before what it keeps alive")
	default:
	}
	close(goOn)
	assert.Equal(t, 201, (<-done).status)
	<-ended
	assert.Equal(t, idem.StateCompleted, f.state(t, "key-2").State)
	requireNoMoreGoroutines(t, before)
}

func requireNoMoreGoroutines(t *testing.T, than int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= than {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("a goroutine is left:\n%s", stacks[:runtime.Stack(stacks, true)])
}

// Run gives back nothing that still runs: what a store does not interrupt is waited for.
func TestRunWaitsForEverythingThatItStarted(t *testing.T) {
	cases := map[string]func(f *leasedFixture, t *testing.T){
		"sweep":  nil,
		"due":    func(f *leasedFixture, t *testing.T) { f.serves(t, mustNotRun(t), f.rescue(t)) },
		"extend": func(f *leasedFixture, t *testing.T) { f.serves(t, mustNotRun(t), f.rescue(t)) },
	}
	for call, prepare := range cases {
		t.Run(call, func(t *testing.T) {
			f := newLeasedFixture(t, idem.Recover, quick(60*time.Millisecond), withWorker, func(_ *fixture, o *idem.Options) { o.Sweep = 2 * time.Millisecond })
			within, goOn := make(chan struct{}), make(chan struct{})
			once := sync.OnceFunc(func() { close(within) })
			f.tapped().set(func(name string, _ int) error {
				if name == call {
					once()
					<-goOn
				}
				return nil
			}, nil)
			if prepare != nil {
				prepare(f, t)
			}
			if call == "extend" {
				l, a := f.engine.BeginLeased(withTenant(t.Context(), "acme"), f.op, usualRequest())
				require.Nil(t, a)
				<-within
				f.engine.FinishLeased(t.Context(), l, idem.Outcome{Response: idem.Response{Status: 201}})
			}
			<-within
			ended := make(chan struct{})
			go func() { f.end(); close(ended) }()
			select {
			case <-ended:
				t.Error("Run ended before what it started")
			case <-time.After(50 * time.Millisecond):
			}
			close(goOn)
			<-ended
		})
	}
}

// usualRequest is the request of the tests, for the core.
func usualRequest() *canon.Request {
	return &canon.Request{Body: []byte(tenPayment), ContentType: "application/json", Header: http.Header{"Idempotency-Key": {"key-1"}}, Path: []string{"acc_1"}}
}

func TestRunReportsAPanicBeforeItEnds(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover, withWorker, func(f *fixture, o *idem.Options) {
		o.Observer = observing(func(e idem.Event) {
			if e.Kind == idem.EventRunFailed {
				time.Sleep(50 * time.Millisecond)
			}
			f.events.Observe(context.Background(), e)
		})
	})
	f.crash(t, call{}, f.stepping)
	panics := make(chan struct{})
	f.serves(t, mustNotRun(t), func(context.Context, *lease, paymentCommand, idem.Prior) (idem.Response, error) {
		defer close(panics)
		panic("boom")
	})
	<-panics
	f.end()
	last := f.events.last()
	assert.Equal(t, idem.EventRunFailed, last.Kind)
	assert.ErrorContains(t, last.Err, "boom")
	assert.ErrorContains(t, last.Err, "run_test.go", "with its stack")
	assert.Equal(t, "createPayment", last.Operation)
}

func TestRunWithoutLeasesSweeps(t *testing.T) {
	now := newClock()
	store := tap(memstore.New(memstore.WithClock(now.get)))
	f := newFixture(t, func(f *fixture, o *idem.Options) { f.store, o.Sweep = store, time.Millisecond })
	require.Equal(t, 201, send(f.handler(f.pay(new(int))), call{}).status)
	require.Equal(t, 201, send(f.handler(f.pay(new(int))), call{key: "key-2"}).status)
	end := run(t, f.engine)
	require.Eventually(t, func() bool { return store.count("sweep") > 2 }, 20*time.Second, time.Millisecond)
	assert.NotContains(t, f.events.kinds(), idem.EventSwept, "nothing had expired")
	now.advance(f.op.Retention)
	require.Eventually(t, func() bool { return f.events.last().Kind == idem.EventSwept }, 20*time.Second, time.Millisecond)
	end()
	assert.Equal(t, 2, f.events.last().Count)
	assert.Zero(t, f.events.last().Duration)
}

func TestSweepGoesOnBatchByBatch(t *testing.T) {
	store := &batches{Store: memstore.New()}
	f := newFixture(t, func(f *fixture, o *idem.Options) { f.store, o.Sweep = store, time.Millisecond })
	store.left = 2500
	end := run(t, f.engine)
	require.Eventually(t, func() bool { return f.events.last().Kind == idem.EventSwept }, 20*time.Second, time.Millisecond)
	end()
	assert.Equal(t, 2500, f.events.last().Count)
}

// batches is a sweeper that has much to do.
type batches struct {
	idem.Store[*memstore.Tx]

	mu   sync.Mutex
	left int
}

func (s *batches) Sweep(_ context.Context, limit int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(limit, s.left)
	s.left -= n
	return n, nil
}

func TestRunReportsWhatItCouldNotDo(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover, quick(time.Minute), withWorker, func(_ *fixture, o *idem.Options) { o.Sweep = time.Millisecond })
	f.serves(t, mustNotRun(t), f.rescue(t))
	down := errors.New("connection refused")
	for call, what := range map[string]string{"due": "take over what is due", "sweep": "sweep"} {
		f.tapped().failing(call, down)
		require.Eventually(t, func() bool { e := f.events.last(); return e.Err != nil && strings.Contains(e.Err.Error(), what) }, 20*time.Second, time.Millisecond)
		e := f.events.last()
		assert.Equal(t, idem.EventRunFailed, e.Kind)
		require.ErrorIs(t, e.Err, down)
		f.tapped().set(nil, nil)
		f.events.mu.Lock()
		f.events.all = nil
		f.events.mu.Unlock()
	}
}

func TestSlogObserverOfRun(t *testing.T) {
	var text strings.Builder
	o := idem.SlogObserver(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})))
	o.Observe(t.Context(), idem.Event{Kind: idem.EventSwept, Count: 7})
	o.Observe(t.Context(), idem.Event{Kind: idem.EventNotExtended, Count: 2, Err: errAttempt})
	o.Observe(t.Context(), idem.Event{Kind: idem.EventGaveUp, Operation: "createPayment", Attempt: 5})
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	assert.Contains(t, lines[0], `level=DEBUG msg="idempotency: swept" count=7`)
	assert.Contains(t, lines[1], `level=WARN msg="idempotency: not extended" count=2 error="attempt ended"`)
	assert.NotContains(t, lines[1], "operation=")
	assert.Contains(t, lines[2], `level=WARN msg="idempotency: gave up" operation=createPayment`)
}

// The worker takes no more than it can start at once: what it takes must not wait until its lease is over.
func TestWorkerTakesOnlyWhatItCanStart(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover, withWorker)
	leases := f.store.(*memstore.Store)
	request := f.storedCommand(t)
	for i := range 10 {
		_, err := leases.ClaimLease(t.Context(), idem.Claim{Scope: `["acme"]`, Keyspace: f.op.Keyspace, Key: fmt.Sprint("key-", i), Operation: f.op.Name,
			Token: idem.NewUUID(), RecordID: idem.NewUUID(), Retention: time.Hour, Lease: time.Minute, Request: request})
		require.NoError(t, err)
	}
	f.clock.advance(time.Minute)
	var mu sync.Mutex
	running, most := 0, 0
	goOn := make(chan struct{})
	f.serves(t, mustNotRun(t), func(context.Context, *lease, paymentCommand, idem.Prior) (idem.Response, error) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		<-goOn
		mu.Lock()
		running--
		mu.Unlock()
		return created(1), nil
	})
	reached := func(n int) func() bool {
		return func() bool { mu.Lock(); defer mu.Unlock(); return running == n }
	}
	require.Eventually(t, reached(4), 20*time.Second, time.Millisecond)
	time.Sleep(20 * time.Millisecond)
	taken := 0
	for i := range 10 {
		taken += f.state(t, fmt.Sprint("key-", i)).Attempt - 1
	}
	assert.Equal(t, 4, taken)
	close(goOn)
	require.Eventually(t, func() bool {
		for i := range 10 {
			if f.state(t, fmt.Sprint("key-", i)).State != idem.StateCompleted {
				return false
			}
		}
		return true
	}, 20*time.Second, time.Millisecond)
	assert.Equal(t, 4, most)
}

// storedCommand is what the engine stores for the usual request.
func (f *leasedFixture) storedCommand(t *testing.T) []byte {
	t.Helper()
	store := tap(memstore.New())
	other := &leasedFixture{fixture: &fixture{store: store, op: chargeCard(idem.Recover), ledger: &ledger{}, events: &events{}}, psp: f.psp}
	other.engine = newEngine(t, other.fixture, idem.Options{Recover: -1})
	run(t, other.engine)
	require.Equal(t, 201, send(other.serves(t, other.charge(new(int)), nil), call{}).status)
	return store.claims[0].Request
}
