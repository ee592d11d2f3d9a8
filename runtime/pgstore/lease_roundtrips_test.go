package pgstore_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func (b *bench) phase(l idem.LeaseRef) idem.HeldPhase[pgx.Tx] {
	b.t.Helper()
	held, err := b.store.BeginPhase(b.ctx, l, idem.BeginOptions{IdleTimeout: time.Minute})
	require.NoError(b.t, err)
	return held
}

func (b *bench) commit(held idem.HeldPhase[pgx.Tx], name string, outcome *idem.Completion) {
	b.t.Helper()
	require.NoError(b.t, held.Commit(b.ctx, idem.PhaseRecord{Name: name, Result: []byte("{}")}, outcome))
}

// Every way of a leased request, with the round trips and commits that it may cost: one of each more than the bare transaction,
// which has three and one.
func TestRoundTripsAndCommitsOfLeases(t *testing.T) {
	const insert = "insert into effects (name) values ($1)"
	done := created()
	// last runs a leased request of one phase whose first statement is sent by first.
	last := func(first func(b *bench, tx pgx.Tx) error) func(*bench, string) {
		return func(b *bench, key string) {
			held := b.phase(b.lease(newClaim(key)))
			require.NoError(b.t, first(b, held.Tx()))
			b.commit(held, "last", &done)
		}
	}
	steps := []struct {
		name string
		run  func(b *bench, key string)
		want pgtest.Counts
	}{
		{"one last phase, exec", last(func(b *bench, tx pgx.Tx) error {
			_, err := tx.Exec(b.ctx, insert, "w")
			return err
		}), pgtest.Counts{RoundTrips: 3, Commits: 2}},
		{"one last phase, exec without arguments", last(func(b *bench, tx pgx.Tx) error {
			_, err := tx.Exec(b.ctx, "insert into effects (name) values ('w');")
			return err
		}), pgtest.Counts{RoundTrips: 3, Commits: 2}},
		{"one last phase, one row", last(func(b *bench, tx pgx.Tx) error {
			var name string
			return tx.QueryRow(b.ctx, insert+" returning name", "w").Scan(&name)
		}), pgtest.Counts{RoundTrips: 3, Commits: 2}},
		{"one last phase, rows", last(func(b *bench, tx pgx.Tx) error {
			rows, err := tx.Query(b.ctx, insert+" returning name", "w")
			require.NoError(b.t, err)
			_, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		}), pgtest.Counts{RoundTrips: 3, Commits: 2}},
		{"one last phase, batch", last(func(b *bench, tx pgx.Tx) error {
			batch := &pgx.Batch{}
			batch.Queue(insert, "w")
			batch.Queue("update effects set name = name")
			return tx.SendBatch(b.ctx, batch).Close()
		}), pgtest.Counts{RoundTrips: 3, Commits: 2}},
		{"one last phase, several statements in one text", last(func(b *bench, tx pgx.Tx) error {
			_, err := tx.Exec(b.ctx, "insert into effects (name) values ('w'); select 1")
			return err
		}), pgtest.Counts{RoundTrips: 4, Commits: 2}},
		{"one last phase, no statement", last(func(*bench, pgx.Tx) error { return nil }), pgtest.Counts{RoundTrips: 2, Commits: 2}},
		{"phase, then an outcome by itself", func(b *bench, key string) {
			l := b.lease(newClaim(key))
			held := b.phase(l)
			require.NoError(b.t, effects.Write(b.ctx, held.Tx(), "w"))
			b.commit(held, "first", nil)
			require.NoError(b.t, b.store.Settle(b.ctx, l, done))
		}, pgtest.Counts{RoundTrips: 4, Commits: 3}},
		{"no phase", func(b *bench, key string) {
			require.NoError(b.t, b.store.Settle(b.ctx, b.lease(newClaim(key)), done))
		}, pgtest.Counts{RoundTrips: 2, Commits: 2}},
		{"phase that is released unused", func(b *bench, key string) {
			require.NoError(b.t, b.phase(b.lease(newClaim(key))).Release(b.ctx))
		}, pgtest.Counts{RoundTrips: 1, Commits: 1}},
		{"business key and two scopes", func(b *bench, key string) {
			c := newClaim(key)
			c.Scope, c.Before, c.Business = `["acme","ann"]`, c.Scope, []byte(key)
			held := b.phase(b.lease(c))
			require.NoError(b.t, effects.Write(b.ctx, held.Tx(), "w"))
			b.commit(held, "last", &done)
		}, pgtest.Counts{RoundTrips: 3, Commits: 2}},
		{"heartbeat", func(b *bench, _ string) {
			lost, _, err := b.store.Extend(b.ctx, []idem.LeaseRef{{Scope: `["acme"]`}, {Scope: `["acme"]`}})
			require.NoError(b.t, err)
			require.Len(b.t, lost, 2)
		}, pgtest.Counts{RoundTrips: 1, Commits: 1}},
		{"takeover of what is not there", func(b *bench, _ string) {
			_, err := b.store.TakeOver(b.ctx, idem.TakeOver{Scope: `["acme"]`})
			require.ErrorIs(b.t, err, idem.ErrFenced)
		}, pgtest.Counts{RoundTrips: 1, Commits: 1}},
		{"nothing is due", func(b *bench, _ string) {
			due, err := b.store.Due(b.ctx, idem.Due{Operations: map[string]time.Duration{"createPayment": time.Minute}, Limit: 9})
			require.NoError(b.t, err)
			require.Empty(b.t, due)
		}, pgtest.Counts{RoundTrips: 1, Commits: 1}},
	}
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			b, wire := watchedBench(t, mode)
			for _, step := range steps {
				step.run(b, step.name+" to prepare")
				wire.Reset()
				step.run(b, step.name)
				assert.Equal(t, step.want, wire.Counts(), step.name)
			}
			b.requireHealthy()
		})
	}
}

// A transactional claim of several rows costs no round trip more than one of a single row.
func TestRoundTripsOfClaimsWithBusinessKeyAndTwoScopes(t *testing.T) {
	b, wire := watchedBench(t, pgx.QueryExecModeCacheStatement)
	claim := func(key, business string) idem.Claim {
		c := newClaim(key)
		c.Scope, c.Before, c.Business = `["acme","ann"]`, c.Scope, []byte(business)
		return c
	}
	first := func(key string) {
		held := b.hold(claim(key, key))
		b.write(held, "w")
		require.NoError(t, held.Complete(b.ctx, created()))
	}
	first("to prepare")
	wire.Reset()
	first("first")
	assert.Equal(t, pgtest.Counts{RoundTrips: 3, Commits: 1}, wire.Counts())

	find := func(c idem.Claim) idem.Prior {
		held, prior, err := b.store.Claim(b.ctx, c)
		require.NoError(t, err)
		require.True(t, held == nil)
		return prior
	}
	counts := func(c idem.Claim) pgtest.Counts {
		wire.Reset()
		require.Equal(t, idem.StateCompleted, find(c).State)
		return wire.Counts()
	}
	now := newClaim("first")
	now.Scope = `["acme","ann"]`
	there := b.elsewhere()
	for range 2 { // the first time prepares
		b.store = there.elsewhere().store
		assert.Equal(t, idem.StateCompleted, find(claim("first", "first")).State)
	}
	b.store = there.elsewhere().store
	assert.Equal(t, pgtest.Counts{RoundTrips: 2, Rollbacks: 1}, counts(claim("first", "first")))
	assert.Equal(t, pgtest.Counts{RoundTrips: 1}, counts(claim("first", "first")), "remembered")
	assert.Equal(t, pgtest.Counts{RoundTrips: 3, Rollbacks: 1}, counts(claim("other", "first")), "by its business key")
	b.store = there.elsewhere().store
	assert.Equal(t, pgtest.Counts{RoundTrips: 3, Rollbacks: 1}, counts(now), "by its alias")
	assert.Equal(t, pgtest.Counts{RoundTrips: 2}, counts(now), "remembered, too")
}

// A key that is remembered and whose record is gone is claimed all the same.
func TestRememberedKeyWhoseRecordIsGone(t *testing.T) {
	b := newBench(t, nil)
	require.NoError(t, b.hold(newClaim("k")).Complete(b.ctx, created()))
	_, err := b.pool.Exec(b.ctx, "delete from idempotency_records")
	require.NoError(t, err)
	require.NoError(t, b.hold(newClaim("k")).Complete(b.ctx, created()))
	c := newClaim("leased")
	require.NoError(t, b.store.Settle(b.ctx, b.lease(c), created()))
	_, err = b.pool.Exec(b.ctx, "delete from idempotency_records")
	require.NoError(t, err)
	b.lease(newClaim("leased"))
}
