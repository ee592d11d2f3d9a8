package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func resolveCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"stuck gives what waits for people, the longest first", stuckOrder[Tx]},
		{"stuck gives nothing else", stuckNothingElse[Tx]},
		{"any record can be inspected", inspectAny[Tx]},
		{"resolved record replays, and its holder is fenced", resolveStores[Tx]},
		{"freed record is absent, and its holder is fenced", freeDeletes[Tx]},
		{"retried record is taken over as its second attempt", retryHandsBack[Tx]},
		{"nothing but what is stuck is resolved or freed", resolveNothingElse[Tx]},
		{"record is resolved or taken over, not both", resolveAgainstTakeOver[Tx]},
		{"cancelled caller resolves nothing", resolveCancelled[Tx]},
	}
}

func (f *fixture[Tx]) resolver() idem.Resolver { return f.store.(idem.Resolver) }

func (f *fixture[Tx]) tryResolve(id idem.UUID, c idem.Completion) error {
	return again(f.ctx, func() error { return f.resolver().Resolve(f.ctx, id, c) })
}

func (f *fixture[Tx]) tryFree(id idem.UUID) error {
	return again(f.ctx, func() error { return f.resolver().Free(f.ctx, id) })
}

func (f *fixture[Tx]) tryRetry(id idem.UUID) error {
	return again(f.ctx, func() error { return f.resolver().Retry(f.ctx, id) })
}

// retryHandsBack keeps the record, its id and its phases, and nothing of who held it.
func retryHandsBack[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, end := range []idem.Completion{{State: idem.StateUnknown}, {State: idem.StateInFlight}} {
		c := newLease(fmt.Sprint("key ", end.State))
		l := f.lease(t, c)
		f.phase(t, l, phase{name: "create"})
		for range 3 { // attempts that ended without an outcome
			f.settle(t, l, idem.Completion{State: idem.StateInFlight})
			l, _ = f.takeOver(t, l)
		}
		f.settle(t, l, end)
		require.NoError(t, f.tryRetry(c.RecordID))
		require.ErrorIs(t, f.trySettle(l, completed("late")), idem.ErrFenced, "whoever held it is fenced")
		stuck, err := f.resolver().Inspect(f.ctx, c.RecordID)
		require.NoError(t, err)
		assert.Equal(t, []any{idem.StateInFlight, true, 1}, []any{stuck.State, stuck.LeaseOver, stuck.Attempt})
		l.Token = f.lookup(t, c).Token
		_, n := f.takeOver(t, l)
		assert.Equal(t, 2, n.Attempt)
		assert.Equal(t, c.RecordID, n.RecordID)
		require.Len(t, n.Phases, 1)
	}
}

func (f *fixture[Tx]) stuck(t *testing.T, limit int) []idem.StuckRecord {
	t.Helper()
	all, err := f.resolver().Stuck(f.ctx, limit)
	require.NoError(t, err)
	return all
}

func stuckOrder[Tx any](t *testing.T, f *fixture[Tx]) {
	claims := map[string]idem.Claim{}
	created := map[string]time.Time{}
	for _, key := range []string{"unknown", "over", "unknown too", "handed back"} { // each is stuck before the next begins
		c := newLease(key)
		claims[key], created[key] = c, f.clock.now()
		l := f.lease(t, c)
		f.phase(t, l, phase{name: "b " + key})
		f.phase(t, l, phase{name: "a " + key})
		f.clock.advance(leaseTime)
		switch key {
		case "unknown", "unknown too":
			f.settle(t, l, idem.Completion{State: idem.StateUnknown})
		case "handed back":
			f.settle(t, l, idem.Completion{State: idem.StateInFlight})
		}
		f.clock.advance(time.Second)
	}
	all := f.stuck(t, 9)
	require.Len(t, all, 4)
	for i, key := range []string{"unknown", "over", "unknown too", "handed back"} {
		c := claims[key]
		want := idem.StuckRecord{
			Scope: c.Scope, Keyspace: c.Keyspace, Key: key, Operation: c.Operation, RecordID: c.RecordID,
			State: idem.StateInFlight, LeaseOver: true, Attempt: 1, Created: created[key], Phases: []string{"b " + key, "a " + key},
		}
		if c.Key == "unknown" || c.Key == "unknown too" {
			want.State, want.LeaseOver = idem.StateUnknown, false
		}
		assert.Equal(t, want, utc(all[i]))
		one, err := f.resolver().Inspect(f.ctx, c.RecordID)
		require.NoError(t, err)
		assert.Equal(t, want, utc(one))
	}
	assert.Equal(t, all[:2], f.stuck(t, 2))
	assert.Empty(t, f.stuck(t, 0))
}

// utc takes the location out of the comparison: it is the instant that counts.
func utc(r idem.StuckRecord) idem.StuckRecord {
	r.Created = r.Created.UTC()
	return r
}

func stuckNothingElse[Tx any](t *testing.T, f *fixture[Tx]) {
	f.settled(t)
	assert.Empty(t, f.stuck(t, 9))
	f.clock.advance(leaseTime - time.Millisecond)
	assert.Empty(t, f.stuck(t, 9))
	f.clock.advance(time.Millisecond)
	all := f.stuck(t, 9)
	require.Len(t, all, 1)
	assert.Equal(t, "alive", all[0].Key)
}

// settled makes a record in every state that is not stuck.
func (f *fixture[Tx]) settled(t *testing.T) []idem.LeaseRef {
	t.Helper()
	var all []idem.LeaseRef
	for _, end := range []idem.Completion{completed("{}"), failed(422), {State: idem.StateFailedRetryable}} {
		l := f.lease(t, newLease(fmt.Sprint(end.State)))
		f.settle(t, l, end)
		all = append(all, l)
	}
	return append(all, f.lease(t, newLease("alive")))
}

func inspectAny[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, l := range f.settled(t) {
		want := f.lookup(t, newLease(l.Key))
		r, err := f.resolver().Inspect(f.ctx, l.RecordID)
		require.NoError(t, err)
		assert.Equal(t, want.State, r.State)
		assert.Equal(t, want.Response.Status, r.Status)
		assert.Equal(t, l.Key, r.Key)
		assert.False(t, r.LeaseOver)
		assert.Empty(t, r.Phases)
	}
	c := newClaim("transaction")
	f.complete(t, f.hold(t, c), completed("{}"))
	r, err := f.resolver().Inspect(f.ctx, c.RecordID)
	require.NoError(t, err)
	assert.Equal(t, [3]int{int(idem.StateCompleted), 201, 1}, [3]int{int(r.State), r.Status, r.Attempt})
	f.clock.advance(retention)
	_, err = f.resolver().Inspect(f.ctx, c.RecordID)
	require.ErrorIs(t, err, idem.ErrNoRecord, "an expired record is absent")
	_, err = f.resolver().Inspect(f.ctx, idem.NewUUID())
	require.ErrorIs(t, err, idem.ErrNoRecord)
}

// stuckPair makes a record of each kind that is stuck.
func (f *fixture[Tx]) stuckPair(t *testing.T) []idem.LeaseRef {
	t.Helper()
	unknown, over := f.lease(t, newLease("unknown")), f.lease(t, newLease("over"))
	f.phase(t, unknown, phase{name: "a"})
	f.phase(t, over, phase{name: "a"})
	f.settle(t, unknown, idem.Completion{State: idem.StateUnknown})
	f.clock.advance(leaseTime)
	return []idem.LeaseRef{unknown, over}
}

func resolveStores[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, l := range f.stuckPair(t) {
		end := failed(409)
		if l.Key == "over" {
			end = completed("done")
			end.Retention = 2 * retention
		}
		require.NoError(t, f.tryResolve(l.RecordID, end))
		p := f.findLeased(t, newLease(l.Key))
		assert.Equal(t, end.State, p.State)
		assert.Equal(t, end.Response.Status, p.Response.Status)
		assert.Equal(t, string(end.Response.Body), string(p.Response.Body))
		assert.Equal(t, l.RecordID, p.RecordID)
		assert.NotEqual(t, l.Token, p.Token, "an attempt whose answer was lost would take the outcome for its own")
		f.requireFenced(t, l)
		require.ErrorIs(t, f.tryResolve(l.RecordID, end), idem.ErrNotStuck)
	}
	assert.Empty(t, f.stuck(t, 9))
	f.clock.advance(retention)
	assert.Equal(t, idem.StateAbsent, f.lookup(t, newLease("unknown")).State)
	assert.Equal(t, idem.StateCompleted, f.lookup(t, newLease("over")).State)
}

func freeDeletes[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, l := range f.stuckPair(t) {
		require.NoError(t, f.tryFree(l.RecordID))
		f.requireState(t, idem.StateAbsent, l)
		f.requireFenced(t, l)
		require.ErrorIs(t, f.tryFree(l.RecordID), idem.ErrNoRecord)

		fresh := f.lease(t, newLease(l.Key))
		f.requireFenced(t, l)
		assert.Empty(t, f.phaseNames(t, fresh))
		gone := newLease(l.Key)
		gone.RecordID = l.RecordID
		f.requireNoPhases(t, gone)
	}
}

func resolveNothingElse[Tx any](t *testing.T, f *fixture[Tx]) {
	taken := f.lease(t, newLease("taken over"))
	f.clock.advance(leaseTime)
	taken, _ = f.takeOver(t, taken)
	for _, l := range append(f.settled(t), taken) {
		before := f.lookup(t, newLease(l.Key))
		require.ErrorIs(t, f.tryResolve(l.RecordID, failed(500)), idem.ErrNotStuck, l.Key)
		require.ErrorIs(t, f.tryFree(l.RecordID), idem.ErrNotStuck, l.Key)
		require.ErrorIs(t, f.tryRetry(l.RecordID), idem.ErrNotStuck, l.Key)
		assert.Equal(t, before, f.lookup(t, newLease(l.Key)), l.Key)
	}
	require.ErrorIs(t, f.tryResolve(idem.NewUUID(), failed(500)), idem.ErrNoRecord)
	require.ErrorIs(t, f.tryFree(idem.NewUUID()), idem.ErrNoRecord)
	require.ErrorIs(t, f.tryRetry(idem.NewUUID()), idem.ErrNoRecord)

	for _, l := range f.stuckPair(t) {
		before := f.lookup(t, newLease(l.Key))
		for _, state := range []idem.State{idem.StateAbsent, idem.StateInFlight, idem.StateFailedRetryable, idem.StateUnknown} {
			err := f.tryResolve(l.RecordID, idem.Completion{State: state})
			require.Error(t, err)
			require.NotErrorIs(t, err, idem.ErrNotStuck, "state %d is no outcome", state)
		}
		assert.Equal(t, before, f.lookup(t, newLease(l.Key)), l.Key)
	}
}

func resolveAgainstTakeOver[Tx any](t *testing.T, f *fixture[Tx]) {
	for round := range 12 {
		l := f.lease(t, newLease(fmt.Sprint("round ", round)))
		f.clock.advance(leaseTime)
		var (
			all                    sync.WaitGroup
			resolved, freed, taken error
		)
		all.Go(func() { resolved = f.tryResolve(l.RecordID, completed("resolved")) })
		all.Go(func() { freed = f.tryFree(l.RecordID) })
		all.Go(func() { _, taken = f.tryTakeOver(f.ctx, next(l)) })
		all.Wait()
		winners := 0
		for err, lost := range map[*error][]error{
			&resolved: {idem.ErrNotStuck, idem.ErrNoRecord}, &freed: {idem.ErrNotStuck, idem.ErrNoRecord}, &taken: {idem.ErrFenced},
		} {
			if *err == nil {
				winners++
				continue
			}
			assert.True(t, errors.Is(*err, lost[0]) || errors.Is(*err, lost[len(lost)-1]), "%v", *err)
		}
		assert.Equal(t, 1, winners)
	}
}

func resolveCancelled[Tx any](t *testing.T, f *fixture[Tx]) {
	pair := f.stuckPair(t)
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	r := f.resolver()
	_, err := r.Stuck(ctx, 9)
	require.ErrorIs(t, err, context.Canceled)
	_, err = r.Inspect(ctx, pair[0].RecordID)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, r.Resolve(ctx, pair[0].RecordID, completed("{}")), context.Canceled)
	require.ErrorIs(t, r.Free(ctx, pair[1].RecordID), context.Canceled)
	assert.Len(t, f.stuck(t, 9), 2)
}
