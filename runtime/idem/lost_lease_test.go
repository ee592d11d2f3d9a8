package idem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// steal takes the key's record over, as another process does, and leaves it with an outcome or in flight.
func (f *leasedFixture) steal(t *testing.T, outcome idem.State) {
	t.Helper()
	store := f.store
	if tapped, ok := store.(*tapped); ok {
		store = tapped.LeaseStore
	}
	leases := store.(idem.LeaseStore[*memstore.Tx])
	f.clock.advance(f.op.Lease)
	found := f.state(t, "key-1")
	token := idem.NewUUID()
	_, err := leases.TakeOver(context.Background(), idem.TakeOver{Scope: found.Scope, Keyspace: found.Keyspace, Key: found.Key,
		From: found.Token, Token: token, Lease: f.op.Lease})
	require.NoError(t, err)
	if outcome != idem.StateInFlight {
		ref := idem.LeaseRef{Scope: found.Scope, Keyspace: found.Keyspace, Key: found.Key, RecordID: found.RecordID, Token: token, Lease: f.op.Lease}
		require.NoError(t, leases.Settle(context.Background(), ref,
			idem.Completion{State: outcome, Response: idem.Response{Status: 200, Body: []byte("another's")}}))
	}
}

func TestLostLease(t *testing.T) {
	moments := map[string]func(ctx ctx, f *leasedFixture, l *lease, steal func()) (idem.Response, error){
		"within a phase": func(ctx ctx, f *leasedFixture, l *lease, steal func()) (idem.Response, error) {
			_, err := idem.Phase(ctx, l, "p", func(tx *memstore.Tx) (int, error) { f.ledger.in(tx, "written"); steal(); return 1, nil })
			require.ErrorIs(t, err, idem.ErrFenced)
			assert.Equal(t, idem.ErrFenced, context.Cause(l.Context()), "its context is cancelled")
			_, err = f.write(ctx, l, "another")
			require.ErrorIs(t, err, idem.ErrFenced)
			return idem.Response{}, err
		},
		"within a phase, and the handler goes on": func(ctx ctx, f *leasedFixture, l *lease, steal func()) (idem.Response, error) {
			_, err := idem.Phase(ctx, l, "p", func(tx *memstore.Tx) (int, error) { f.ledger.in(tx, "written"); steal(); return 1, nil })
			require.Error(t, err)
			return created(1), nil
		},
		"with the last phase open": func(ctx ctx, f *leasedFixture, l *lease, steal func()) (idem.Response, error) {
			_, err := idem.LastPhase(ctx, l, "p", func(tx *memstore.Tx) (int, error) { f.ledger.in(tx, "written"); return 1, nil })
			require.NoError(t, err)
			steal()
			return created(1), nil
		},
		"before the completion": func(_ ctx, _ *leasedFixture, _ *lease, steal func()) (idem.Response, error) {
			steal()
			return created(1), nil
		},
		"before an error": func(_ ctx, _ *leasedFixture, _ *lease, steal func()) (idem.Response, error) {
			steal()
			return idem.Response{}, errAttempt
		},
		"before nothing was done": func(_ ctx, _ *leasedFixture, _ *lease, steal func()) (idem.Response, error) {
			steal()
			return idem.Response{}, idem.NothingDone(errAttempt)
		},
		"before an excepted status": func(_ ctx, _ *leasedFixture, _ *lease, steal func()) (idem.Response, error) {
			steal()
			return idem.Response{Status: 503}, nil
		},
	}
	answers := map[idem.State]idem.Code{
		idem.StateCompleted: "", idem.StateFailedReplayable: "", idem.StateInFlight: idem.CodeInFlight,
		idem.StateUnknown: idem.CodeOutcomeUnknown, idem.StateFailedRetryable: idem.CodeInFlight,
	}
	for name, run := range moments {
		for state, code := range answers {
			for _, framework := range []bool{false, true} {
				t.Run(fmt.Sprint(name, state, framework), func(t *testing.T) {
					f := newLeasedFixture(t, idem.Retake)
					h := leaseHandler(func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
						return run(ctx, f, l, func() { f.steal(t, state) })
					})
					served := f.serves(t, h, nil)
					if framework {
						served = f.leasedApp(late, leasedBusiness(h), authenticated)
					}
					a := send(served, call{})
					if code == "" {
						assert.Equal(t, 200, a.status)
						assert.Equal(t, "another's", a.body)
						assert.True(t, a.replayed())
					} else {
						assert.Equal(t, 409, a.status)
						assert.Equal(t, code, a.code())
					}
					assert.Empty(t, f.ledger.all())
					assert.Equal(t, state, f.state(t, "key-1").State, "the other's state stays")
					lost := 0
					for _, kind := range f.events.kinds() {
						if kind == idem.EventLostLease {
							lost++
						}
					}
					assert.Equal(t, 1, lost)
				})
			}
		}
	}
}

// A record that was lost, expired and claimed by another command is nobody's business here.
func TestLostLeaseNowAnotherCommands(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	var served leaseHandler = func(ctx, *lease, paymentCommand) (idem.Response, error) {
		f.steal(t, idem.StateCompleted)
		f.clock.advance(f.op.Retention)
		other := &leasedFixture{fixture: &fixture{store: f.store, op: f.op, ledger: f.ledger, events: &events{}}, psp: f.psp}
		other.engine = newEngine(t, other.fixture, idem.Options{Recover: -1})
		run(t, other.engine)
		require.Equal(t, 201, send(other.serves(t, f.charge(new(int)), nil), call{body: `{"amount":"11","currency":"EUR"}`}).status)
		return created(1), nil
	}
	a := send(f.serves(t, served, nil), call{})
	assert.Equal(t, 409, a.status)
	assert.Equal(t, idem.CodeInFlight, a.code())
}

// quick makes the lease short enough for a test to see its end.
func quick(lease time.Duration) setting {
	return func(f *fixture, _ *idem.Options) {
		f.store = tap(f.store.(*memstore.Store))
		f.op.Lease = lease
	}
}

func (f *leasedFixture) tapped() *tapped { return f.store.(*tapped) }

func TestHeartbeatsKeepALeaseAlive(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(1200*time.Millisecond))
	h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		for range 4 { // each beat renews the whole lease
			before := f.tapped().count("extend")
			require.Eventually(t, func() bool { return f.tapped().count("extend") > before }, 20*time.Second, time.Millisecond)
			require.NoError(t, ctx.Err(), context.Cause(ctx))
		}
		f.clock.advance(f.op.Lease / 2)
		_, err := f.write(ctx, l, "create")
		return created(1), err
	}, nil)
	a := send(h, call{})
	require.Equal(t, 201, a.status, a.body)
	assert.Equal(t, []idem.EventKind{idem.EventClaimed, idem.EventCompleted}, f.events.kinds())
	before := f.tapped().count("extend")
	time.Sleep(450 * time.Millisecond)
	assert.Equal(t, before, f.tapped().count("extend"), "nothing is asked for when no lease is held")
}

func TestOneStatementExtendsAllLeases(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(300*time.Millisecond))
	counting := &extents{LeaseStore: f.tapped()}
	f.store = counting
	f.engine = newEngine(t, f.fixture, idem.Options{Recover: -1, Sweep: -1})
	run(t, f.engine)
	all := make(chan struct{})
	h := f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) { <-all; return created(1), nil }, nil)
	done := make(chan answer)
	for i := range 8 {
		go func() { done <- send(h, call{key: fmt.Sprint("key-", i)}) }()
	}
	require.Eventually(t, func() bool { return counting.most() == 8 }, 20*time.Second, time.Millisecond)
	close(all)
	for range 8 {
		<-done
	}
}

func TestHeartbeatFindsALostLease(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(300*time.Millisecond))
	h := f.leasedApp(foreign, func(_ context.Context, l *lease, _ paymentCommand) (idem.Response, error) {
		f.steal(t, idem.StateCompleted)
		<-l.Context().Done()
		assert.Equal(t, idem.ErrFenced, context.Cause(l.Context()))
		return created(1), nil
	}, authenticated)
	a := send(h, call{})
	assert.Equal(t, "another's", a.body)
	assert.True(t, a.replayed())
}

// The framework's own context ends as well: business code may know no other.
func TestLostLeaseEndsTheFrameworksContext(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(300*time.Millisecond))
	h := f.leasedApp(strict, func(ctx context.Context, _ *lease, _ paymentCommand) (idem.Response, error) {
		f.steal(t, idem.StateCompleted)
		<-ctx.Done()
		assert.Equal(t, context.Canceled, ctx.Err(), "and not its deadline")
		return created(1), nil
	}, authenticated)
	assert.Equal(t, "another's", send(h, call{}).body)
	assert.Zero(t, f.tapped().count("settle"), "what is known to be lost is not asked for again")
}

// observing is an observer made of a function.
type observing func(idem.Event)

func (o observing) Observe(_ context.Context, e idem.Event) { o(e) }

// A lease that was lost while its commit was in doubt is still lost, although an outcome stands there.
func TestLostLeaseWhoseCommitWasInDoubt(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(time.Minute))
	f.tapped().set(func(call string, n int) error {
		if call == "settle" && n == 1 {
			f.steal(t, idem.StateCompleted)
			return idem.ErrCommitUnknown
		}
		return nil
	}, nil)
	a := send(f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) { return created(1), nil }, nil), call{})
	assert.True(t, a.replayed())
	assert.Equal(t, "another's", a.body)
}

func TestWorkerThatLosesItsLease(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover, withWorker)
	f.crash(t, call{}, f.stepping)
	done := make(chan struct{})
	f.serves(t, mustNotRun(t), func(ctx context.Context, l *lease, _ paymentCommand, _ idem.Prior) (idem.Response, error) {
		defer close(done)
		f.steal(t, idem.StateCompleted)
		return created(1), nil
	})
	<-done
	f.end()
	assert.Equal(t, []idem.EventKind{idem.EventTookOver, idem.EventLostLease}, f.events.kinds(), "nobody waits for an answer")
}

// A phase whose transaction cannot be opened does not outlive its lease, whatever context it was given.
func TestPhaseThatCannotBeginEndsWithItsLease(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, func(f *fixture, o *idem.Options) {
		f.store = stalled{f.store.(*memstore.Store)}
		o.Deadline = 200 * time.Millisecond
	})
	h := f.serves(t, func(_ ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		_, err := f.write(context.Background(), l, "create")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return idem.Response{}, err
	}, nil)
	assert.Equal(t, 500, send(h, call{}).status)
}

// stalled has no connection for phases.
type stalled struct{ idem.LeaseStore[*memstore.Tx] }

func (stalled) BeginPhase(ctx context.Context, _ idem.LeaseRef, _ idem.BeginOptions) (idem.HeldPhase[*memstore.Tx], error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestHeartbeatThatFails(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(900*time.Millisecond))
	down := errors.New("connection refused")
	f.tapped().failing("extend", down)
	started := time.Now()
	entered := make(chan struct{})
	h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		close(entered)
		<-ctx.Done()
		assert.Equal(t, idem.ErrLeaseOver, context.Cause(ctx))
		assert.GreaterOrEqual(t, time.Since(started), 200*time.Millisecond)
		_, err := f.write(ctx, l, "late")
		require.ErrorIs(t, err, idem.ErrLeaseOver, "nothing new begins")
		return created(1), nil
	}, nil)
	done := make(chan answer)
	go func() { done <- send(h, call{}) }()
	<-entered
	assert.Equal(t, 201, (<-done).status, "nobody has taken it over: the fence lets the outcome pass")
	kinds := f.events.kinds()
	assert.Contains(t, kinds, idem.EventNotExtended, "an error is never swallowed")
	assert.NotContains(t, kinds, idem.EventLostLease)
	assert.True(t, send(h, call{}).replayed())
}

// What the store let be ends when it would have.
func TestHeartbeatThatPassesALease(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(300*time.Millisecond))
	f.store = passing{f.tapped()}
	f.engine = newEngine(t, f.fixture, idem.Options{Recover: -1, Sweep: -1, Observer: f.events})
	run(t, f.engine)
	h := f.serves(t, func(ctx ctx, _ *lease, _ paymentCommand) (idem.Response, error) {
		<-ctx.Done()
		assert.Equal(t, idem.ErrLeaseOver, context.Cause(ctx))
		return created(1), nil
	}, nil)
	assert.Equal(t, 201, send(h, call{}).status)
	assert.Equal(t, []idem.EventKind{idem.EventClaimed, idem.EventCompleted}, f.events.kinds())
}

// passing lets every lease be.
type passing struct{ idem.LeaseStore[*memstore.Tx] }

func (passing) Extend(_ context.Context, leases []idem.LeaseRef) (lost, passed []idem.LeaseRef, err error) {
	return nil, leases, nil
}

// A process whose lease is over asks the store again, although its handler still runs and ignores its context.
func TestHandlerThatIgnoresTheEndOfItsLease(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(300*time.Millisecond))
	f.tapped().failing("extend", errors.New("connection refused"))
	over, finish := make(chan struct{}), make(chan struct{})
	stuck := f.serves(t, func(ctx ctx, _ *lease, _ paymentCommand) (idem.Response, error) {
		<-ctx.Done()
		close(over)
		<-finish
		return created(1), nil
	}, nil)
	done := make(chan answer)
	go func() { done <- send(stuck, call{}) }()
	<-over
	f.clock.advance(f.op.Lease)
	runs := 1
	a := send(f.serves(t, f.charge(&runs), nil), call{})
	assert.Equal(t, `{"run": 2}`, a.body)
	close(finish)
	late := <-done
	assert.True(t, late.replayed())
	assert.Equal(t, a.body, late.body)
}

// A handler that is over its deadline is not kept alive: else its key would be stuck as long as it runs.
func TestHandlerThatIgnoresItsDeadlineIsNotExtended(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(600*time.Millisecond), func(_ *fixture, o *idem.Options) { o.Deadline = 300 * time.Millisecond })
	finish := make(chan struct{})
	h := f.serves(t, func(ctx ctx, _ *lease, _ paymentCommand) (idem.Response, error) {
		<-ctx.Done()
		assert.Equal(t, context.DeadlineExceeded, ctx.Err())
		close(finish)
		time.Sleep(30 * time.Millisecond) // a beat that has begun may end
		before := f.tapped().count("extend")
		time.Sleep(500 * time.Millisecond)
		assert.Equal(t, before, f.tapped().count("extend"))
		return idem.Response{}, ctx.Err()
	}, nil)
	assert.Equal(t, 500, send(h, call{}).status)
	<-finish
	assert.True(t, f.state(t, "key-1").LeaseOver)
}

// blockedBeat makes the first extension wait for the test.
func (f *leasedFixture) blockedBeat() (beating <-chan struct{}, beat chan<- struct{}, beaten <-chan struct{}) {
	began, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	f.tapped().set(func(call string, n int) error {
		if call == "extend" && n == 1 {
			close(began)
			<-goOn
		}
		return nil
	}, func(call string, n int) error {
		if call == "extend" && n == 1 {
			close(ended)
		}
		return nil
	})
	return began, goOn, ended
}

// A beat that is under way when an attempt hands its record back must not extend the lease after that.
func TestHandedBackLeaseIsNotExtended(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(3*time.Second))
	beating, beat, beaten := f.blockedBeat()
	h := f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) {
		<-beating
		time.AfterFunc(20*time.Millisecond, func() { close(beat) })
		return idem.Response{}, errAttempt
	}, nil)
	assert.Equal(t, 500, send(h, call{}).status)
	<-beaten
	assert.True(t, f.state(t, "key-1").LeaseOver)
}

// A beat that finds a record completed under its own token has lost nothing.
func TestBeatThatComesAfterTheCompletion(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(3*time.Second))
	beating, beat, beaten := f.blockedBeat()
	h := f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) {
		<-beating
		return created(1), nil
	}, nil)
	assert.Equal(t, 201, send(h, call{}).status)
	close(beat)
	<-beaten
	f.end()
	assert.Equal(t, []idem.EventKind{idem.EventClaimed, idem.EventCompleted}, f.events.kinds())
}
