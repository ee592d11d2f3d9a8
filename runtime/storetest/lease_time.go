package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// leaseTimeCases see that everything that asks for the time asks the store's own clock, too.
func leaseTimeCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"leases by the store's own clock", ownClockLeases[Tx]},
		{"retention of leased records by the store's own clock", ownClockRetention[Tx]},
	}
}

func brief(key string) idem.Claim {
	c := newLease(key)
	c.Lease = short
	return c
}

// waitUntil gives the record of l as soon as it is as it should be.
func (f *fixture[Tx]) waitUntil(t *testing.T, l idem.LeaseRef, is func(idem.Prior) bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		return is(f.lookup(t, idem.Claim{Scope: l.Scope, Keyspace: l.Keyspace, Key: l.Key}))
	}, patience, time.Millisecond)
}

func isOver(p idem.Prior) bool { return p.LeaseOver }

// requireLeft says that a lease of d has just begun.
func (f *fixture[Tx]) requireLeft(t *testing.T, d time.Duration, l idem.LeaseRef) {
	t.Helper()
	left := f.requireState(t, idem.StateInFlight, l).LeaseLeft
	assert.LessOrEqual(t, left, d)
	assert.Greater(t, left, d-2*patience)
}

func ownClockLeases[Tx any](t *testing.T, f *fixture[Tx]) {
	long := newLease("long")
	long.Lease = time.Hour
	f.requireLeft(t, time.Hour, f.lease(t, long))

	l := f.lease(t, brief("k"))
	f.waitUntil(t, l, isOver)
	l.Lease = 2 * time.Hour
	require.Empty(t, f.extend(t, l))
	f.requireLeft(t, 2*time.Hour, l)
	f.settle(t, l, idem.Completion{State: idem.StateInFlight, Delay: short})
	f.waitUntil(t, l, isOver)
	l, _ = f.takeOver(t, l)
	f.requireLeft(t, 2*time.Hour, l)
	f.settle(t, l, idem.Completion{State: idem.StateInFlight})
	taken := f.due(t, 9, "createPayment")
	require.Len(t, taken, 1)
	f.requireLeft(t, leaseTime, leaseOn(taken[0]))
}

func ownClockRetention[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newLease("k")
	c.Retention = short
	l := f.lease(t, c)
	long := completed("{}")
	long.Retention = time.Hour
	f.settle(t, l, long)
	brief := newLease("brief")
	brief.Retention = short
	l = f.lease(t, brief)
	f.settle(t, l, completed("{}"))
	f.waitUntil(t, l, func(p idem.Prior) bool { return p.State == idem.StateAbsent })
	assert.Equal(t, 1, f.sweep(t, 9))
	assert.Equal(t, idem.StateCompleted, f.lookup(t, c).State)
	f.lease(t, brief)
}
