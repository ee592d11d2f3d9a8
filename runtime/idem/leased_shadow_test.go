package idem_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func inShadow(_ *fixture, o *idem.Options) { o.Shadow = true }

// TestLeasedShadowRunsEverything: what would have happened is reported, and every request does everything.
func TestLeasedShadowRunsEverything(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover, inShadow)
	runs := 0
	h := f.serves(t, f.charge(&runs), nil)
	steps := []struct {
		c    call
		kind idem.EventKind
	}{
		{call{}, idem.EventClaimed},
		{call{}, idem.EventReplayed},
		{call{body: `{"amount":"11","currency":"EUR"}`}, idem.EventMismatch},
		{call{key: "a,b"}, idem.EventRefused},
		{call{noKey: true}, idem.EventRefused},
	}
	for i, s := range steps {
		before := len(f.events.kinds())
		a := send(h, s.c)
		require.Equal(t, 201, a.status, a.body)
		assert.False(t, a.replayed())
		assert.Equal(t, i+1, runs)
		assert.Equal(t, []idem.EventKind{s.kind, idem.EventCompleted}, f.events.kinds()[before:])
		assert.True(t, f.events.last().Shadow)
	}
	assert.Len(t, f.ledger.all(), 2*len(steps), "both phases of every request")
	charges, calls := f.psp.counts()
	assert.Equal(t, []int{len(steps), len(steps)}, []int{charges, calls}, "requests of their own have downstream keys of their own")
}

// A record must not be picked up when shadow ends: its command has been tried again without protection since.
func TestLeasedShadowLeavesNothingToRecover(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover, inShadow, withWorker, quick(time.Minute))
	fails := true
	ran := 0
	h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		_, err := idem.Phase(ctx, l, "create", func(tx *memstore.Tx) (int, error) { ran++; f.ledger.in(tx, "create"); return ran, nil })
		require.NoError(t, err)
		_, err = idem.LastPhase(ctx, l, "last", func(tx *memstore.Tx) (int, error) { f.ledger.in(tx, "last"); return 1, nil })
		require.NoError(t, err)
		if fails {
			return idem.Response{}, errAttempt
		}
		return created(l.Attempt()), nil
	}, nil)
	assert.Equal(t, 500, send(h, call{}).status)
	assert.Equal(t, idem.StateFailedRetryable, f.state(t, "key-1").State)
	assert.Empty(t, f.tapped().claims[0].Request, "no command is stored")
	assert.Empty(t, f.tapped().phases, "and no phase")
	fails = false
	a := send(h, call{})
	assert.Equal(t, `{"run": 2}`, a.body, "the next attempt of the record")
	assert.Equal(t, 2, ran, "a phase is run again, as it would be without us")
	assert.Equal(t, []string{"create", "create", "last"}, f.ledger.all())
	time.Sleep(20 * time.Millisecond)
	assert.Zero(t, f.tapped().count("due"), "nothing is recovered in shadow")
	assert.Contains(t, f.events.kinds(), idem.EventTookOver)
}

// An attempt that crashed in shadow, or before it, is taken over by the next request and run from its beginning.
func TestLeasedShadowTakesOver(t *testing.T) {
	for _, policy := range policies {
		f := newLeasedFixture(t, policy)
		f.crash(t, call{}, f.stepping)
		f.engine = newEngine(t, f.fixture, idem.Options{Shadow: true, Observer: f.events})
		run(t, f.engine)
		runs := 0
		a := send(f.serves(t, f.charge(&runs), nil), call{})
		assert.Equal(t, 201, a.status)
		assert.Equal(t, []string{"create", "create", "confirm 10.00"}, f.ledger.all())
		assert.Equal(t, idem.StateCompleted, f.state(t, "key-1").State)
	}
}

func TestLeasedShadowIsNotStoppedByALostLease(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, inShadow, quick(150*time.Millisecond))
	h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		f.steal(t, idem.StateCompleted)
		require.Eventually(t, func() bool { return f.events.last().Kind == idem.EventLostLease }, 20*time.Second, time.Millisecond)
		time.Sleep(2 * f.op.Lease)
		require.NoError(t, ctx.Err())
		_, err := f.write(ctx, l, "create")
		return created(1), err
	}, nil)
	a := send(h, call{})
	assert.Equal(t, 201, a.status)
	assert.Equal(t, []string{"create"}, f.ledger.all())
}

// The handler's writes are committed: a record that could not be settled changes nothing about that.
func TestLeasedShadowAnswersWhatCouldNotBeStored(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, inShadow, quick(time.Minute))
	f.tapped().failing("settle", errors.New("connection refused"))
	a := send(f.serves(t, f.charge(new(int)), nil), call{})
	assert.Equal(t, 201, a.status)
	assert.Len(t, f.ledger.all(), 2)
	assert.Equal(t, idem.EventNotSettled, f.events.last().Kind)
	assert.Equal(t, 500, send(f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) { return idem.Response{}, errAttempt }, nil), call{key: "2"}).status)
}

func TestLeasedShadowWithACommandThatCannotBeDecoded(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, inShadow)
	h := authenticated(idem.HandleLeased(f.engine, f.op, refuseCommand, mustNotRun(t), nil))
	a := send(h, call{})
	assert.Equal(t, 400, a.status)
	assert.Equal(t, idem.CodeRequestMalformed, a.code())
}

func TestShadowLeaseWithoutARecord(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, inShadow)
	require.Equal(t, 201, send(f.serves(t, f.charge(new(int)), nil), call{}).status)
	h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		assert.Zero(t, l.Attempt())
		assert.Empty(t, l.Key())
		assert.Nil(t, l.Scope())
		assert.False(t, l.RecordID().IsZero())
		_, err := idem.LastPhase(ctx, l, "last", func(tx *memstore.Tx) (int, error) {
			f.ledger.in(tx, "rolled back")
			return 1, nil
		})
		require.NoError(t, err)
		return idem.Response{}, context.Canceled
	}, nil)
	assert.Equal(t, 500, send(h, call{}).status)
	assert.NotContains(t, f.ledger.all(), "rolled back")
	assert.Equal(t, idem.EventReleased, f.events.last().Kind)
}

// Without a key the phases that committed stay, and nothing recognises the request when it comes again.
func TestLeasedFailureWithoutAKeyIsNotCalledSafe(t *testing.T) {
	cases := map[string]struct {
		err  error
		last bool // it is the outcome's own phase that fails
	}{
		"serialisation at the end": {idem.ErrSerialization, true}, "serialisation": {idem.ErrSerialization, false},
		"commit unknown at the end": {idem.ErrCommitUnknown, true}, "commit unknown": {idem.ErrCommitUnknown, false},
		"store unavailable at the end": {idem.ErrStoreUnavailable, true}, "constraint at the end": {errors.New("23505"), true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newLeasedFixture(t, idem.Retake, inShadow, func(f *fixture, _ *idem.Options) {
				f.store = &secondFails{LeaseStore: f.store.(idem.LeaseStore[*memstore.Tx]), err: c.err}
			})
			a := send(f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
				_, err := f.write(ctx, l, "create")
				require.NoError(t, err)
				if c.last {
					_, err = idem.LastPhase(ctx, l, "last", func(*memstore.Tx) (int, error) { return 1, nil })
				} else {
					_, err = f.write(ctx, l, "more")
				}
				return created(1), err
			}, nil), call{noKey: true})
			assert.Equal(t, []string{"create"}, f.ledger.all())
			assert.Equal(t, idem.CodeCompletionFailed, a.code(), a.body)
			assert.Contains(t, a.body, "not known whether")
			assert.Empty(t, a.header.Get("Retry-After"))
		})
	}
}

// secondFails fails to commit every transaction without a claim but the first.
type secondFails struct {
	idem.LeaseStore[*memstore.Tx]
	err   error
	begun int
}

func (s *secondFails) Begin(ctx context.Context, o idem.BeginOptions) (idem.Held[*memstore.Tx], error) {
	held, err := s.LeaseStore.Begin(ctx, o)
	if s.begun++; s.begun == 1 {
		return held, err
	}
	return failsToCommit{held, s.err}, err
}

type failsToCommit struct {
	idem.Held[*memstore.Tx]
	err error
}

func (h failsToCommit) Complete(ctx context.Context, _ idem.Completion) error {
	return errors.Join(h.err, h.Release(ctx))
}
