package idem_test

import (
	"context"
	"errors"
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

const long = 30 * time.Second // longer than any test: who waits for it has not been woken up

func waiting(d time.Duration) setting { return func(f *fixture, _ *idem.Options) { f.op.Wait = d } }

// stage is a handler whose runs a test lets end one by one.
type stage struct {
	f       *fixture
	begun   chan int // the number of a run that has begun
	end     chan func(*execution) (idem.Response, error)
	runs    atomic.Int32
	at, max atomic.Int32 // runs at the same time
}

func newStage(f *fixture) *stage {
	return &stage{f: f, begun: make(chan int, 100), end: make(chan func(*execution) (idem.Response, error))}
}

func (s *stage) handle(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
	raise(&s.max, s.at.Add(1))
	defer s.at.Add(-1)
	n := int(s.runs.Add(1))
	s.begun <- n
	s.f.ledger.write(ex, fmt.Sprint("run ", n))
	return (<-s.end)(ex)
}

// raise makes m at least n.
func raise(m *atomic.Int32, n int32) {
	for {
		if old := m.Load(); old >= n || m.CompareAndSwap(old, n) {
			return
		}
	}
}

func made(*execution) (idem.Response, error) {
	return idem.Response{Status: 201, Body: []byte("made")}, nil
}

func fails(*execution) (idem.Response, error) { return idem.Response{}, errors.New("fails") }

// follow sends n calls and gives their answers as they come.
func follow(h http.Handler, n int, c call) <-chan answer {
	answers := make(chan answer, n)
	for range n {
		go func() { answers <- send(h, c) }()
	}
	return answers
}

// soon receives, long before who waits for nothing would have given up.
func soon[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(long / 3):
		require.Fail(t, "nothing came")
	}
	return v
}

// awaitWaiting returns when n requests wait in e.
func awaitWaiting(t *testing.T, e *idem.Engine[*memstore.Tx], n int) {
	t.Helper()
	require.Eventually(t, func() bool { return idem.Waiting(e) == n }, 10*time.Second, time.Millisecond, "%d wait", n)
}

func TestDuplicatesWaitForTheOutcome(t *testing.T) {
	store := &counted{Store: memstore.New()}
	f := newFixture(t, func(f *fixture, _ *idem.Options) { f.store = store }, waiting(long))
	s := newStage(f)
	for name, h := range map[string]http.Handler{
		"handler": f.handler(s.handle), "middleware": f.app(strict, business(s.handle), cors, authenticated),
	} {
		t.Run(name, func(t *testing.T) {
			before := store.claims.Load()
			first := follow(h, 1, call{key: name})
			soon(t, s.begun)
			const n = 64
			answers := follow(h, n, call{key: name})
			awaitWaiting(t, f.engine, n)
			assert.EqualValues(t, 1, store.claims.Load()-before, "who waits holds no connection")
			s.end <- made
			assert.False(t, soon(t, first).replayed())
			for range n {
				a := soon(t, answers)
				assert.True(t, a.replayed(), a.body)
				assert.Equal(t, "made", a.body)
			}
			assert.EqualValues(t, 1+n, store.claims.Load()-before, "each read once")
			awaitWaiting(t, f.engine, 0)
		})
	}
	assert.EqualValues(t, 2, s.runs.Load())
}

func TestDuplicateWaitsNoLongerThanItMay(t *testing.T) {
	f := newFixture(t, waiting(100*time.Millisecond))
	s := newStage(f)
	h := f.handler(s.handle)
	first := follow(h, 1, call{})
	soon(t, s.begun)
	start := time.Now()
	a := send(h, call{})
	assert.Equal(t, 409, a.status)
	assert.Equal(t, idem.CodeInFlight, a.code())
	assert.Equal(t, "1", a.header.Get("Retry-After"))
	assert.GreaterOrEqual(t, time.Since(start), 100*time.Millisecond)
	awaitWaiting(t, f.engine, 0)
	s.end <- made
	assert.Equal(t, 201, soon(t, first).status)
}

// The holder ends without an outcome: exactly one of those that wait takes the key, and the others go on waiting.
func TestOneOfThoseThatWaitTakesTheKey(t *testing.T) {
	store := &counted{Store: memstore.New()}
	f := newFixture(t, func(f *fixture, _ *idem.Options) { f.store = store }, waiting(long))
	s := newStage(f)
	h := f.handler(s.handle)
	const n = 16
	answers := follow(h, n, call{})
	for run := 1; run < n; run++ { // all but the last one fail, each in its turn
		require.Equal(t, run, soon(t, s.begun))
		awaitWaiting(t, f.engine, n-run)
		assert.EqualValues(t, run, store.claims.Load(), "nobody else asks")
		s.end <- fails
		assert.Equal(t, 500, soon(t, answers).status)
	}
	require.Equal(t, n, soon(t, s.begun))
	s.end <- made
	assert.Equal(t, 201, soon(t, answers).status)
	assert.EqualValues(t, 1, s.max.Load(), "never two at a time")
	assert.Equal(t, []string{fmt.Sprint("run ", n)}, f.ledger.all())
}

func TestAnotherRequestWaitsToo(t *testing.T) {
	f := newFixture(t, waiting(long))
	s := newStage(f)
	h := f.handler(s.handle)
	first := follow(h, 1, call{})
	soon(t, s.begun)
	other := follow(h, 1, call{body: `{"amount":"11","currency":"EUR"}`})
	awaitWaiting(t, f.engine, 1) // the holder may still roll back: then this one runs
	s.end <- made
	assert.Equal(t, 201, soon(t, first).status)
	assert.Equal(t, idem.CodeMismatch, soon(t, other).code())
}

func TestClientThatIsGoneWaitsNoLonger(t *testing.T) {
	f := newFixture(t, waiting(long))
	s := newStage(f)
	for name, h := range map[string]http.Handler{
		"handler": f.handler(s.handle), "middleware": f.app(strict, business(s.handle), authenticated),
	} {
		t.Run(name, func(t *testing.T) {
			first := follow(h, 1, call{key: name})
			soon(t, s.begun)
			client, hangUp := context.WithCancel(context.Background())
			gone := follow(h, 1, call{key: name, ctx: client})
			awaitWaiting(t, f.engine, 1)
			hangUp()
			assert.Equal(t, 409, soon(t, gone).status)
			awaitWaiting(t, f.engine, 0)
			s.end <- fails
			soon(t, first)
		})
	}
	assert.EqualValues(t, 2, s.runs.Load(), "nothing runs for a client that is gone")
}

func TestTimeoutHandlerInsideEndsTheWait(t *testing.T) {
	f := newFixture(t, waiting(long))
	s := newStage(f)
	timeout := func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, 50*time.Millisecond, "timed out")
	}
	first := follow(f.app(strict, business(s.handle), authenticated), 1, call{})
	soon(t, s.begun)
	a := send(f.app(strict, business(s.handle), authenticated, timeout), call{})
	assert.Equal(t, 503, a.status)
	assert.Equal(t, "timed out", a.body)
	awaitWaiting(t, f.engine, 0)
	s.end <- made
	assert.Equal(t, 201, soon(t, first).status)
	assert.EqualValues(t, 1, s.runs.Load())
}

func TestNumberOfThoseThatWaitIsBounded(t *testing.T) {
	f := newFixture(t, waiting(long))
	s := newStage(f)
	h := f.handler(s.handle)
	first := follow(h, 1, call{})
	soon(t, s.begun)
	answers := follow(h, idem.MaxWaiting, call{})
	awaitWaiting(t, f.engine, idem.MaxWaiting)
	assert.Equal(t, 409, send(h, call{}).status, "at once")
	s.end <- made
	assert.Equal(t, 201, soon(t, first).status)
	for range idem.MaxWaiting {
		assert.True(t, soon(t, answers).replayed())
	}
	awaitWaiting(t, f.engine, 0)
}

func TestShadowHoldsNobodyUp(t *testing.T) {
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.Shadow = true }, waiting(long))
	s := newStage(f)
	h := f.handler(s.handle)
	answers := follow(h, 2, call{})
	soon(t, s.begun)
	soon(t, s.begun)
	s.end <- made
	s.end <- made
	assert.Equal(t, 201, soon(t, answers).status)
	assert.Equal(t, 201, soon(t, answers).status)
}

// asking is a store that knows how many claims are asked for at the same time.
type asking struct {
	idem.Store[*memstore.Tx]
	claims, at, max atomic.Int32
	fail            atomic.Bool
}

func (s *asking) Claim(ctx context.Context, c idem.Claim) (idem.Held[*memstore.Tx], idem.Prior, error) {
	s.claims.Add(1)
	raise(&s.max, s.at.Add(1))
	defer s.at.Add(-1)
	if s.fail.Load() {
		return nil, idem.Prior{}, idem.ErrStoreUnavailable
	}
	return s.Store.Claim(ctx, c)
}

// twoPrograms gives two engines on one store; what the second one asks is counted.
func twoPrograms(t *testing.T) (here *fixture, s *stage, there http.Handler, engine *idem.Engine[*memstore.Tx], store *asking) {
	t.Helper()
	f := newFixture(t, waiting(long))
	s = newStage(f)
	store = &asking{Store: f.store}
	engine = newEngineOn(t, f, store)
	return f, s, authenticated(idem.Handle(engine, f.op, decodePayment, s.handle)), engine, store
}

func TestWaitingForAnotherProcess(t *testing.T) {
	f, s, there, engine, store := twoPrograms(t)
	first := follow(f.handler(s.handle), 1, call{})
	soon(t, s.begun)
	const n = 16
	answers := follow(there, n, call{})
	awaitWaiting(t, engine, n)
	time.Sleep(500 * time.Millisecond)
	assert.EqualValues(t, 1, store.max.Load(), "one asks for all of them")
	assert.Less(t, store.claims.Load(), int32(20), "with pauses between")
	assert.Greater(t, store.claims.Load(), int32(1))
	s.end <- made
	assert.Equal(t, 201, soon(t, first).status)
	for range n {
		assert.True(t, soon(t, answers).replayed())
	}
	assert.EqualValues(t, 1, s.runs.Load())
}

func TestHolderInAnotherProcessEndsWithoutAnOutcome(t *testing.T) {
	f, s, there, engine, store := twoPrograms(t)
	first := follow(f.handler(s.handle), 1, call{})
	soon(t, s.begun)
	const n = 8
	answers := follow(there, n, call{})
	awaitWaiting(t, engine, n)
	s.end <- fails
	assert.Equal(t, 500, soon(t, first).status)
	require.Equal(t, 2, soon(t, s.begun))
	awaitWaiting(t, engine, n-1)
	asked := store.claims.Load()
	time.Sleep(100 * time.Millisecond)
	assert.Equal(t, asked, store.claims.Load(), "the others wait in the process")
	s.end <- made
	replays := 0
	for range n {
		a := soon(t, answers)
		assert.Equal(t, "made", a.body)
		if a.replayed() {
			replays++
		}
	}
	assert.Equal(t, n-1, replays)
	assert.EqualValues(t, 2, s.runs.Load())
}

func TestWaitingForAnotherProcessEnds(t *testing.T) {
	f, s, there, engine, store := twoPrograms(t)
	first := follow(f.handler(s.handle), 1, call{})
	soon(t, s.begun)

	client, hangUp := context.WithCancel(context.Background())
	gone := follow(there, 1, call{ctx: client})
	awaitWaiting(t, engine, 1)
	hangUp()
	assert.Equal(t, 409, soon(t, gone).status, "with the client")

	waits := follow(there, 1, call{})
	awaitWaiting(t, engine, 1)
	store.fail.Store(true)
	assert.Equal(t, idem.CodeStoreUnavailable, soon(t, waits).code(), "with the store")
	store.fail.Store(false)

	f.op.Wait = 100 * time.Millisecond
	start := time.Now()
	a := send(there, call{})
	assert.Equal(t, 409, a.status, "with its time")
	assert.Equal(t, "1", a.header.Get("Retry-After"))
	assert.GreaterOrEqual(t, time.Since(start), 100*time.Millisecond)
	awaitWaiting(t, engine, 0)

	s.end <- made
	assert.Equal(t, 201, soon(t, first).status)
	assert.True(t, send(there, call{}).replayed())
}

// Whoever asks the store for all has its time over: another one takes that on.
func TestAskingIsHandedOn(t *testing.T) {
	f, s, there, engine, _ := twoPrograms(t)
	first := follow(f.handler(s.handle), 1, call{})
	soon(t, s.begun)
	client, hangUp := context.WithCancel(context.Background())
	asks := follow(there, 1, call{ctx: client})
	awaitWaiting(t, engine, 1)
	waits := follow(there, 1, call{})
	awaitWaiting(t, engine, 2)
	hangUp()
	assert.Equal(t, 409, soon(t, asks).status)
	s.end <- made
	assert.Equal(t, 201, soon(t, first).status)
	assert.True(t, soon(t, waits).replayed())
}

func TestManyThatWaitAtOnceInTwoProcesses(t *testing.T) {
	f := newFixture(t, waiting(long))
	other := newEngineOn(t, f, f.store)
	var runs, at atomic.Int32
	h := func(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
		assert.EqualValues(t, 1, at.Add(1), "one at a time")
		defer at.Add(-1)
		n := runs.Add(1)
		f.ledger.write(ex, "effect")
		time.Sleep(time.Millisecond)
		if n < 5 {
			return idem.Response{}, errors.New("fails")
		}
		return idem.Response{Status: 201, Body: []byte("made")}, nil
	}
	handlers := []http.Handler{f.handler(h), authenticated(idem.Handle(other, f.op, decodePayment, h))}
	var all sync.WaitGroup
	var failures, successes atomic.Int32
	for i := range 64 {
		all.Go(func() {
			switch a := send(handlers[i%2], call{}); a.status {
			case 201:
				successes.Add(1)
			case 500:
				failures.Add(1)
			default:
				t.Errorf("status %d: %s", a.status, a.body)
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 4, failures.Load(), "everybody else waited for the outcome")
	assert.EqualValues(t, 60, successes.Load())
	assert.EqualValues(t, 5, runs.Load())
	assert.Len(t, f.ledger.all(), 1)
}
