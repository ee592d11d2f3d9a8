package idem_test

import (
	"context"
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
