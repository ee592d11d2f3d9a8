package memstore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// leased is a store at a clock that the test turns, with one leased claim in it.
type leased struct {
	*memstore.Store
	now   time.Time
	lease idem.LeaseRef
}

func newLeased(t *testing.T, change func(*idem.Claim)) *leased {
	t.Helper()
	l := &leased{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	l.Store = memstore.New(memstore.WithClock(func() time.Time { return l.now }))
	c := claimOf("k")
	c.Lease, c.Request = 30*time.Second, []byte("command")
	if change != nil {
		change(&c)
	}
	prior, err := l.ClaimLease(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, idem.StateAbsent, prior.State)
	l.lease = idem.LeaseRef{
		Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key, Before: c.Before, RecordID: c.RecordID, Token: c.Token, Lease: c.Lease,
	}
	return l
}

func (l *leased) takeOver(t *testing.T) (idem.Prior, error) {
	return l.TakeOver(t.Context(), idem.TakeOver{
		Scope: l.lease.Scope, Keyspace: l.lease.Keyspace, Key: l.lease.Key,
		From: l.lease.Token, Token: idem.NewUUID(), Lease: l.lease.Lease,
	})
}

func (l *leased) phase(t *testing.T, name string, outcome *idem.Completion, effects ...func()) error {
	t.Helper()
	held, err := l.BeginPhase(t.Context(), l.lease, idem.BeginOptions{})
	require.NoError(t, err)
	for _, effect := range effects {
		held.Tx().OnCommit(effect)
	}
	return held.Commit(t.Context(), idem.PhaseRecord{Name: name, Result: []byte(`{"n":1}`)}, outcome)
}

func (l *leased) look(t *testing.T) idem.Prior {
	t.Helper()
	prior, err := l.Lookup(t.Context(), l.lease.Scope, l.lease.Keyspace, l.lease.Key)
	require.NoError(t, err)
	return prior
}

func TestALeaseEndsAndIsTakenOver(t *testing.T) {
	l := newLeased(t, nil)
	require.NoError(t, l.phase(t, "create", nil))
	l.now = l.now.Add(30*time.Second - time.Nanosecond)
	assert.Equal(t, time.Nanosecond, l.look(t).LeaseLeft)
	_, err := l.takeOver(t)
	require.ErrorIs(t, err, idem.ErrFenced)

	l.now = l.now.Add(time.Nanosecond)
	assert.True(t, l.look(t).LeaseOver)
	prior, err := l.takeOver(t)
	require.NoError(t, err)
	assert.Equal(t, idem.StateInFlight, prior.State)
	assert.Equal(t, 2, prior.Attempt)
	assert.Equal(t, "command", string(prior.Request))
	assert.Equal(t, []idem.PhaseRecord{{Name: "create", Result: []byte(`{"n":1}`)}}, prior.Phases)

	require.ErrorIs(t, l.phase(t, "late", nil, func() { t.Error("a phase without a lease happened") }), idem.ErrFenced)
	require.ErrorIs(t, l.Settle(t.Context(), l.lease, created()), idem.ErrFenced)
	lost, _, err := l.Extend(t.Context(), []idem.LeaseRef{l.lease})
	require.NoError(t, err)
	assert.Equal(t, []idem.LeaseRef{l.lease}, lost)
}

func TestTheLastPhaseCompletes(t *testing.T) {
	l := newLeased(t, nil)
	ran := 0
	done := created()
	require.NoError(t, l.phase(t, "create", &done, func() {
		assert.Equal(t, idem.StateInFlight, l.look(t).State)
		ran++
	}))
	assert.Equal(t, 1, ran)
	assert.Equal(t, created().Response, l.look(t).Response)
	require.ErrorIs(t, l.phase(t, "again", nil), idem.ErrFenced)
}

func TestNobodyTakesOverWhileEffectsRun(t *testing.T) {
	l := newLeased(t, nil)
	l.now = l.now.Add(30 * time.Second)
	taken := make(chan idem.Prior, 1)
	require.NoError(t, l.phase(t, "create", nil, func() {
		go func() {
			prior, err := l.takeOver(t)
			assert.NoError(t, err)
			taken <- prior
		}()
		select {
		case prior := <-taken:
			taken <- prior
			t.Error("the phase's effects ran after its lease was lost")
		case <-time.After(20 * time.Millisecond):
		}
	}))
	assert.Len(t, (<-taken).Phases, 1)
}

func TestAPanickingEffectDoesNotLoseItsPhase(t *testing.T) {
	l := newLeased(t, nil)
	require.PanicsWithValue(t, "boom", func() { _ = l.phase(t, "create", nil, func() { panic("boom") }) })
	require.ErrorIs(t, l.phase(t, "create", nil), idem.ErrPhaseTwice)
}

func TestARecordOfTwoScopesAndABusinessKeyGoesAsOne(t *testing.T) {
	l := newLeased(t, func(c *idem.Claim) { c.Before, c.Business = `["old"]`, []byte("order 1") })
	other := claimOf("another key")
	other.Business = []byte("order 1")
	_, prior, err := l.Claim(t.Context(), other)
	require.NoError(t, err)
	assert.True(t, prior.Business)
	assert.Equal(t, "k", prior.Key)

	require.NoError(t, l.Settle(t.Context(), l.lease, idem.Completion{State: idem.StateUnknown}))
	l.now = l.now.Add(time.Hour)
	swept, err := l.Sweep(t.Context(), 10)
	require.NoError(t, err)
	assert.Zero(t, swept)
	require.NoError(t, l.Free(t.Context(), l.lease.RecordID))
	old, err := l.Lookup(t.Context(), `["old"]`, l.lease.Keyspace, l.lease.Key)
	require.NoError(t, err)
	assert.Equal(t, idem.StateAbsent, old.State)
	require.NoError(t, claimed(t, l.Store, other).Release(t.Context()))
}

func TestEraseKnowsWhereAValueEnds(t *testing.T) {
	s := memstore.New()
	for _, scope := range []string{`["acme"]`, `["acme","ann"]`, `["acmeville"]`, `["a\"b"]`} {
		c := claimOf("k")
		c.Scope = scope
		require.NoError(t, claimed(t, s, c).Complete(t.Context(), created()))
	}
	erased, kept, err := s.Erase(t.Context(), "acme")
	require.NoError(t, err)
	assert.Equal(t, 2, erased)
	assert.Zero(t, kept)
	_, _, err = s.Erase(t.Context())
	require.Error(t, err)
}
