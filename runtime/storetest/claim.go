package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func claimCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"free key is claimed and shown to nobody", freeKey[Tx]},
		{"scopes and keyspaces are apart", apart[Tx]},
		{"keys are compared byte by byte", keysByteByByte[Tx]},
		{"another operation in one keyspace finds the record", otherOperation[Tx]},
		{"key in flight is refused within the lock timeout", inFlight[Tx]},
		{"key in flight is refused at once without a lock timeout", inFlightAtOnce[Tx]},
		{"waiting claim finds the outcome", waiterFindsOutcome[Tx]},
		{"waiting claim takes a released key", waiterTakesReleased[Tx]},
		{"own token is recognised", ownToken[Tx]},
		{"empty fingerprints and fields", emptyFingerprints[Tx]},
	}
}

func freeKey[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newClaim("k")
	require.Equal(t, idem.StateAbsent, f.lookup(t, c).State)
	held := f.hold(t, c)
	// Another process may not see the row yet, or may see it in flight; an outcome would be wrong.
	assert.Contains(t, []idem.State{idem.StateAbsent, idem.StateInFlight}, f.lookup(t, c).State)
	f.complete(t, held, completed("{}"))
	require.Equal(t, idem.StateCompleted, f.lookup(t, c).State)
}

func apart[Tx any](t *testing.T, f *fixture[Tx]) {
	first := newClaim("k")
	held := f.hold(t, first)
	f.write(t, held, "first")
	beside := f.can(ConcurrentTransactions)
	if !beside {
		f.complete(t, held, completed("first"))
	}

	otherScope, otherKeyspace := newClaim("k"), newClaim("k")
	otherScope.Scope = `["initech"]`
	otherKeyspace.Keyspace = "capturePayment"
	for _, c := range []idem.Claim{otherScope, otherKeyspace} {
		other := f.hold(t, c) // while the first is in flight, where that can be
		f.write(t, other, "other")
		f.complete(t, other, completed("other"))
	}
	if beside {
		f.complete(t, held, completed("first"))
	}

	f.requireEffects(t, 1, "first")
	f.requireEffects(t, 2, "other")
	assert.Equal(t, "first", string(f.find(t, newClaim("k")).Response.Body))
	otherScope.Token = idem.NewUUID()
	assert.Equal(t, "other", string(f.find(t, otherScope).Response.Body))
}

func keysByteByByte[Tx any](t *testing.T, f *fixture[Tx]) {
	keys := []string{"Key", "key", "key ", " key", "kéy", "ke\u0301y", "k'e\"y", `k\ey`, "k%_", "\u0001key", "𝄞"}
	for _, key := range keys {
		f.complete(t, f.hold(t, newClaim(key)), completed(key))
	}
	for _, key := range keys {
		assert.Equal(t, key, string(f.find(t, newClaim(key)).Response.Body))
	}
}

func otherOperation[Tx any](t *testing.T, f *fixture[Tx]) {
	f.complete(t, f.hold(t, newClaim("k")), completed("{}"))
	c := newClaim("k")
	c.Operation = "refundPayment"
	prior := f.find(t, c)
	assert.Equal(t, "createPayment", prior.Operation)
	assert.Equal(t, idem.StateCompleted, prior.State)
}

func inFlight[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, newClaim("k"))
	start := time.Now()
	assert.Equal(t, idem.StateInFlight, f.find(t, newClaim("k")).State)
	assert.Less(t, time.Since(start), patience)
	f.complete(t, held, completed("{}"))
	assert.Equal(t, idem.StateCompleted, f.find(t, newClaim("k")).State)
}

func inFlightAtOnce[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, newClaim("k"))
	c := newClaim("k")
	c.LockTimeout = 0 // no wait, not an endless one
	start := time.Now()
	assert.Equal(t, idem.StateInFlight, f.find(t, c).State)
	assert.Less(t, time.Since(start), patience)
	f.release(t, held)
}

// later settles after a claim had time to wait. The cases are right, only weaker, when it had not.
func later(settle func() error) <-chan error {
	done := make(chan error, 1)
	time.AfterFunc(30*time.Millisecond, func() { done <- settle() })
	return done
}

func waiterFindsOutcome[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, newClaim("k"))
	f.write(t, held, "w")
	done := later(func() error { return held.Complete(f.ctx, completed("outcome")) })
	c := newClaim("k")
	c.LockTimeout = patience
	prior := f.find(t, c)
	require.NoError(t, <-done)
	assert.Equal(t, idem.StateCompleted, prior.State)
	assert.Equal(t, "outcome", string(prior.Response.Body))
	f.requireEffects(t, 1, "w")
}

func waiterTakesReleased[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, newClaim("k"))
	f.write(t, held, "w")
	done := later(func() error { return held.Release(f.ctx) })
	c := newClaim("k")
	c.LockTimeout = patience
	second := f.hold(t, c)
	require.NoError(t, <-done)
	f.write(t, second, "w")
	f.complete(t, second, completed("{}"))
	f.requireEffects(t, 1, "w")
}

// ownToken is what a claimant does that never heard whether its commit happened.
func ownToken[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newClaim("k")
	f.complete(t, f.hold(t, c), completed("mine"))
	prior := f.find(t, c)
	assert.Equal(t, c.Token, prior.Token)
	assert.Equal(t, idem.StateCompleted, prior.State)
	assert.NotEqual(t, newClaim("k").Token, prior.Token)

	lost := newClaim("lost")
	f.release(t, f.hold(t, lost))
	f.release(t, f.hold(t, lost)) // nothing had happened: the same token takes the key
}

func emptyFingerprints[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newClaim("k")
	c.Fingerprints, c.Fields = nil, nil
	f.complete(t, f.hold(t, c), completed("{}"))
	prior := f.find(t, newClaim("k"))
	assert.Empty(t, prior.Fingerprints)
	assert.Empty(t, prior.Fields)
}
