package sqlstore_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// Every kind of request, with the round trips and commits that it costs with statements that are prepared. database/sql sends one statement
// at a time, so that they are more than pgstore's; the floor is the same bare transaction.
func TestRoundTripsAndCommits(t *testing.T) {
	expired := func(there func(*bench) *bench) func(*bench, string) {
		return func(b *bench, _ string) {
			c := newClaim("expired")
			c.Retention = 0
			held := there(b).hold(c)
			b.write(held.Tx(), "w")
			require.NoError(b.t, held.Complete(b.ctx, created()))
		}
	}
	here := func(b *bench) *bench { return b }
	done := created()
	steps := []struct {
		name string
		run  func(b *bench, key string)
		want pgtest.Counts
	}{
		{"floor", func(b *bench, _ string) {
			tx, err := b.db.BeginTx(b.ctx, nil)
			require.NoError(b.t, err)
			b.write(tx, "w")
			require.NoError(b.t, tx.Commit())
		}, pgtest.Counts{RoundTrips: 3, Commits: 1}},
		{"first request", func(b *bench, key string) {
			held := b.hold(newClaim(key))
			b.write(held.Tx(), "w")
			require.NoError(b.t, held.Complete(b.ctx, done))
		}, pgtest.Counts{RoundTrips: 6, Commits: 1}},
		{"first request that fails", func(b *bench, key string) {
			held := b.hold(newClaim(key))
			b.write(held.Tx(), "w")
			require.NoError(b.t, held.Complete(b.ctx, refused()))
		}, pgtest.Counts{RoundTrips: 7, Commits: 1, Rollbacks: 1}}, // the rollback is one to the savepoint
		{"request that is no outcome", func(b *bench, key string) {
			held := b.hold(newClaim(key))
			b.write(held.Tx(), "w")
			require.NoError(b.t, held.Release(b.ctx))
		}, pgtest.Counts{RoundTrips: 5, Rollbacks: 1}},
		{"replay", func(b *bench, _ string) {
			require.Equal(b.t, idem.StateCompleted, b.find("replayed").State)
		}, pgtest.Counts{RoundTrips: 1}},
		{"replay in another process", func(b *bench, _ string) {
			require.Equal(b.t, idem.StateCompleted, b.elsewhere().find("replayed").State)
		}, pgtest.Counts{RoundTrips: 4, Rollbacks: 1}},
		{"lookup", func(b *bench, _ string) {
			prior, err := b.store.Lookup(b.ctx, `["acme"]`, "createPayment", "replayed")
			require.NoError(b.t, err)
			require.Equal(b.t, idem.StateCompleted, prior.State)
		}, pgtest.Counts{RoundTrips: 1}},
		{"expired record", expired(here), pgtest.Counts{RoundTrips: 8, Commits: 1}},
		{"expired record of another process", expired((*bench).elsewhere), pgtest.Counts{RoundTrips: 11, Commits: 1, Rollbacks: 1}},
		{"transaction without a claim", func(b *bench, _ string) {
			held, err := b.store.Begin(b.ctx, idem.BeginOptions{IdleTimeout: time.Minute})
			require.NoError(b.t, err)
			b.write(held.Tx(), "w")
			require.NoError(b.t, held.Complete(b.ctx, done))
		}, pgtest.Counts{RoundTrips: 5, Commits: 1}},
		{"leased, one last phase", func(b *bench, key string) {
			held := b.phase(b.lease(newClaim(key)))
			b.write(held.Tx(), "w")
			require.NoError(b.t, held.Commit(b.ctx, idem.PhaseRecord{Name: "last"}, &done))
		}, pgtest.Counts{RoundTrips: 1 + 6, Commits: 2}},
		{"leased, no phase", func(b *bench, key string) {
			require.NoError(b.t, b.store.Settle(b.ctx, b.lease(newClaim(key)), done))
		}, pgtest.Counts{RoundTrips: 2, Commits: 2}},
		{"heartbeat", func(b *bench, _ string) {
			lost, _, err := b.store.Extend(b.ctx, []idem.LeaseRef{{Scope: `["acme"]`}, {Scope: `["acme"]`}})
			require.NoError(b.t, err)
			require.Len(b.t, lost, 2)
		}, pgtest.Counts{RoundTrips: 3, Commits: 1}},
		{"nothing is due", func(b *bench, _ string) {
			due, err := b.store.Due(b.ctx, idem.Due{Operations: map[string]time.Duration{"createPayment": time.Minute}, Limit: 9})
			require.NoError(b.t, err)
			require.Empty(b.t, due)
		}, pgtest.Counts{RoundTrips: 3, Commits: 1}},
	}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec} {
		t.Run(mode.String(), func(t *testing.T) {
			var wire *pgtest.Wire
			b := newBench(t, func(c *pgxpool.Config) {
				c.MaxConns = 1 // so that statements are prepared once
				c.ConnConfig.DefaultQueryExecMode = mode
				wire = pgtest.Watch(c)
			})
			require.NoError(t, b.hold(newClaim("replayed")).Complete(b.ctx, created()))
			old := newClaim("expired")
			old.Retention = 0
			require.NoError(t, b.hold(old).Complete(b.ctx, created()))
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
