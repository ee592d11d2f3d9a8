package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func dueCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"due takes the longest waiting first, up to its limit", dueOrder[Tx]},
		{"due takes nothing but leases that are over", dueNothingElse[Tx]},
		{"due asks for operations", dueOperations[Tx]},
		{"what is due goes to one of many workers", dueShared[Tx]},
	}
}

func (f *fixture[Tx]) tryDue(limit int, operations ...string) (taken []idem.Prior, err error) {
	d := idem.Due{Operations: map[string]time.Duration{}, Limit: limit}
	for _, o := range operations {
		d.Operations[o] = leaseTime
	}
	err = again(f.ctx, func() error { taken, err = f.leases().Due(f.ctx, d); return err })
	return taken, err
}

func (f *fixture[Tx]) due(t *testing.T, limit int, operations ...string) []idem.Prior {
	t.Helper()
	taken, err := f.tryDue(limit, operations...)
	require.NoError(t, err)
	require.LessOrEqual(t, len(taken), limit)
	return taken
}

func dueOrder[Tx any](t *testing.T, f *fixture[Tx]) {
	first := map[string]idem.Claim{}
	for _, key := range []string{"c", "a", "d", "b"} {
		c := newLease(key)
		l := f.lease(t, c)
		f.phase(t, l, phase{name: "create " + key, result: `"` + key + `"`})
		first[key] = c
		f.clock.advance(time.Second)
	}
	f.clock.advance(leaseTime - 2*time.Second) // the last one is not over yet
	var order []string
	for _, limit := range []int{2, 2, 2} {
		for _, p := range f.due(t, limit, "createPayment") {
			order = append(order, p.Key)
			c := first[p.Key]
			assert.Equal(t, idem.StateInFlight, p.State)
			assert.Equal(t, 2, p.Attempt)
			assert.Equal(t, c.RecordID, p.RecordID)
			assert.NotEqual(t, c.Token, p.Token)
			assert.Equal(t, c.Request, p.Request)
			assert.Equal(t, []idem.PhaseRecord{{Name: "create " + p.Key, Result: []byte(`"` + p.Key + `"`)}}, p.Phases)
			assert.Equal(t, [2]string{c.Scope, c.Keyspace}, [2]string{p.Scope, p.Keyspace})
			assert.Equal(t, c.Fingerprints, p.Fingerprints)
			f.requireFenced(t, leaseOf(c))
			assert.Equal(t, leaseTime, f.requireState(t, idem.StateInFlight, leaseOn(p)).LeaseLeft)
			f.settle(t, leaseOn(p), completed(p.Key))
		}
	}
	assert.Equal(t, []string{"c", "a", "d"}, order)
	f.clock.advance(time.Second)
	require.Len(t, f.due(t, 9, "createPayment"), 1)
	assert.Equal(t, "d", string(f.findLeased(t, newLease("d")).Response.Body))
}

func dueNothingElse[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, end := range []idem.Completion{
		completed("{}"), failed(422), {State: idem.StateUnknown}, {State: idem.StateFailedRetryable},
	} {
		f.settle(t, f.lease(t, newLease("k"+string('0'+rune(end.State)))), end)
	}
	if f.can(ConcurrentTransactions) {
		held := f.hold(t, newClaim("transaction"))
		defer f.release(t, held)
	}
	back := f.lease(t, newLease("handed back"))
	f.settle(t, back, idem.Completion{State: idem.StateInFlight, Delay: 3 * leaseTime})
	f.clock.advance(2 * leaseTime)
	f.lease(t, newLease("alive"))
	assert.Empty(t, f.due(t, 9, "createPayment"))
	f.clock.advance(leaseTime - time.Millisecond)
	require.Empty(t, f.extend(t, leaseOn(f.lookup(t, newLease("alive")))))
	assert.Empty(t, f.due(t, 9, "createPayment"))
	f.clock.advance(time.Millisecond)
	assert.Empty(t, f.due(t, 0, "createPayment"))
	taken := f.due(t, 9, "createPayment")
	require.Len(t, taken, 1)
	assert.Equal(t, "handed back", taken[0].Key)
	assert.Empty(t, f.due(t, 9, "createPayment"))
}

func dueOperations[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, operation := range []string{"createPayment", "refundPayment", "createPay", "sendMail"} {
		c := newLease("k")
		c.Operation, c.Keyspace = operation, operation
		f.lease(t, c)
	}
	f.clock.advance(leaseTime)
	assert.Empty(t, f.due(t, 9))
	assert.Empty(t, f.due(t, 9, "unheard of"))
	taken, err := f.leases().Due(f.ctx, idem.Due{
		Operations: map[string]time.Duration{"refundPayment": time.Minute, "createPayment": time.Hour}, Limit: 9,
	})
	require.NoError(t, err)
	left := map[string]time.Duration{}
	for _, p := range taken {
		left[p.Operation] = f.requireState(t, idem.StateInFlight, leaseOn(p)).LeaseLeft
	}
	assert.Equal(t, map[string]time.Duration{"refundPayment": time.Minute, "createPayment": time.Hour}, left, "each operation has its own lease")
}

func dueShared[Tx any](t *testing.T, f *fixture[Tx]) {
	const records = 30
	for i := range records {
		f.lease(t, newLease(fmt.Sprint(i)))
	}
	f.clock.advance(leaseTime)
	var (
		mu    sync.Mutex
		seen  = map[string]int{}
		all   sync.WaitGroup
		total = func() int { mu.Lock(); defer mu.Unlock(); return len(seen) }
	)
	for range 6 {
		all.Go(func() {
			for total() < records && f.ctx.Err() == nil {
				taken, err := f.tryDue(4, "createPayment")
				if !assert.NoError(t, err) {
					return
				}
				mu.Lock()
				for _, p := range taken {
					seen[p.Key]++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	require.Len(t, seen, records)
	for key, times := range seen {
		assert.Equal(t, 1, times, key)
	}
}
