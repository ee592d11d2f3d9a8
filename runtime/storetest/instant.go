package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/runtime/idem"
)

func instantCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"record expires at its instant", expiresAtItsInstant[Tx]},
		{"retention of a transaction counts from its claim", countsFromTheClaim[Tx]},
	}
}

func expiresAtItsInstant[Tx any](t *testing.T, f *fixture[Tx]) {
	f.complete(t, f.hold(t, shorter("k", time.Minute)), completed("{}"))
	f.clock.advance(time.Minute - time.Millisecond)
	assert.Equal(t, idem.StateCompleted, f.find(t, newClaim("k")).State)
	assert.Equal(t, idem.StateCompleted, f.lookup(t, newClaim("k")).State)
	f.clock.advance(time.Millisecond)
	assert.Equal(t, idem.StateAbsent, f.lookup(t, newClaim("k")).State)
	f.release(t, f.hold(t, newClaim("k")))
}

// countsFromTheClaim: Completion.Retention is for leases, and a slow handler does not make its record live longer.
func countsFromTheClaim[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, shorter("k", time.Minute))
	f.clock.advance(50 * time.Second)
	done := completed("{}")
	done.Retention = time.Hour
	f.complete(t, held, done)
	f.clock.advance(10*time.Second - time.Millisecond)
	assert.Equal(t, idem.StateCompleted, f.find(t, newClaim("k")).State)
	f.clock.advance(time.Millisecond)
	f.release(t, f.hold(t, newClaim("k")))
}
