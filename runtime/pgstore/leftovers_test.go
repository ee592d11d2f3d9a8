package pgstore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// rows counts the store's rows: records, aliases, phases and business keys.
func (b *bench) rows() (n [4]int) {
	b.t.Helper()
	const sql = `select (select count(*) from idempotency_records where record_scope is null),
	  (select count(*) from idempotency_records where record_scope is not null),
	  (select count(*) from idempotency_phases), (select count(*) from idempotency_business_keys)`
	require.NoError(b.t, b.pool.QueryRow(b.ctx, sql).Scan(&n[0], &n[1], &n[2], &n[3]))
	return n
}

// whole makes a record with everything that one can have, which has expired when it has an outcome.
func (b *bench) whole(end idem.Completion) idem.LeaseRef {
	b.t.Helper()
	c := newClaim("k")
	c.Scope, c.Before, c.Business, c.Retention = `["acme","ann"]`, c.Scope, []byte("order"), 0
	l := b.lease(c)
	b.commit(b.phase(l), "a", nil)
	b.commit(b.phase(l), "b", nil)
	require.NoError(b.t, b.store.Settle(b.ctx, l, end))
	require.Equal(b.t, [4]int{1, 1, 2, 2}, b.rows())
	return l
}

// Whatever ends a record leaves nothing of it: what stays behind would stay for ever.
func TestNothingIsLeftOfARecord(t *testing.T) {
	unknown := idem.Completion{State: idem.StateUnknown}
	for name, c := range map[string]struct {
		end  idem.Completion
		gone func(b *bench, l idem.LeaseRef)
	}{
		"swept": {created(), func(b *bench, _ idem.LeaseRef) {
			n, err := b.store.Sweep(b.ctx, 10)
			require.NoError(b.t, err)
			assert.Equal(b.t, 1, n)
		}},
		"erased": {created(), func(b *bench, _ idem.LeaseRef) {
			n, kept, err := b.store.Erase(b.ctx, "acme", "ann")
			require.NoError(b.t, err)
			assert.Equal(b.t, [2]int{1, 0}, [2]int{n, kept})
		}},
		"freed": {unknown, func(b *bench, l idem.LeaseRef) { require.NoError(b.t, b.store.Free(b.ctx, l.RecordID)) }},
		"replaced by a record of its scope from before": {created(), func(b *bench, _ idem.LeaseRef) {
			require.NoError(b.t, b.hold(newClaim("k")).Complete(b.ctx, created()))
			require.Equal(b.t, [4]int{1, 0, 0, 0}, b.rows())
			_, _, err := b.store.Erase(b.ctx, "acme")
			require.NoError(b.t, err)
		}},
		"replaced by a lease with another business key": {created(), func(b *bench, _ idem.LeaseRef) {
			c := newClaim("k")
			c.Business = []byte("another order")
			b.lease(c)
			require.Equal(b.t, [4]int{1, 0, 0, 1}, b.rows())
			_, err := b.pool.Exec(b.ctx, "delete from idempotency_records; delete from idempotency_business_keys")
			require.NoError(b.t, err)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			c.gone(b, b.whole(c.end))
			assert.Equal(t, [4]int{}, b.rows())
		})
	}
}

// A program that does not know aliases takes over the record of one: the alias leads nowhere, and is swept by itself.
func TestAliasThatLeadsNowhereIsSwept(t *testing.T) {
	b := newBench(t, nil)
	b.whole(created())
	old := oldProgram{b}
	c := newClaim("k")
	old.complete(old.claim(c, oldTakeOverSQL), c, "old")
	require.Equal(t, [4]int{1, 1, 2, 2}, b.rows())
	n, err := b.store.Sweep(b.ctx, 10)
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.Equal(t, 0, b.rows()[1])
	assert.Equal(t, idem.StateCompleted, b.find("k").State)
}

// An alias lives as long as its record, which may outlive the time that both had at first.
func TestAliasOfAnExtendedRecordStays(t *testing.T) {
	b := newBench(t, nil)
	end := created()
	end.Retention = time.Hour
	b.whole(end)
	n, err := b.store.Sweep(b.ctx, 10)
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.Equal(t, [4]int{1, 1, 2, 2}, b.rows())
	now := newClaim("k")
	now.Scope = `["acme","ann"]`
	_, prior, err := b.store.Claim(b.ctx, now)
	require.NoError(t, err)
	assert.Equal(t, idem.StateCompleted, prior.State)
}

// The store's own transactions are read committed, whatever the pool's are: a takeover that waits for a phase's commit goes on.
func TestTakeOverAfterAPhaseInStrictIsolation(t *testing.T) {
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			b := newBench(t, isolated(level))
			c := newClaim("k")
			c.Lease = time.Nanosecond
			l := b.lease(c)
			tx, err := b.pool.Begin(b.ctx)
			require.NoError(t, err)
			_, err = tx.Exec(b.ctx, `insert into idempotency_phases (record_id, name, result, recorded_at) select record_id, 'a', '{}', now() from idempotency_records`)
			require.NoError(t, err)
			_, err = tx.Exec(b.ctx, "update idempotency_records set lease_until = lease_until")
			require.NoError(t, err)
			taken := make(chan idem.Prior, 1)
			go func() {
				prior, err := b.store.TakeOver(b.ctx, idem.TakeOver{
					Scope: l.Scope, Keyspace: l.Keyspace, Key: l.Key, From: l.Token, Token: idem.NewUUID(), Lease: time.Minute})
				assert.NoError(t, err)
				taken <- prior
			}()
			require.Eventually(t, func() (waits bool) {
				const sql = `select count(*) > 0 from pg_stat_activity where wait_event_type = 'Lock' and query like '%for update%'`
				require.NoError(t, b.pool.QueryRow(b.ctx, sql).Scan(&waits))
				return waits
			}, 20*time.Second, 5*time.Millisecond)
			require.NoError(t, tx.Commit(b.ctx))
			prior := <-taken
			require.Len(t, prior.Phases, 1)
			assert.Equal(t, "a", prior.Phases[0].Name)
		})
	}
}
