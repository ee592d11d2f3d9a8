package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func settleCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"completion commits the writes", completeCommits[Tx]},
		{"release undoes the writes and frees the key", releaseFrees[Tx]},
		{"failure that rolls back keeps the outcome alone", rollBackWrites[Tx]},
		{"failure that keeps its writes", keepWrites[Tx]},
		{"settling twice fails and changes nothing", settleTwice[Tx]},
		{"nothing works after settling", useAfterSettling[Tx]},
		{"cancelled claim takes nothing", cancelledClaim[Tx]},
		{"cancelled caller settles", cancelledSettling[Tx]},
		{"transaction outlives the caller of its claim", outlivesCaller[Tx]},
		{"what is no outcome is refused", noOutcome[Tx]},
		{"transaction without a claim", withoutClaim[Tx]},
	}
}

func failed(status int) idem.Completion {
	return idem.Completion{State: idem.StateFailedReplayable, Response: idem.Response{Status: status, Body: []byte("no")}}
}

func completeCommits[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, newClaim("k"))
	f.write(t, held, "w")
	f.write(t, held, "w")
	if f.can(ConcurrentTransactions) {
		f.requireEffects(t, 0, "w")
	}
	f.complete(t, held, completed("{}"))
	f.requireEffects(t, 2, "w")
}

func releaseFrees[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newClaim("k")
	held := f.hold(t, c)
	f.write(t, held, "w")
	f.release(t, held)
	f.requireEffects(t, 0, "w")
	require.Equal(t, idem.StateAbsent, f.lookup(t, c).State)
	second := f.hold(t, newClaim("k"))
	f.write(t, second, "w")
	f.complete(t, second, completed("{}"))
	f.requireEffects(t, 1, "w")
}

func rollBackWrites[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, newClaim("k"))
	f.write(t, held, "w")
	done := failed(422)
	done.RollBackWrites = true
	f.complete(t, held, done)
	f.requireEffects(t, 0, "w")
	prior := f.find(t, newClaim("k"))
	assert.Equal(t, idem.StateFailedReplayable, prior.State)
	assert.Equal(t, 422, prior.Response.Status)
	assert.Equal(t, "no", string(prior.Response.Body))
}

func keepWrites[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, newClaim("k"))
	f.write(t, held, "w")
	f.complete(t, held, failed(402))
	f.requireEffects(t, 1, "w")
	assert.Equal(t, idem.StateFailedReplayable, f.find(t, newClaim("k")).State)
}

func settleTwice[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, newClaim("k"))
	f.write(t, held, "w")
	f.complete(t, held, completed("first"))
	require.Error(t, held.Complete(f.ctx, completed("second")))
	_ = held.Release(f.ctx) // may be silent, must not undo
	f.requireEffects(t, 1, "w")
	assert.Equal(t, "first", string(f.find(t, newClaim("k")).Response.Body))

	released := f.hold(t, newClaim("other"))
	f.release(t, released)
	require.Error(t, released.Complete(f.ctx, completed("late")))
	f.release(t, f.hold(t, newClaim("other")))
}

func useAfterSettling[Tx any](t *testing.T, f *fixture[Tx]) {
	settle := map[string]func(idem.Held[Tx]) error{
		"completed":   func(h idem.Held[Tx]) error { return h.Complete(f.ctx, completed("{}")) },
		"rolled back": func(h idem.Held[Tx]) error { c := failed(422); c.RollBackWrites = true; return h.Complete(f.ctx, c) },
		"released":    func(h idem.Held[Tx]) error { return h.Release(f.ctx) },
	}
	for name, end := range settle {
		held := f.hold(t, newClaim(name))
		tx := held.Tx()
		require.NoError(t, end(held), name)
		require.Error(t, attempt(func() error { return f.effects.Write(f.ctx, tx, "late") }), name)
	}
	f.requireEffects(t, 0, "late")
}

func cancelledClaim[Tx any](t *testing.T, f *fixture[Tx]) {
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	held, _, err := f.store.Claim(ctx, newClaim("k"))
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, held == nil)
	_, err = f.store.Begin(ctx, idem.BeginOptions{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = f.store.Lookup(ctx, "", "", "")
	require.ErrorIs(t, err, context.Canceled)
	f.release(t, f.hold(t, newClaim("k")))
}

// cancelledSettling: the work is done, and a caller that has gone must not undo it.
func cancelledSettling[Tx any](t *testing.T, f *fixture[Tx]) {
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	held := f.hold(t, newClaim("k"))
	f.write(t, held, "w")
	require.NoError(t, held.Complete(ctx, completed("{}")))
	f.requireEffects(t, 1, "w")
	assert.Equal(t, idem.StateCompleted, f.find(t, newClaim("k")).State)

	released := f.hold(t, newClaim("released"))
	f.write(t, released, "released")
	require.NoError(t, released.Release(ctx))
	f.requireEffects(t, 0, "released")
	f.release(t, f.hold(t, newClaim("released")))
}

// outlivesCaller: the client has gone, and the handler goes on.
func outlivesCaller[Tx any](t *testing.T, f *fixture[Tx]) {
	ctx, cancel := context.WithCancel(f.ctx)
	held, _, err := f.try(ctx, newClaim("k"))
	require.NoError(t, err)
	require.NotNil(t, held)
	cancel()
	time.Sleep(10 * time.Millisecond) // for whoever listens to ctx
	f.write(t, held, "claimed")
	f.complete(t, held, completed("{}"))

	ctx, cancel = context.WithCancel(f.ctx)
	held, err = f.store.Begin(ctx, idem.BeginOptions{IdleTimeout: idleTimeout})
	require.NoError(t, err)
	cancel()
	time.Sleep(10 * time.Millisecond)
	f.write(t, held, "begun")
	f.complete(t, held, completed("{}"))
	f.requireEffects(t, 1, "claimed", "begun")
}

func noOutcome[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, state := range []idem.State{idem.StateAbsent, idem.StateInFlight, idem.StateFailedRetryable, idem.StateUnknown} {
		held := f.hold(t, newClaim("k"))
		f.write(t, held, "w")
		require.Error(t, held.Complete(f.ctx, idem.Completion{State: state}))
		f.requireEffects(t, 0, "w")
	}
	f.release(t, f.hold(t, newClaim("k")))
}

func withoutClaim[Tx any](t *testing.T, f *fixture[Tx]) {
	begin := func(name string) idem.Held[Tx] {
		held, err := f.store.Begin(f.ctx, idem.BeginOptions{IdleTimeout: idleTimeout})
		require.NoError(t, err)
		f.write(t, held, name)
		return held
	}
	f.complete(t, begin("committed"), completed("{}"))
	f.requireEffects(t, 1, "committed")

	f.release(t, begin("released"))
	f.requireEffects(t, 0, "released")

	undone := failed(409)
	undone.RollBackWrites = true
	f.complete(t, begin("rolled back"), undone)
	f.requireEffects(t, 0, "rolled back")

	settled := begin("settled")
	tx := settled.Tx()
	f.complete(t, settled, completed("{}"))
	require.Error(t, settled.Complete(f.ctx, completed("{}")))
	require.Error(t, attempt(func() error { return f.effects.Write(f.ctx, tx, "late") }))
	f.requireEffects(t, 0, "late")
}
