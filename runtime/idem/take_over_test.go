package idem_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// crash runs a handler in a process of its own whose connection to the store is cut when the handler returns, and lets its lease run
// out. The record stays as the process left it.
func (f *leasedFixture) crash(t *testing.T, c call, h leaseHandler) {
	t.Helper()
	f.leave(t, c, h)
	f.clock.advance(f.op.Lease)
}

// leave is crash before the lease has run out.
func (f *leasedFixture) leave(t *testing.T, c call, h leaseHandler) {
	t.Helper()
	store := tap(f.store.(*memstore.Store))
	dying := &leasedFixture{fixture: &fixture{store: store, op: f.op, ledger: f.ledger, events: &events{}}, clock: f.clock, psp: f.psp}
	dying.engine = newEngine(t, dying.fixture, idem.Options{Recover: -1, Sweep: -1, Observer: dying.events})
	end := run(t, dying.engine)
	served := dying.serves(t, func(ctx ctx, l *lease, cmd paymentCommand) (idem.Response, error) {
		_, err := h(ctx, l, cmd)
		store.set(func(string, int) error { return idem.ErrStoreUnavailable }, nil)
		return idem.Response{Status: 201}, errors.Join(err, errAttempt)
	}, nil)
	send(served, c)
	end()
	require.Equal(t, idem.StateInFlight, f.state(t, "key-1").State)
}

// stepping gives up after its first phase.
func (f *leasedFixture) stepping(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
	_, err := f.write(ctx, l, "create")
	f.psp.charge(l.DownstreamKey("psp"))
	return idem.Response{}, err
}

func TestLeaseInFlight(t *testing.T) {
	for _, policy := range policies {
		f := newLeasedFixture(t, policy)
		f.leave(t, call{}, f.stepping)
		h := f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) {
			t.Error("the handler ran")
			return idem.Response{Status: 200}, nil
		}, nil)
		for advance, wait := range map[time.Duration]string{0: "60", 20 * time.Second: "40", 59500 * time.Millisecond: "1"} {
			t.Run(fmt.Sprint(policy, advance), func(t *testing.T) {
				f.clock.advance(advance)
				defer f.clock.advance(-advance)
				a := send(h, call{})
				assert.Equal(t, 409, a.status)
				assert.Equal(t, idem.CodeInFlight, a.code())
				assert.Equal(t, wait, a.header.Get("Retry-After"), "what is left of the lease")
				other := send(h, call{body: `{"amount":"11","currency":"EUR"}`})
				assert.Equal(t, idem.CodeMismatch, other.code(), "its record is committed and can be compared")
				assert.Equal(t, []string{"body.amount"}, fields(other))
			})
		}
	}
}

func TestRetryAfterOfALongLease(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, func(f *fixture, _ *idem.Options) { f.op.Lease = time.Hour })
	f.leave(t, call{}, f.stepping)
	assert.Equal(t, "60", send(f.serves(t, f.charge(new(int)), nil), call{}).header.Get("Retry-After"))
}

func TestRetake(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	f.crash(t, call{}, f.stepping)
	runs := 0
	h := f.serves(t, f.charge(&runs), nil)
	assert.Equal(t, 422, send(h, call{body: `{"amount":"11","currency":"EUR"}`}).status, "another command takes nothing over")
	a := send(h, call{})
	assert.Equal(t, 201, a.status)
	assert.False(t, a.replayed())
	assert.Equal(t, []string{"create", "confirm 10.00"}, f.ledger.all(), "the recorded phase is not repeated")
	charges, calls := f.psp.counts()
	assert.Equal(t, 1, charges, "the other system knows its key")
	assert.Equal(t, 2, calls)
	assert.Contains(t, f.events.kinds(), idem.EventTookOver)
	assert.True(t, send(h, call{}).replayed())
	assert.Equal(t, 1, runs)
}

func TestHold(t *testing.T) {
	f := newLeasedFixture(t, idem.Hold)
	f.crash(t, call{}, f.stepping)
	h := f.serves(t, f.charge(new(int)), nil)
	for range 2 {
		a := send(h, call{})
		assert.Equal(t, 409, a.status)
		assert.Equal(t, idem.CodeOutcomeUnknown, a.code())
		assert.Equal(t, "30", a.header.Get("Retry-After"))
	}
	assert.Equal(t, idem.StateUnknown, f.state(t, "key-1").State)
	assert.Equal(t, []idem.EventKind{idem.EventTookOver, idem.EventGaveUp, idem.EventUnknown}, f.events.kinds())
	assert.Equal(t, []string{"create"}, f.ledger.all())
}

func TestAttemptsAreLimited(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	runs := 0
	h := f.serves(t, func(_ ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		runs++
		assert.Equal(t, runs, l.Attempt())
		return idem.Response{}, errAttempt
	}, nil)
	for range 5 {
		assert.Equal(t, 500, send(h, call{}).status)
	}
	assert.Equal(t, idem.EventGaveUp, f.events.last().Kind)
	assert.Equal(t, idem.CodeOutcomeUnknown, send(h, call{}).code())
	assert.Equal(t, 5, runs)
}

// The last attempt may crash as well: nobody has counted it then.
func TestAttemptsAreLimitedWhenTheyCrash(t *testing.T) {
	for _, policy := range []idem.TakeoverPolicy{idem.Retake, idem.Recover} {
		f := newLeasedFixture(t, policy, func(f *fixture, _ *idem.Options) { f.op.Attempts = 1 })
		f.crash(t, call{}, f.stepping)
		h := f.serves(t, f.charge(new(int)), nil)
		assert.Equal(t, idem.CodeOutcomeUnknown, send(h, call{}).code())
		assert.Equal(t, idem.StateUnknown, f.state(t, "key-1").State)
		charges, calls := f.psp.counts()
		assert.Equal(t, []int{1, 1}, []int{charges, calls})
	}
}

func TestMalformedRetryTakesNothingOver(t *testing.T) {
	want := map[idem.TakeoverPolicy]int{idem.Recover: 409, idem.Hold: 409, idem.Retake: 400}
	for policy, status := range want {
		f := newLeasedFixture(t, policy, func(f *fixture, _ *idem.Options) { f.op.Versions = []idem.Version{paymentV1} })
		f.crash(t, call{}, f.stepping)
		f.op.Versions = []idem.Version{paymentV2, paymentV1}
		f.engine = newEngine(t, f.fixture, idem.Options{Recover: -1})
		run(t, f.engine)
		h := f.serves(t, f.charge(new(int)), nil)
		a := send(h, call{body: `{"amount":"10","currency":"EUR","extra":1}`}) // version 2 refuses it, and version 1 knows it
		assert.Equal(t, status, a.status)
		assert.Equal(t, 1, f.state(t, "key-1").Attempt)
	}
}

func TestSimultaneousLeasedDuplicates(t *testing.T) {
	for _, n := range []int{2, 8, 64} {
		for _, processes := range []int{1, 2} {
			t.Run(fmt.Sprint(n, processes), func(t *testing.T) {
				f := newLeasedFixture(t, idem.Retake)
				runs := 0
				handlers := []http.Handler{f.serves(t, f.charge(&runs), nil)}
				if processes == 2 {
					other := &leasedFixture{fixture: &fixture{store: f.store, op: f.op, ledger: f.ledger, events: &events{}}, psp: f.psp}
					other.engine = newEngine(t, other.fixture, idem.Options{Recover: -1, Sweep: -1})
					run(t, other.engine)
					handlers = append(handlers, other.serves(t, f.charge(&runs), nil))
				}
				leasedDuplicates(t, n, handlers)
				assert.Equal(t, []string{"create", "confirm 10.00"}, f.ledger.all())
				assert.Equal(t, 1, runs)
			})
		}
	}
}

// leasedDuplicates sends n equal requests at once: one answer, and every other one is its replay or 409.
func leasedDuplicates(t *testing.T, n int, handlers []http.Handler) {
	t.Helper()
	start := make(chan struct{})
	answers := make([]answer, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			answers[i] = send(handlers[i%len(handlers)], call{})
		})
	}
	close(start)
	all.Wait()
	firsts := 0
	for _, a := range answers {
		switch {
		case a.status == 201 && !a.replayed():
			firsts++
			assert.Equal(t, `{"run": 1}`, a.body)
		case a.status == 201:
			assert.Equal(t, `{"run": 1}`, a.body)
		default:
			assert.Equal(t, idem.CodeInFlight, a.code())
			assert.NotEmpty(t, a.header.Get("Retry-After"))
		}
	}
	assert.Equal(t, 1, firsts)
}

func TestSimultaneousTakeoversHaveOneWinner(t *testing.T) {
	for range 20 {
		f := newLeasedFixture(t, idem.Retake)
		f.crash(t, call{}, f.stepping)
		runs := 0
		var handlers []http.Handler
		for range 4 {
			other := &leasedFixture{fixture: &fixture{store: f.store, op: f.op, ledger: f.ledger, events: &events{}}, psp: f.psp}
			other.engine = newEngine(t, other.fixture, idem.Options{Recover: -1, Sweep: -1})
			run(t, other.engine)
			handlers = append(handlers, other.serves(t, f.charge(&runs), nil))
		}
		leasedDuplicates(t, 16, handlers)
		assert.Equal(t, []string{"create", "confirm 10.00"}, f.ledger.all())
		assert.Equal(t, 2, f.state(t, "key-1").Attempt)
	}
}

func TestLeasedDuplicateInThisProcessDoesNotTouchTheStore(t *testing.T) {
	var store *tapped
	f := newLeasedFixture(t, idem.Retake, func(f *fixture, _ *idem.Options) {
		store = tap(f.store.(*memstore.Store))
		f.store = store
	})
	running, finish := make(chan struct{}), make(chan struct{})
	h := f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) {
		close(running)
		<-finish
		return created(1), nil
	}, nil)
	done := make(chan answer)
	go func() { done <- send(h, call{}) }()
	<-running
	a := send(h, call{})
	assert.Equal(t, idem.CodeInFlight, a.code())
	assert.Equal(t, "60", a.header.Get("Retry-After"))
	a = send(h, call{body: `{"amount":"11","currency":"EUR"}`})
	assert.Equal(t, idem.CodeMismatch, a.code())
	assert.Equal(t, []string{"body.amount"}, fields(a))
	assert.Equal(t, 1, store.count("claim"))
	close(finish)
	require.Equal(t, 201, (<-done).status)
}

func TestSimultaneousDuplicatesOfAKeyThatRunsElsewhereAskOnce(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	f.leave(t, call{}, f.stepping)
	f.store = tap(f.store.(*memstore.Store))
	f.engine = newEngine(t, f.fixture, idem.Options{Recover: -1})
	run(t, f.engine)
	h := f.serves(t, mustNotRun(t), nil)
	asking, answer := make(chan struct{}), make(chan struct{})
	f.tapped().set(func(call string, n int) error {
		if call == "claim" && n == 1 {
			close(asking)
			<-answer
		}
		return nil
	}, nil)
	codes := make(chan idem.Code)
	ask := func(body string) { codes <- send(h, call{body: body}).code() }
	go ask("")
	<-asking
	go ask("")
	go ask(`{"amount":"11","currency":"EUR"}`)
	time.Sleep(30 * time.Millisecond)
	close(answer)
	assert.ElementsMatch(t, []idem.Code{idem.CodeInFlight, idem.CodeInFlight, idem.CodeMismatch}, []idem.Code{<-codes, <-codes, <-codes})
	assert.Equal(t, 1, f.tapped().count("claim"))
}

// A transactional row that is not committed shows nothing of itself: whose key it is cannot be said yet.
func TestLeasedRequestMeetsATransactionInItsKeyspace(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	held, _, err := f.store.Claim(t.Context(), idem.Claim{Scope: `["acme"]`, Keyspace: f.op.Keyspace, Key: "key-1", Operation: "refund", Retention: time.Hour})
	require.NoError(t, err)
	h := f.serves(t, f.charge(new(int)), nil)
	a := send(h, call{})
	assert.Equal(t, idem.CodeInFlight, a.code())
	assert.Equal(t, "1", a.header.Get("Retry-After"))
	require.NoError(t, held.Complete(context.Background(), idem.Completion{State: idem.StateCompleted, Response: idem.Response{Status: 200}}))
	assert.Equal(t, idem.CodeMismatch, send(h, call{}).code())
}
