package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/runtime/idem"
)

func tombstoneCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{{"tombstone keeps status and headers, and says that the body is gone", tombstone[Tx]}}
}

func tombstoneLeaseCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{{"tombstone of a leased record", leasedTombstone[Tx]}}
}

// notKept is an outcome whose body is too large to be stored.
func notKept() idem.Completion {
	c := completed("not to be stored")
	c.NotKept = true
	return c
}

func requireTombstone(t *testing.T, p idem.Prior) {
	t.Helper()
	assert.Equal(t, idem.StateCompleted, p.State)
	assert.True(t, p.NotKept)
	assert.Equal(t, 201, p.Response.Status)
	assert.Equal(t, "application/json", p.Response.Header.Get("Content-Type"))
	assert.Empty(t, p.Response.Body)
}

func tombstone[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newClaim("k")
	c.Retention = time.Minute
	held := f.hold(t, c)
	f.write(t, held, "w")
	f.complete(t, held, notKept())
	f.requireEffects(t, 1, "w")
	requireTombstone(t, f.find(t, newClaim("k")))
	requireTombstone(t, f.lookup(t, newClaim("k")))

	f.complete(t, f.hold(t, newClaim("empty")), completed(""))
	assert.False(t, f.find(t, newClaim("empty")).NotKept, "an empty body is a body")

	f.clock.advance(time.Minute)
	f.complete(t, f.hold(t, newClaim("k")), completed("kept"))
	p := f.find(t, newClaim("k"))
	assert.False(t, p.NotKept)
	assert.Equal(t, "kept", string(p.Response.Body))
}

func leasedTombstone[Tx any](t *testing.T, f *fixture[Tx]) {
	done := notKept()
	f.settle(t, f.lease(t, newLease("settled")), done)
	f.phase(t, f.lease(t, newLease("phase")), phase{name: "last", outcome: &done})
	for _, key := range []string{"settled", "phase"} {
		requireTombstone(t, f.findLeased(t, newLease(key)))
	}
	f.clock.advance(retention)
	l := f.lease(t, newLease("settled"))
	assert.False(t, f.requireState(t, idem.StateInFlight, l).NotKept)
}
