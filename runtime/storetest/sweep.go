package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func sweepCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"sweep deletes what has expired, from that instant on", sweepExpired[Tx]},
		{"sweep keeps to its limit", sweepLimit[Tx]},
		{"sweep waits for nobody", sweepDoesNotWait[Tx]},
		{"cancelled sweep deletes nothing", sweepCancelled[Tx]},
	}
}

func sweepLeaseCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"sweep never takes what is in flight or unknown", sweepKeeps[Tx]},
		{"sweep takes a record's phases along", sweepPhases[Tx]},
	}
}

func (f *fixture[Tx]) trySweep(limit int) (n int, err error) {
	err = again(f.ctx, func() error { n, err = f.store.(idem.Sweeper).Sweep(f.ctx, limit); return err })
	return n, err
}

func (f *fixture[Tx]) sweep(t *testing.T, limit int) int {
	t.Helper()
	n, err := f.trySweep(limit)
	require.NoError(t, err)
	return n
}

// shorter is a claim of key whose record expires after d.
func shorter(key string, d time.Duration) idem.Claim {
	c := newClaim(key)
	c.Retention = d
	return c
}

func sweepExpired[Tx any](t *testing.T, f *fixture[Tx]) {
	f.complete(t, f.hold(t, shorter("completed", time.Minute)), completed("{}"))
	f.complete(t, f.hold(t, shorter("failed", time.Minute)), failed(422))
	f.complete(t, f.hold(t, shorter("longer", time.Minute+time.Millisecond)), completed("{}"))
	f.complete(t, f.hold(t, shorter("forever", idem.Forever)), completed("{}"))
	f.clock.advance(time.Minute - time.Millisecond)
	assert.Zero(t, f.sweep(t, 9))
	f.clock.advance(time.Millisecond)
	assert.Equal(t, 2, f.sweep(t, 9))
	assert.Zero(t, f.sweep(t, 9))
	assert.Equal(t, idem.StateCompleted, f.find(t, newClaim("longer")).State)
	f.clock.advance(1e6 * time.Hour)
	assert.Equal(t, 1, f.sweep(t, 9))
	assert.Equal(t, idem.StateCompleted, f.find(t, newClaim("forever")).State)
	for _, key := range []string{"completed", "failed", "longer"} {
		assert.Equal(t, idem.StateAbsent, f.lookup(t, newClaim(key)).State)
		f.complete(t, f.hold(t, newClaim(key)), completed("new"))
	}
	assert.Zero(t, f.sweep(t, 9), "records that took the place of expired ones")
}

func sweepLimit[Tx any](t *testing.T, f *fixture[Tx]) {
	for i := range 7 {
		f.complete(t, f.hold(t, shorter(fmt.Sprint(i), time.Minute)), completed("{}"))
	}
	f.clock.advance(time.Minute)
	assert.Zero(t, f.sweep(t, 0))
	var swept []int
	for range 4 {
		swept = append(swept, f.sweep(t, 3))
	}
	assert.Equal(t, []int{3, 3, 1, 0}, swept)
}

// sweepDoesNotWait: a transaction runs in the place of an expired record. It must neither keep the sweeper waiting nor lose
// its claim to it.
func sweepDoesNotWait[Tx any](t *testing.T, f *fixture[Tx]) {
	f.need(t, ConcurrentTransactions)
	for _, key := range []string{"running", "left"} {
		f.complete(t, f.hold(t, shorter(key, time.Minute)), completed("old"))
	}
	f.clock.advance(time.Minute)
	held := f.hold(t, newClaim("running"))
	f.write(t, held, "w")
	start := time.Now()
	assert.Equal(t, 1, f.sweep(t, 9))
	assert.Less(t, time.Since(start), patience)
	f.complete(t, held, completed("new"))
	f.requireEffects(t, 1, "w")
	assert.Zero(t, f.sweep(t, 9))
	assert.Equal(t, "new", string(f.find(t, newClaim("running")).Response.Body))
}

func sweepCancelled[Tx any](t *testing.T, f *fixture[Tx]) {
	f.complete(t, f.hold(t, shorter("k", time.Minute)), completed("{}"))
	f.clock.advance(time.Minute)
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	_, err := f.store.(idem.Sweeper).Sweep(ctx, 9)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, f.sweep(t, 9))
}

func sweepKeeps[Tx any](t *testing.T, f *fixture[Tx]) {
	alive := f.lease(t, newLease("alive"))
	over := f.lease(t, newLease("over"))
	unknown := f.lease(t, newLease("unknown"))
	f.settle(t, unknown, idem.Completion{State: idem.StateUnknown})
	retryable := f.lease(t, newLease("retryable"))
	f.settle(t, retryable, idem.Completion{State: idem.StateFailedRetryable})
	if f.can(ConcurrentTransactions) {
		held := f.hold(t, newClaim("transaction"))
		defer f.complete(t, held, completed("{}"))
	}
	f.clock.advance(1000 * retention)
	require.Empty(t, f.extend(t, alive))
	assert.Equal(t, 1, f.sweep(t, 9))
	assert.Zero(t, f.sweep(t, 9))
	f.requireState(t, idem.StateInFlight, alive)
	f.requireState(t, idem.StateInFlight, over)
	f.requireState(t, idem.StateUnknown, unknown)
	f.takeOver(t, over)
	f.lease(t, newLease("retryable"))
}

// sweepPhases: a record id that is used once more would meet phases that were left behind.
func sweepPhases[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newLease("k")
	l := f.lease(t, c)
	f.phase(t, l, phase{name: "a"})
	f.settle(t, l, completed("{}"))
	f.clock.advance(retention)
	require.Equal(t, 1, f.sweep(t, 9))
	f.requireNoPhases(t, c)
}

// requireNoPhases begins a record with the id of one that is gone.
func (f *fixture[Tx]) requireNoPhases(t *testing.T, gone idem.Claim) {
	t.Helper()
	c := newLease("after " + gone.Key)
	c.RecordID = gone.RecordID
	l := f.lease(t, c)
	assert.Empty(t, f.phaseNames(t, l))
}
