package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func expiryCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"expired record is absent and its key runs again", expiredRunsAgain[Tx]},
		{"expired record goes to one of many", expiredToOneOfMany[Tx]},
		{"released takeover leaves the key free", expiredReleased[Tx]},
		{"failure after a takeover rolls its writes back", expiredRollBack[Tx]},
		{"failures expire too", failuresExpire[Tx]},
		{"record in flight does not expire", inFlightDoesNotExpire[Tx]},
		{"forever does not expire", forever[Tx]},
	}
}

// short is a retention that passes while a test waits.
const short = 5 * time.Millisecond

// expired makes a record under key and waits until it has expired.
func (f *fixture[Tx]) expired(t *testing.T, key string, done idem.Completion) idem.Claim {
	t.Helper()
	c := newClaim(key)
	c.Retention = short
	held := f.hold(t, c)
	f.write(t, held, key)
	f.complete(t, held, done)
	require.Eventually(t, func() bool { return f.lookup(t, c).State == idem.StateAbsent }, patience, time.Millisecond)
	return c
}

func expiredRunsAgain[Tx any](t *testing.T, f *fixture[Tx]) {
	old := f.expired(t, "k", completed("old"))
	c := newClaim("k")
	c.Operation, c.Fingerprints, c.Fields = "refundPayment", []byte("new"), []byte("newf")
	held := f.hold(t, c)
	f.write(t, held, "k")
	f.complete(t, held, completed("new"))
	f.requireEffects(t, 2, "k")

	prior := f.find(t, newClaim("k"))
	assert.Equal(t, idem.Prior{
		State: idem.StateCompleted, Operation: "refundPayment", RecordID: c.RecordID, Token: c.Token, Attempt: 1,
		Fingerprints: c.Fingerprints, Fields: c.Fields, Response: completed("new").Response,
		Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key,
	}, prior, "nothing of the old record is left")
	assert.NotEqual(t, old.RecordID, prior.RecordID)
	assert.Equal(t, "new", string(f.find(t, old).Response.Body), "the old token does not bring the old record back")
}

func expiredToOneOfMany[Tx any](t *testing.T, f *fixture[Tx]) {
	f.expired(t, "k", completed("old"))
	f.race(t, 16, "k")
	f.requireEffects(t, 2, "k")
}

func expiredReleased[Tx any](t *testing.T, f *fixture[Tx]) {
	old := f.expired(t, "k", completed("old"))
	held := f.hold(t, newClaim("k"))
	f.write(t, held, "k")
	f.release(t, held)
	f.requireEffects(t, 1, "k")
	require.Equal(t, idem.StateAbsent, f.lookup(t, old).State)
	f.release(t, f.hold(t, newClaim("k")))
}

func expiredRollBack[Tx any](t *testing.T, f *fixture[Tx]) {
	f.expired(t, "k", completed("old"))
	c := newClaim("k")
	held := f.hold(t, c)
	f.write(t, held, "k")
	done := failed(422)
	done.RollBackWrites = true
	f.complete(t, held, done)
	f.requireEffects(t, 1, "k")
	prior := f.find(t, newClaim("k"))
	assert.Equal(t, idem.StateFailedReplayable, prior.State)
	assert.Equal(t, c.RecordID, prior.RecordID)
}

func failuresExpire[Tx any](t *testing.T, f *fixture[Tx]) {
	f.expired(t, "k", failed(422))
	f.release(t, f.hold(t, newClaim("k")))
}

// inFlightDoesNotExpire: the retention passes while the handler runs. Its outcome is stored, and expired at once.
func inFlightDoesNotExpire[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newClaim("k")
	c.Retention = short
	held := f.hold(t, c)
	f.write(t, held, "w")
	time.Sleep(10 * short)
	require.Equal(t, idem.StateInFlight, f.find(t, newClaim("k")).State)
	f.complete(t, held, completed("{}"))
	f.requireEffects(t, 1, "w")
	require.Equal(t, idem.StateAbsent, f.lookup(t, c).State)
	f.release(t, f.hold(t, newClaim("k")))
}

func forever[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newClaim("k")
	c.Retention = idem.Forever
	f.complete(t, f.hold(t, c), completed("{}"))
	time.Sleep(10 * short)
	assert.Equal(t, idem.StateCompleted, f.lookup(t, c).State)
	assert.Equal(t, idem.StateCompleted, f.find(t, newClaim("k")).State)
}
