package idem_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// A record that is found by its business key is taken over where it stands, under another key or under none.
func TestLeasedTakeoverByBusinessKey(t *testing.T) {
	keys := map[string][2]string{
		"another key": {"key-1", "key-2"}, "no key": {"key-1", ""}, "key after no key": {"", "key-2"}, "no keys at all": {"", ""},
	}
	for name, key := range keys {
		for _, policy := range []idem.TakeoverPolicy{idem.Retake, idem.Recover} {
			t.Run(name, func(t *testing.T) {
				f := newLeasedFixture(t, policy, unique, func(_ *fixture, o *idem.Options) { o.Sealer = sealer(t) })
				var record idem.UUID
				var downstream string
				runs := 0
				first := leaseHandler(func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
					runs++
					if runs == 1 {
						record, downstream = l.RecordID(), l.DownstreamKey("psp")
					}
					assert.Equal(t, record, l.RecordID())
					assert.Equal(t, downstream, l.DownstreamKey("psp"))
					assert.Equal(t, runs, l.Attempt())
					assert.Equal(t, key[0], l.Key(), "the first request's, or none")
					_, err := f.write(ctx, l, "create")
					require.NoError(t, err)
					if runs == 1 {
						return idem.Response{}, errAttempt
					}
					return created(runs), nil
				})
				rescue := paymentRescue(func(ctx ctx, l *lease, cmd paymentCommand, _ idem.Prior) (idem.Response, error) {
					return first(ctx, l, cmd)
				})
				if policy != idem.Recover {
					rescue = nil
				}
				h := f.serves(t, first, rescue)
				require.Equal(t, 500, send(h, purchase(key[0], "order-1", "10")).status)
				assert.Equal(t, 422, send(h, purchase(key[1], "order-1", "11")).status, "another command takes nothing over")
				a := send(h, purchase(key[1], "order-1", "10.00"))
				assert.Equal(t, 201, a.status, a.body)
				assert.Equal(t, []string{"create"}, f.ledger.all())
				for _, again := range key {
					b := send(h, purchase(again, "order-1", "10"))
					assert.True(t, b.replayed())
					assert.Equal(t, a.body, b.body)
				}
			})
		}
	}
}

// What another attempt stored is found and opened where the record stands.
func TestLostLeaseOfARecordUnderAnotherKey(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, unique, func(_ *fixture, o *idem.Options) { o.Sealer = sealer(t) })
	runs := 0
	var h leaseHandler
	served := f.serves(t, func(ctx ctx, l *lease, cmd paymentCommand) (idem.Response, error) { return h(ctx, l, cmd) }, nil)
	h = func(ctx, *lease, paymentCommand) (idem.Response, error) { return idem.Response{}, errAttempt }
	require.Equal(t, 500, send(served, purchase("key-1", "order-1", "10")).status)

	h = func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) { // takes over by the business key, and loses the lease to a third one
		f.clock.advance(f.op.Lease)
		other := newEngine(t, f.fixture, idem.Options{Recover: -1, Sealer: sealer(t)})
		run(t, other)
		third := authenticated(idem.HandleLeased(other, f.op, decodePayment, f.charge(&runs), nil))
		require.Equal(t, 201, send(third, purchase("key-1", "order-1", "10")).status)
		return created(99), nil
	}
	a := send(served, purchase("key-2", "order-1", "10"))
	assert.True(t, a.replayed(), a.body)
	assert.Equal(t, `{"run": 1}`, a.body)
}

func TestLeasedRequestWithoutAnyKeyIsNotProtected(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover, unique)
	runs := 0
	h := f.serves(t, f.charge(&runs), nil)
	for range 2 {
		a := send(h, purchase("", "", "10"))
		assert.Equal(t, 201, a.status)
		assert.False(t, a.replayed())
	}
	assert.Len(t, f.ledger.all(), 4)
	charges, _ := f.psp.counts()
	assert.Equal(t, 2, charges, "two payments, which another system must not take for one")
	assert.Contains(t, f.events.kinds(), idem.EventUnkeyed)
	assert.Equal(t, 500, send(f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) { return idem.Response{}, errAttempt }, nil), purchase("", "", "10")).status)
}
