package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// leaseTime is how long the attempts of leased cases may stay silent.
const leaseTime = 30 * time.Second

// newLease asks for a lease of key.
func newLease(key string) idem.Claim {
	c := newClaim(key)
	c.Lease, c.Request = leaseTime, []byte("command\x00\xff")
	return c
}

// leaseOf names the attempt that c began.
func leaseOf(c idem.Claim) idem.LeaseRef {
	return idem.LeaseRef{
		Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key, Before: c.Before, RecordID: c.RecordID, Token: c.Token, Lease: c.Lease,
	}
}

// leaseOn names the attempt that p describes.
func leaseOn(p idem.Prior) idem.LeaseRef {
	return idem.LeaseRef{
		Scope: p.Scope, Keyspace: p.Keyspace, Key: p.Key, Before: p.Before, RecordID: p.RecordID, Token: p.Token, Lease: leaseTime,
	}
}

// next asks for the attempt after l.
func next(l idem.LeaseRef) idem.TakeOver {
	return idem.TakeOver{
		Scope: l.Scope, Keyspace: l.Keyspace, Key: l.Key, Before: l.Before, From: l.Token, Token: idem.NewUUID(), Lease: l.Lease,
	}
}

func (f *fixture[Tx]) leases() idem.LeaseStore[Tx] { return f.store.(idem.LeaseStore[Tx]) }

// again repeats what a store could not serialise, as the engine does with everything that is one statement.
func again(ctx context.Context, f func() error) error {
	for {
		if err := f(); !errors.Is(err, idem.ErrSerialization) || ctx.Err() != nil {
			return err
		}
	}
}

func (f *fixture[Tx]) tryLease(ctx context.Context, c idem.Claim) (p idem.Prior, err error) {
	err = again(ctx, func() error { p, err = f.leases().ClaimLease(ctx, c); return err })
	return p, err
}

// lease claims a key that must be free.
func (f *fixture[Tx]) lease(t *testing.T, c idem.Claim) idem.LeaseRef {
	t.Helper()
	p, err := f.tryLease(f.ctx, c)
	require.NoError(t, err)
	require.Equal(t, idem.StateAbsent, p.State, "the key should be free")
	return leaseOf(c)
}

// findLeased claims a key that must be taken, and gives what stands there.
func (f *fixture[Tx]) findLeased(t *testing.T, c idem.Claim) idem.Prior {
	t.Helper()
	p, err := f.tryLease(f.ctx, c)
	require.NoError(t, err)
	require.NotEqual(t, idem.StateAbsent, p.State, "the key should be taken")
	return p
}

func (f *fixture[Tx]) tryTakeOver(ctx context.Context, t idem.TakeOver) (p idem.Prior, err error) {
	err = again(ctx, func() error { p, err = f.leases().TakeOver(ctx, t); return err })
	return p, err
}

// takeOver begins the attempt after l.
func (f *fixture[Tx]) takeOver(t *testing.T, l idem.LeaseRef) (idem.LeaseRef, idem.Prior) {
	t.Helper()
	n := next(l)
	p, err := f.tryTakeOver(f.ctx, n)
	require.NoError(t, err)
	require.Equal(t, n.Token, p.Token)
	l.Token = n.Token
	return l, p
}

func (f *fixture[Tx]) trySettle(l idem.LeaseRef, c idem.Completion) error {
	return again(f.ctx, func() error { return f.leases().Settle(f.ctx, l, c) })
}

func (f *fixture[Tx]) settle(t *testing.T, l idem.LeaseRef, c idem.Completion) {
	t.Helper()
	require.NoError(t, f.trySettle(l, c))
}

func (f *fixture[Tx]) extend(t *testing.T, leases ...idem.LeaseRef) (lost []idem.LeaseRef) {
	t.Helper()
	var passed []idem.LeaseRef
	err := again(f.ctx, func() (err error) { lost, passed, err = f.leases().Extend(f.ctx, leases); return err })
	require.NoError(t, err)
	require.Empty(t, passed, "no record is busy")
	return lost
}

// phase is a phase of one write.
type phase struct {
	name    string
	result  string
	write   string // the write's name; empty: the phase's
	outcome *idem.Completion
}

func (f *fixture[Tx]) beginPhase(t *testing.T, l idem.LeaseRef, write string) idem.HeldPhase[Tx] {
	t.Helper()
	held, err := f.leases().BeginPhase(f.ctx, l, idem.BeginOptions{IdleTimeout: idleTimeout})
	require.NoError(t, err)
	t.Cleanup(func() { _ = held.Release(context.WithoutCancel(f.ctx)) }) // a case that fails must not block the next ones
	require.NoError(t, f.effects.Write(f.ctx, held.Tx(), write))
	return held
}

// tryPhase runs p under l and gives the error of its commit.
func (f *fixture[Tx]) tryPhase(t *testing.T, l idem.LeaseRef, p phase) error {
	t.Helper()
	if p.write == "" {
		p.write = p.name
	}
	return f.beginPhase(t, l, p.write).Commit(f.ctx, idem.PhaseRecord{Name: p.name, Result: []byte(p.result)}, p.outcome)
}

func (f *fixture[Tx]) phase(t *testing.T, l idem.LeaseRef, p phase) {
	t.Helper()
	require.NoError(t, f.tryPhase(t, l, p))
}

// requireFenced says that l can change nothing.
func (f *fixture[Tx]) requireFenced(t *testing.T, l idem.LeaseRef) {
	t.Helper()
	at := func() idem.Prior { return f.lookup(t, idem.Claim{Scope: l.Scope, Keyspace: l.Keyspace, Key: l.Key}) }
	before := at()
	for _, state := range []idem.State{
		idem.StateCompleted, idem.StateFailedReplayable, idem.StateFailedRetryable, idem.StateUnknown, idem.StateInFlight,
	} {
		require.ErrorIs(t, f.trySettle(l, idem.Completion{State: state}), idem.ErrFenced, "settled with state %d", state)
	}
	done := completed("too late")
	require.ErrorIs(t, f.tryPhase(t, l, phase{name: "too late"}), idem.ErrFenced)
	require.ErrorIs(t, f.tryPhase(t, l, phase{name: "too late", outcome: &done}), idem.ErrFenced)
	f.requireEffects(t, 0, "too late")
	require.Equal(t, []idem.LeaseRef{l}, f.extend(t, l))
	require.Equal(t, before, at(), "an attempt that was fenced changed the record")
}

// phaseNames takes the record over, after its lease, to see which phases it has.
func (f *fixture[Tx]) phaseNames(t *testing.T, l idem.LeaseRef) []string {
	t.Helper()
	f.clock.advance(2 * leaseTime)
	_, p := f.takeOver(t, l)
	var names []string
	for _, phase := range p.Phases {
		names = append(names, phase.Name)
	}
	return names
}

// requireState says what stands under l's key.
func (f *fixture[Tx]) requireState(t *testing.T, want idem.State, l idem.LeaseRef) idem.Prior {
	t.Helper()
	p := f.lookup(t, idem.Claim{Scope: l.Scope, Keyspace: l.Keyspace, Key: l.Key})
	assert.Equal(t, want, p.State)
	return p
}
