package storetest

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func leaseCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"lease is shown at once, with what is left of it", leaseShows[Tx]},
		{"own token takes its lease again", leaseOwnToken[Tx]},
		{"lease ends at its instant", leaseEnds[Tx]},
		{"takeover begins the next attempt and fences the one before", takeOverFences[Tx]},
		{"failure that may be tried again is taken over at once", takeOverRetryable[Tx]},
		{"failure that may be tried again and has expired is absent", takeOverExpired[Tx]},
		{"nothing else is taken over", takeOverNothingElse[Tx]},
		{"one of many takes over", oneTakesOver[Tx]},
		{"claim takes nothing over", claimTakesNothingOver[Tx]},
		{"transaction and lease meet on one key", transactionMeetsLease[Tx]},
		{"lease is claimed once by many", manyLeaseOneKey[Tx]},
		{"heartbeats extend", heartbeats[Tx]},
		{"heartbeats report what is lost and extend the rest", heartbeatsLost[Tx]},
		{"heartbeats of many leases", manyHeartbeats[Tx]},
		{"cancelled caller changes no lease", cancelledLease[Tx]},
	}
}

func leaseShows[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newLease("k")
	f.lease(t, c)
	f.clock.advance(10 * time.Second)
	want := idem.Prior{
		State: idem.StateInFlight, Operation: c.Operation, RecordID: c.RecordID, Token: c.Token, Attempt: 1,
		Fingerprints: c.Fingerprints, Fields: c.Fields, Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key,
		LeaseLeft: 20 * time.Second,
	}
	assert.Equal(t, want, bare(f.lookup(t, c)))
	assert.Equal(t, want, bare(f.findLeased(t, newLease("k"))))
	assert.Equal(t, want, bare(f.find(t, newClaim("k"))))
}

// bare leaves out the empty parts of a response that is not there, in which stores may differ.
func bare(p idem.Prior) idem.Prior {
	if len(p.Response.Header) == 0 {
		p.Response.Header = nil
	}
	if len(p.Response.Body) == 0 {
		p.Response.Body = nil
	}
	return p
}

// leaseOwnToken is what a claimant does that never heard whether its claim was committed.
func leaseOwnToken[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newLease("k")
	l := f.lease(t, c)
	for _, later := range []time.Duration{0, leaseTime, leaseTime} {
		f.clock.advance(later)
		p, err := f.tryLease(f.ctx, c)
		require.NoError(t, err)
		assert.Equal(t, idem.StateAbsent, p.State)
		assert.Equal(t, c.RecordID, p.RecordID)
		assert.Equal(t, c.Token, p.Token)
		assert.Equal(t, 1, p.Attempt)
	}
	other, _ := f.takeOver(t, l)
	p := f.findLeased(t, c)
	assert.Equal(t, idem.StateInFlight, p.State)
	assert.Equal(t, other.Token, p.Token)

	f.settle(t, other, completed("{}"))
	assert.Equal(t, idem.StateCompleted, f.findLeased(t, c).State)
	mine := newLease("settled")
	f.settle(t, f.lease(t, mine), completed("mine"))
	assert.Equal(t, "mine", string(f.findLeased(t, mine).Response.Body), "an own record that is settled is an outcome")
}

func leaseEnds[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	f.clock.advance(leaseTime - time.Millisecond)
	p := f.findLeased(t, newLease("k"))
	assert.False(t, p.LeaseOver)
	assert.Equal(t, time.Millisecond, p.LeaseLeft)
	_, err := f.tryTakeOver(f.ctx, next(l))
	require.ErrorIs(t, err, idem.ErrFenced)

	f.clock.advance(time.Millisecond)
	for range 2 {
		p = f.findLeased(t, newLease("k"))
		assert.Equal(t, idem.StateInFlight, p.State)
		assert.True(t, p.LeaseOver)
		assert.Zero(t, p.LeaseLeft)
		assert.Equal(t, p, f.lookup(t, newLease("k")))
		f.clock.advance(time.Hour) // what is left is never negative
	}
	f.takeOver(t, l)
}

func takeOverFences[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newLease("k")
	first := f.lease(t, c)
	f.clock.advance(leaseTime)
	second, p := f.takeOver(t, first)
	assert.Equal(t, idem.StateInFlight, p.State)
	assert.Equal(t, 2, p.Attempt)
	assert.Equal(t, c.RecordID, p.RecordID)
	assert.Equal(t, c.Operation, p.Operation)
	assert.Equal(t, c.Fingerprints, p.Fingerprints)
	assert.Equal(t, c.Fields, p.Fields)
	assert.Equal(t, c.Request, p.Request)
	assert.Empty(t, p.Phases)
	assert.Equal(t, [3]string{c.Scope, c.Keyspace, c.Key}, [3]string{p.Scope, p.Keyspace, p.Key})

	_, err := f.tryTakeOver(f.ctx, next(first))
	require.ErrorIs(t, err, idem.ErrFenced)
	f.requireFenced(t, first)
	assert.Equal(t, leaseTime, f.requireState(t, idem.StateInFlight, second).LeaseLeft)

	f.clock.advance(leaseTime)
	third, p := f.takeOver(t, second)
	assert.Equal(t, 3, p.Attempt)
	f.requireFenced(t, first)
	f.requireFenced(t, second)
	f.settle(t, third, completed("third"))
	f.requireFenced(t, second)
	assert.Equal(t, "third", string(f.findLeased(t, newLease("k")).Response.Body))
}

func takeOverRetryable[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newLease("k")
	first := f.lease(t, c)
	f.settle(t, first, idem.Completion{State: idem.StateFailedRetryable})
	found := f.findLeased(t, newLease("k"))
	assert.Equal(t, idem.StateFailedRetryable, found.State)
	second, p := f.takeOver(t, leaseOn(found))
	assert.Equal(t, idem.StateFailedRetryable, p.State)
	assert.Equal(t, 2, p.Attempt)
	assert.Equal(t, c.RecordID, p.RecordID)
	assert.Equal(t, c.Request, p.Request)
	assert.Equal(t, leaseTime, f.requireState(t, idem.StateInFlight, second).LeaseLeft)
	f.requireFenced(t, first)
	f.settle(t, second, completed("{}"))
}

// takeOverExpired: a failure that may be tried again is absent once it has expired. Somebody else may have its business key by then.
func takeOverExpired[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	f.settle(t, l, idem.Completion{State: idem.StateFailedRetryable})
	f.clock.advance(retention)
	_, err := f.tryTakeOver(f.ctx, next(l))
	require.ErrorIs(t, err, idem.ErrFenced)
	f.requireState(t, idem.StateAbsent, l)
	f.lease(t, newLease("k"))
}

func takeOverNothingElse[Tx any](t *testing.T, f *fixture[Tx]) {
	alive := f.lease(t, newLease("alive"))
	lease := func(key string, end idem.Completion) idem.LeaseRef {
		l := f.lease(t, newLease(key))
		f.settle(t, l, end)
		return l
	}
	leases := []idem.LeaseRef{
		lease("completed", completed("{}")), lease("failed", failed(422)), lease("unknown", idem.Completion{State: idem.StateUnknown}), alive,
	}
	for _, l := range leases {
		before := f.lookup(t, newLease(l.Key))
		_, err := f.tryTakeOver(f.ctx, next(l))
		require.ErrorIs(t, err, idem.ErrFenced, l.Key)
		assert.Equal(t, before, f.lookup(t, newLease(l.Key)), l.Key)
	}
	absent := newLease("absent")
	_, err := f.tryTakeOver(f.ctx, next(leaseOf(absent)))
	require.ErrorIs(t, err, idem.ErrFenced)

	f.clock.advance(leaseTime)
	other := alive
	other.Token = idem.NewUUID()
	_, err = f.tryTakeOver(f.ctx, next(other))
	require.ErrorIs(t, err, idem.ErrFenced, "the token that was found is the record's no more")
	f.takeOver(t, alive)
}

func oneTakesOver[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	f.clock.advance(leaseTime)
	var (
		all     sync.WaitGroup
		winners atomic.Int32
	)
	for range 16 {
		all.Go(func() {
			n := next(l)
			if _, err := f.tryTakeOver(f.ctx, n); err != nil {
				assert.ErrorIs(t, err, idem.ErrFenced)
				return
			}
			winners.Add(1)
			mine := l
			mine.Token = n.Token
			assert.NoError(t, f.trySettle(mine, completed(n.Token.String())))
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, winners.Load())
	p := f.findLeased(t, newLease("k"))
	assert.Equal(t, 2, p.Attempt)
	assert.Equal(t, p.Token.String(), string(p.Response.Body))
}

func claimTakesNothingOver[Tx any](t *testing.T, f *fixture[Tx]) {
	f.settle(t, f.lease(t, newLease("unknown")), idem.Completion{State: idem.StateUnknown})
	f.settle(t, f.lease(t, newLease("retryable")), idem.Completion{State: idem.StateFailedRetryable})
	f.lease(t, newLease("over"))
	f.clock.advance(leaseTime)
	for key, state := range map[string]idem.State{
		"unknown": idem.StateUnknown, "retryable": idem.StateFailedRetryable, "over": idem.StateInFlight,
	} {
		p := f.findLeased(t, newLease(key))
		assert.Equal(t, state, p.State, key)
		assert.Equal(t, 1, p.Attempt, key)
		assert.Empty(t, p.Request, key)
		assert.Equal(t, p, f.find(t, newClaim(key)), key)
	}
}

// transactionMeetsLease: two operations of one keyspace, or two programs while an operation's execution changes.
func transactionMeetsLease[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, newClaim("transaction"))
	start := time.Now()
	assert.Equal(t, idem.StateInFlight, f.findLeased(t, newLease("transaction")).State)
	assert.Less(t, time.Since(start), patience)
	f.complete(t, held, completed("transaction"))
	assert.Equal(t, "transaction", string(f.findLeased(t, newLease("transaction")).Response.Body))

	l := f.lease(t, newLease("lease"))
	waiting := newClaim("lease")
	waiting.LockTimeout = patience
	start = time.Now()
	p := f.find(t, waiting)
	assert.Less(t, time.Since(start), patience, "nobody waits for a lease")
	assert.Equal(t, idem.StateInFlight, p.State)
	assert.Equal(t, leaseTime, p.LeaseLeft)
	f.settle(t, l, completed("lease"))
	assert.Equal(t, "lease", string(f.find(t, newClaim("lease")).Response.Body))
}

func manyLeaseOneKey[Tx any](t *testing.T, f *fixture[Tx]) {
	var (
		all     sync.WaitGroup
		winners atomic.Int32
	)
	for range 32 {
		all.Go(func() {
			c := newLease("k")
			p, err := f.tryLease(f.ctx, c)
			if !assert.NoError(t, err) {
				return
			}
			if p.State == idem.StateAbsent {
				winners.Add(1)
				return
			}
			assert.Equal(t, idem.StateInFlight, p.State)
			assert.NotEqual(t, c.Token, p.Token)
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, winners.Load())
}

func heartbeats[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	for range 3 {
		f.clock.advance(leaseTime - time.Millisecond)
		require.Empty(t, f.extend(t, l))
		assert.Equal(t, leaseTime, f.lookup(t, newLease("k")).LeaseLeft)
	}
	f.clock.advance(leaseTime) // over, and nobody was there
	require.Empty(t, f.extend(t, l))
	p := f.lookup(t, newLease("k"))
	assert.False(t, p.LeaseOver)
	assert.Equal(t, 1, p.Attempt)
	require.Empty(t, f.extend(t), "no leases, nothing lost")
}

func heartbeatsLost[Tx any](t *testing.T, f *fixture[Tx]) {
	taken := f.lease(t, newLease("taken"))
	f.clock.advance(leaseTime)
	next, _ := f.takeOver(t, taken)
	settled := f.lease(t, newLease("settled"))
	f.settle(t, settled, completed("{}"))
	absent := newLease("absent")
	alive, long := f.lease(t, newLease("alive")), f.lease(t, newLease("long"))
	long.Lease = time.Hour
	f.clock.advance(time.Second)

	gone := leaseOf(absent)
	lost := f.extend(t, taken, alive, settled, gone, long)
	assert.ElementsMatch(t, []idem.LeaseRef{taken, settled, gone}, lost)
	assert.Equal(t, leaseTime, f.requireState(t, idem.StateInFlight, alive).LeaseLeft)
	assert.Equal(t, time.Hour, f.requireState(t, idem.StateInFlight, long).LeaseLeft)
	assert.Equal(t, leaseTime-time.Second, f.requireState(t, idem.StateInFlight, next).LeaseLeft)
	f.requireState(t, idem.StateCompleted, settled)
	f.requireState(t, idem.StateAbsent, gone)
}

func manyHeartbeats[Tx any](t *testing.T, f *fixture[Tx]) {
	var leases, lost []idem.LeaseRef
	for i := range 60 {
		l := f.lease(t, newLease(string(rune('a'+i))))
		if i%7 == 3 {
			f.settle(t, l, completed("{}"))
			lost = append(lost, l)
		}
		leases = append(leases, l)
	}
	f.clock.advance(time.Second)
	assert.ElementsMatch(t, lost, f.extend(t, leases...))
	for _, l := range leases {
		if p := f.lookup(t, newLease(l.Key)); p.State == idem.StateInFlight {
			assert.Equal(t, leaseTime, p.LeaseLeft)
		}
	}
}

func cancelledLease[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("over"))
	f.clock.advance(leaseTime)
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	s := f.leases()
	_, err := s.ClaimLease(ctx, newLease("k"))
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.TakeOver(ctx, next(l))
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Due(ctx, idem.Due{Operations: map[string]time.Duration{"createPayment": leaseTime}, Limit: 1})
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = s.Extend(ctx, []idem.LeaseRef{l})
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.BeginPhase(ctx, l, idem.BeginOptions{})
	require.ErrorIs(t, err, context.Canceled)
	p := f.requireState(t, idem.StateInFlight, l)
	assert.True(t, p.LeaseOver)
	assert.Equal(t, 1, p.Attempt)
	f.lease(t, newLease("k"))
}
