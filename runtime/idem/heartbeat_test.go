package idem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

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

// A beat that hangs is given up before the leases are over that the next one extends.
func TestHeartbeatThatStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newLeasedFixture(t, idem.Retake, quick(900*time.Millisecond))
		f.store = &stalling{LeaseStore: f.tapped(), beats: 1}
		f.engine = newEngine(t, f.fixture, idem.Options{Recover: -1, Sweep: -1, Observer: f.events})
		run(t, f.engine)
		a := send(f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
			select {
			case <-time.After(10 * f.op.Lease):
			case <-ctx.Done():
			}
			_, err := f.write(ctx, l, "create")
			return created(1), err
		}, nil), call{})
		assert.Equal(t, 201, a.status, a.body)
		assert.Equal(t, []idem.EventKind{idem.EventClaimed, idem.EventNotExtended, idem.EventCompleted}, f.events.kinds())
	})
}

// stalling hangs in its first beats.
type stalling struct {
	idem.LeaseStore[*memstore.Tx]
	beats int
}

func (s *stalling) Extend(ctx context.Context, leases []idem.LeaseRef) (lost, passed []idem.LeaseRef, err error) {
	if s.beats--; s.beats >= 0 {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	}
	return s.LeaseStore.Extend(ctx, leases)
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
