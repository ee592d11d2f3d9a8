package idem_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// Retention counts from the claim. A run that outlasts it is answered and done once; the next request with the key is a new one.
func TestRetentionThatPassesWhileRunning(t *testing.T) {
	now := newClock()
	f := newFixture(t, func(f *fixture, _ *idem.Options) { f.store = memstore.New(memstore.WithClock(now.get)) })
	s := newStage(f)
	h := f.handler(s.handle)
	first := follow(h, 1, call{})
	soon(t, s.begun)
	now.advance(2 * f.op.Retention)
	assert.Equal(t, 409, send(h, call{}).status, "a record in flight does not expire")
	s.end <- made
	assert.Equal(t, 201, soon(t, first).status)

	next := follow(h, 1, call{})
	soon(t, s.begun)
	s.end <- made
	a := soon(t, next)
	assert.Equal(t, 201, a.status)
	assert.False(t, a.replayed())
	require.True(t, send(h, call{}).replayed())
	now.advance(f.op.Retention - time.Nanosecond)
	assert.True(t, send(h, call{}).replayed(), "to its last instant")
	assert.Len(t, f.ledger.all(), 2)
}
