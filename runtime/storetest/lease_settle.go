package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func leaseSettleCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"attempt ends in every state that it may", settleStates[Tx]},
		{"attempt ends once", settleOnce[Tx]},
		{"attempt that is handed back waits for its delay", settleDelay[Tx]},
		{"leased outcome comes back as it was", settledBytes[Tx]},
		{"late completion lives for its retention", lateCompletion[Tx]},
		{"cancelled caller settles its lease", cancelledLeaseSettles[Tx]},
		{"expired leased record is a new one", leasedRecordExpires[Tx]},
		{"what has no outcome does not expire", withoutOutcomeNoExpiry[Tx]},
	}
}

func settleStates[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, end := range []idem.Completion{
		completed("done"), failed(422), {State: idem.StateFailedRetryable}, {State: idem.StateUnknown},
	} {
		c := newLease("k" + string('0'+rune(end.State)))
		f.settle(t, f.lease(t, c), end)
		p := f.findLeased(t, newLease(c.Key))
		assert.Equal(t, end.State, p.State)
		assert.Equal(t, end.Response.Status, p.Response.Status)
		assert.Equal(t, string(end.Response.Body), string(p.Response.Body))
		assert.Equal(t, c.Token, p.Token)
		assert.False(t, p.LeaseOver)
		assert.Zero(t, p.LeaseLeft)
		f.clock.advance(leaseTime)
		assert.Equal(t, p, f.findLeased(t, newLease(c.Key)), "the lease's end is nothing to a record that is settled")
		assert.Equal(t, p, f.find(t, newClaim(c.Key)))
	}
	l := f.lease(t, newLease("refused"))
	for _, state := range []idem.State{idem.StateAbsent, idem.StateUnknown + 1} {
		require.Error(t, f.trySettle(l, idem.Completion{State: state}))
	}
	f.requireState(t, idem.StateInFlight, l)
}

func settleOnce[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, end := range []idem.Completion{
		completed("done"), failed(422), {State: idem.StateFailedRetryable}, {State: idem.StateUnknown},
	} {
		l := f.lease(t, newLease("k"+string('0'+rune(end.State))))
		f.settle(t, l, end)
		f.requireFenced(t, l)
	}
	absent := newLease("absent")
	f.requireFenced(t, leaseOf(absent))
}

func settleDelay[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, newLease("at once"))
	f.settle(t, l, idem.Completion{State: idem.StateInFlight})
	assert.True(t, f.requireState(t, idem.StateInFlight, l).LeaseOver)
	f.takeOver(t, l)

	for _, delay := range []time.Duration{time.Second, 5 * leaseTime} { // before and after the lease's own end
		l = f.lease(t, newLease(delay.String()))
		f.settle(t, l, idem.Completion{State: idem.StateInFlight, Delay: delay})
		f.clock.advance(delay - time.Millisecond)
		assert.Equal(t, time.Millisecond, f.requireState(t, idem.StateInFlight, l).LeaseLeft)
		_, err := f.tryTakeOver(f.ctx, next(l))
		require.ErrorIs(t, err, idem.ErrFenced)
		f.clock.advance(time.Millisecond)
		assert.True(t, f.requireState(t, idem.StateInFlight, l).LeaseOver)
		_, p := f.takeOver(t, l)
		assert.Equal(t, 2, p.Attempt)
	}
}

func settledBytes[Tx any](t *testing.T, f *fixture[Tx]) {
	done := completed("a\x00\xff {} \n")
	done.Response.Header.Add("Warning", "199 - one")
	done.Response.Header.Add("Warning", "caf\xe9, two")
	f.settle(t, f.lease(t, newLease("settled")), done)
	f.phase(t, f.lease(t, newLease("phase")), phase{name: "last", outcome: &done})
	for _, key := range []string{"settled", "phase"} {
		assert.Equal(t, done.Response, f.findLeased(t, newLease(key)).Response, key)
		assert.Equal(t, done.Response, f.lookup(t, newLease(key)).Response, key)
	}
}

// lateCompletion: a record answers for its retention after a late completion too, and never shorter than was promised at the claim.
func lateCompletion[Tx any](t *testing.T, f *fixture[Tx]) {
	cases := map[string]struct {
		late, retention, lives time.Duration
	}{
		"later than the claim's": {late: 50 * time.Minute, retention: retention, lives: retention},
		"earlier stays":          {late: 10 * time.Minute, retention: time.Minute, lives: 50 * time.Minute},
		"none leaves it":         {late: 10 * time.Minute, lives: 50 * time.Minute},
		"after the claim's end":  {late: 2 * retention, retention: time.Minute, lives: time.Minute},
		"for ever":               {late: time.Minute, retention: idem.Forever, lives: 1e6 * time.Hour},
	}
	for name, c := range cases {
		for how, settle := range map[string]func(idem.LeaseRef, idem.Completion) error{
			"settled": f.trySettle,
			"phase": func(l idem.LeaseRef, done idem.Completion) error {
				return f.tryPhase(t, l, phase{name: "last", outcome: &done})
			},
		} {
			l := f.lease(t, newLease(name+" "+how))
			f.clock.advance(c.late)
			done := completed("{}")
			done.Retention = c.retention
			require.NoError(t, settle(l, done))
			f.clock.advance(c.lives - time.Millisecond)
			assert.Equal(t, idem.StateCompleted, f.lookup(t, newLease(l.Key)).State, l.Key)
			f.clock.advance(time.Millisecond)
			want := idem.StateAbsent
			if c.retention == idem.Forever {
				want = idem.StateCompleted
			}
			assert.Equal(t, want, f.lookup(t, newLease(l.Key)).State, l.Key)
		}
	}
	always := newLease("for ever from the claim on")
	always.Retention = idem.Forever
	done := completed("{}")
	done.Retention = time.Minute
	f.settle(t, f.lease(t, always), done)
	f.clock.advance(1e6 * time.Hour)
	assert.Equal(t, idem.StateCompleted, f.lookup(t, always).State)
}

func cancelledLeaseSettles[Tx any](t *testing.T, f *fixture[Tx]) {
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	l := f.lease(t, newLease("settled"))
	require.NoError(t, f.leases().Settle(ctx, l, completed("{}")))
	f.requireState(t, idem.StateCompleted, l)

	l = f.lease(t, newLease("phase"))
	require.NoError(t, f.beginPhase(t, l, "committed").Commit(ctx, idem.PhaseRecord{Name: "a"}, nil))
	require.NoError(t, f.beginPhase(t, l, "released").Release(ctx))
	f.requireEffects(t, 1, "committed")
	f.requireEffects(t, 0, "released")
}

func leasedRecordExpires[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, end := range []idem.Completion{completed("old"), failed(422), {State: idem.StateFailedRetryable}} {
		key := "k" + string('0'+rune(end.State))
		old := f.lease(t, newLease(key))
		f.phase(t, old, phase{name: "create", result: "old"})
		f.settle(t, old, end)
		f.clock.advance(retention - time.Millisecond)
		require.Equal(t, end.State, f.findLeased(t, newLease(key)).State)
		f.clock.advance(time.Millisecond)
		require.Equal(t, idem.StateAbsent, f.lookup(t, newLease(key)).State)

		c := newLease(key)
		c.Request = []byte("new command")
		fresh := f.lease(t, c)
		f.requireFenced(t, old)
		p := f.requireState(t, idem.StateInFlight, fresh)
		assert.Equal(t, 1, p.Attempt)
		assert.Equal(t, c.RecordID, p.RecordID)
		assert.Equal(t, 0, p.Response.Status)
		f.phase(t, fresh, phase{name: "other"})
		f.clock.advance(leaseTime)
		_, p = f.takeOver(t, fresh)
		assert.Equal(t, "new command", string(p.Request))
		require.Len(t, p.Phases, 1, "the new record has the old one's phases")
		assert.Equal(t, "other", p.Phases[0].Name)
	}
	f.settle(t, f.lease(t, newLease("transaction")), completed("old"))
	f.clock.advance(retention)
	f.complete(t, f.hold(t, newClaim("transaction")), completed("new"))
	assert.Equal(t, "new", string(f.findLeased(t, newLease("transaction")).Response.Body))
}

func withoutOutcomeNoExpiry[Tx any](t *testing.T, f *fixture[Tx]) {
	running := f.lease(t, newLease("running"))
	unknown := f.lease(t, newLease("unknown"))
	f.settle(t, unknown, idem.Completion{State: idem.StateUnknown})
	f.clock.advance(1000 * retention)
	assert.Equal(t, idem.StateInFlight, f.findLeased(t, newLease("running")).State)
	assert.Equal(t, idem.StateUnknown, f.findLeased(t, newLease("unknown")).State)
	f.settle(t, running, completed("{}"))
	f.requireState(t, idem.StateAbsent, running) // its retention had passed, and none was asked for at the completion
}
