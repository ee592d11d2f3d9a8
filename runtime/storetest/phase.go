package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func phaseCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"phase commits its writes, released phase undoes them", phaseCommits[Tx]},
		{"phases come back with the takeover, in their order", phasesComeBack[Tx]},
		{"phase name used twice commits nothing", phaseTwice[Tx]},
		{"phase after the lease was lost commits nothing", phaseAfterLost[Tx]},
		{"phase whose lease is over and not taken commits", phaseAfterLease[Tx]},
		{"last phase carries the outcome", lastPhase[Tx]},
		{"phase with what is no outcome commits nothing", phaseNoOutcome[Tx]},
		{"phase settles once", phaseSettlesOnce[Tx]},
		{"phase outlives the caller that began it", phaseOutlivesCaller[Tx]},
		{"open phase keeps no heartbeat and no takeover waiting", openPhase[Tx]},
		{"takeover knows every phase that was committed before it", phaseAgainstTakeOver[Tx]},
	}
}

func phaseCommits[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	f.phase(t, l, phase{name: "a", write: "w"})
	f.requireEffects(t, 1, "w")
	require.NoError(t, f.beginPhase(t, l, "w").Release(f.ctx))
	f.requireEffects(t, 1, "w")
	f.phase(t, l, phase{name: "b", write: "w"})
	f.requireEffects(t, 2, "w")
	p := f.requireState(t, idem.StateInFlight, l)
	assert.Equal(t, l.Token, p.Token)
	assert.Equal(t, leaseTime, p.LeaseLeft)
	assert.Equal(t, []string{"a", "b"}, f.phaseNames(t, l))
}

func phasesComeBack[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	want := []idem.PhaseRecord{
		{Name: "zeta", Result: []byte(`{"id": 1, "a":"é"}`)},
		{Name: "alpha", Result: []byte("sealed\x00\xff")},
		{Name: "Alpha", Result: []byte("null")},
		{Name: "beta two", Result: []byte(`""`)},
	}
	for _, p := range want[:3] {
		f.phase(t, l, phase{name: p.Name, result: string(p.Result)})
	}
	f.clock.advance(leaseTime)
	l, p := f.takeOver(t, l)
	assert.Equal(t, want[:3], p.Phases)
	f.phase(t, l, phase{name: want[3].Name, result: string(want[3].Result)})
	f.settle(t, l, idem.Completion{State: idem.StateFailedRetryable})
	_, p = f.takeOver(t, l)
	assert.Equal(t, want, p.Phases, "phases are the record's: each attempt adds its own")

	p.Phases[0].Result[0] = 'X'
	f.clock.advance(leaseTime)
	p, err := f.tryTakeOver(f.ctx, next(leaseOn(p)))
	require.NoError(t, err)
	assert.Equal(t, want, p.Phases, "what was handed out is a copy")
}

func phaseTwice[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	f.phase(t, l, phase{name: "a", result: "first"})
	done := completed("{}")
	require.ErrorIs(t, f.tryPhase(t, l, phase{name: "a", write: "twice"}), idem.ErrPhaseTwice)
	require.ErrorIs(t, f.tryPhase(t, l, phase{name: "a", write: "twice", outcome: &done}), idem.ErrPhaseTwice)
	f.requireEffects(t, 0, "twice")
	f.requireState(t, idem.StateInFlight, l)
	f.phase(t, l, phase{name: "b"})
	f.phase(t, f.lease(t, newLease("another record")), phase{name: "a"})

	f.clock.advance(leaseTime)
	l, p := f.takeOver(t, l)
	require.Len(t, p.Phases, 2)
	assert.Equal(t, "first", string(p.Phases[0].Result))
	require.ErrorIs(t, f.tryPhase(t, l, phase{name: "a", write: "twice"}), idem.ErrPhaseTwice)
	f.requireEffects(t, 0, "twice")
}

func phaseAfterLost[Tx any](t *testing.T, f *fixture[Tx]) {
	first := f.lease(t, newLease("k"))
	open := func() idem.HeldPhase[Tx] { return f.beginPhase(t, first, "open") }
	if f.can(ConcurrentTransactions) {
		early := open()
		open = func() idem.HeldPhase[Tx] { return early }
	}
	f.clock.advance(leaseTime)
	second, _ := f.takeOver(t, first)
	require.ErrorIs(t, open().Commit(f.ctx, idem.PhaseRecord{Name: "open"}, nil), idem.ErrFenced)
	f.phase(t, second, phase{name: "a"})
	require.ErrorIs(t, f.tryPhase(t, first, phase{name: "a", write: "late"}), idem.ErrFenced, "the name is the next attempt's")
	done := completed("late")
	require.ErrorIs(t, f.tryPhase(t, first, phase{name: "b", write: "late", outcome: &done}), idem.ErrFenced)
	f.requireEffects(t, 0, "open", "late")
	f.requireEffects(t, 1, "a")
	f.requireState(t, idem.StateInFlight, second)
	assert.Equal(t, []string{"a"}, f.phaseNames(t, second))
}

func phaseAfterLease[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	f.clock.advance(time.Hour)
	f.phase(t, l, phase{name: "a"})
	f.requireEffects(t, 1, "a")
	assert.True(t, f.requireState(t, idem.StateInFlight, l).LeaseOver, "a phase is no heartbeat")
	assert.Equal(t, []string{"a"}, f.phaseNames(t, l))
}

func lastPhase[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, done := range []idem.Completion{completed("done"), failed(409)} {
		write := fmt.Sprint("status ", done.Response.Status)
		l := f.lease(t, newLease(write))
		f.phase(t, l, phase{name: "first", write: write})
		f.phase(t, l, phase{name: "last", write: write, outcome: &done})
		f.requireEffects(t, 2, write) // phases are effects, whatever the response's status is
		p := f.findLeased(t, newLease(write))
		assert.Equal(t, done.State, p.State)
		assert.Equal(t, done.Response.Status, p.Response.Status)
		assert.Equal(t, string(done.Response.Body), string(p.Response.Body))
		f.requireFenced(t, l)
	}
}

func phaseNoOutcome[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	for _, state := range []idem.State{idem.StateAbsent, idem.StateInFlight, idem.StateFailedRetryable, idem.StateUnknown} {
		require.Error(t, f.tryPhase(t, l, phase{name: "a", outcome: &idem.Completion{State: state}}))
	}
	f.requireEffects(t, 0, "a")
	f.requireState(t, idem.StateInFlight, l)
	f.phase(t, l, phase{name: "a"})
}

func phaseOutlivesCaller[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	ctx, cancel := context.WithCancel(f.ctx)
	held, err := f.leases().BeginPhase(ctx, l, idem.BeginOptions{IdleTimeout: idleTimeout})
	require.NoError(t, err)
	cancel()
	time.Sleep(10 * time.Millisecond) // for whoever listens to ctx
	require.NoError(t, f.effects.Write(f.ctx, held.Tx(), "w"))
	require.NoError(t, held.Commit(f.ctx, idem.PhaseRecord{Name: "a"}, nil))
	f.requireEffects(t, 1, "w")
}

func phaseSettlesOnce[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("k"))
	for name, end := range map[string]func(idem.HeldPhase[Tx]) error{
		"committed": func(h idem.HeldPhase[Tx]) error { return h.Commit(f.ctx, idem.PhaseRecord{Name: "a"}, nil) },
		"refused":   func(h idem.HeldPhase[Tx]) error { _ = h.Commit(f.ctx, idem.PhaseRecord{Name: "a"}, nil); return nil },
		"released":  func(h idem.HeldPhase[Tx]) error { return h.Release(f.ctx) },
	} {
		l := l
		if name == "refused" {
			l.Token = idem.NewUUID()
		}
		held := f.beginPhase(t, l, name)
		tx := held.Tx()
		require.NoError(t, end(held), name)
		require.Error(t, attempt(func() error { return f.effects.Write(f.ctx, tx, "late") }), name)
		require.Error(t, held.Commit(f.ctx, idem.PhaseRecord{Name: "b"}, nil), name)
		_ = held.Release(f.ctx) // may be silent, must not undo
	}
	f.requireEffects(t, 1, "committed")
	f.requireEffects(t, 0, "refused", "released", "late")
	assert.Equal(t, []string{"a"}, f.phaseNames(t, l))
}

func openPhase[Tx any](t *testing.T, f *fixture[Tx]) {
	f.need(t, ConcurrentTransactions)
	l := f.lease(t, newLease("k"))
	held := f.beginPhase(t, l, "w")
	start := time.Now()
	lost, passed, err := f.leases().Extend(f.ctx, []idem.LeaseRef{l})
	require.NoError(t, err)
	require.Empty(t, lost)
	if len(passed) > 0 { // where a heartbeat would make the phase fail, it waits for the next one
		require.Equal(t, []idem.LeaseRef{l}, passed)
	}
	f.clock.advance(leaseTime)
	next, _ := f.takeOver(t, l)
	f.settle(t, next, completed("next"))
	assert.Less(t, time.Since(start), patience)
	require.ErrorIs(t, held.Commit(f.ctx, idem.PhaseRecord{Name: "a"}, nil), idem.ErrFenced)
	f.requireEffects(t, 0, "w")
}

// phaseAgainstTakeOver: the two at once, and each may come first. A phase that was committed and that the next attempt does not
// know would run twice.
func phaseAgainstTakeOver[Tx any](t *testing.T, f *fixture[Tx]) {
	for round := range 20 {
		name := fmt.Sprint("round ", round)
		l := f.lease(t, newLease(name))
		f.clock.advance(leaseTime)
		held := f.beginPhase(t, l, name)
		var (
			both      sync.WaitGroup
			committed error
			prior     idem.Prior
			taken     error
		)
		both.Go(func() { committed = held.Commit(f.ctx, idem.PhaseRecord{Name: name}, nil) })
		both.Go(func() { prior, taken = f.tryTakeOver(f.ctx, next(l)) })
		both.Wait()
		require.NoError(t, taken)
		known := slices.ContainsFunc(prior.Phases, func(p idem.PhaseRecord) bool { return p.Name == name })
		if committed == nil {
			assert.True(t, known, "the next attempt does not know a phase that happened")
			f.requireEffects(t, 1, name)
			continue
		}
		assert.False(t, known)
		f.requireEffects(t, 0, name)
	}
}
