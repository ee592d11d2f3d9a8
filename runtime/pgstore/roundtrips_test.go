package pgstore_test

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

// watchedBench has one connection, so that statements are prepared once.
func watchedBench(t *testing.T, mode pgx.QueryExecMode) (*bench, *pgtest.Wire) {
	var wire *pgtest.Wire
	b := newBench(t, func(c *pgxpool.Config) {
		c.MaxConns = 1
		c.ConnConfig.DefaultQueryExecMode = mode
		wire = pgtest.Watch(c)
	})
	return b, wire
}

// Every kind of request, with the round trips and commits that it may cost. The floor is the bare transaction.
func TestRoundTripsAndCommits(t *testing.T) {
	insert := func(b *bench, tx pgx.Tx) {
		_, err := tx.Exec(b.ctx, "insert into effects (name) values ($1)", "w")
		require.NoError(b.t, err)
	}
	expired := func(where func(*bench) *bench) func(*bench, string) {
		return func(b *bench, _ string) {
			c := newClaim("expired")
			c.Retention = 0
			held := where(b).hold(c)
			insert(b, held.Tx())
			require.NoError(b.t, held.Complete(b.ctx, created()))
		}
	}
	steps := []struct {
		name string
		run  func(b *bench, key string)
		want pgtest.Counts
	}{
		{"floor", func(b *bench, _ string) {
			tx, err := b.pool.Begin(b.ctx)
			require.NoError(b.t, err)
			insert(b, tx)
			require.NoError(b.t, tx.Commit(b.ctx))
		}, pgtest.Counts{RoundTrips: 3, Commits: 1}},
		{"first request", func(b *bench, key string) {
			held := b.hold(newClaim(key))
			insert(b, held.Tx())
			require.NoError(b.t, held.Complete(b.ctx, created()))
		}, pgtest.Counts{RoundTrips: 3, Commits: 1}},
		{"first request that fails", func(b *bench, key string) {
			held := b.hold(newClaim(key))
			insert(b, held.Tx())
			require.NoError(b.t, held.Complete(b.ctx, refused()))
		}, pgtest.Counts{RoundTrips: 3, Commits: 1, Rollbacks: 1}}, // the rollback is one to the savepoint
		{"first request without a statement", func(b *bench, key string) {
			require.NoError(b.t, b.hold(newClaim(key)).Complete(b.ctx, created()))
		}, pgtest.Counts{RoundTrips: 2, Commits: 1}},
		{"request that is no outcome", func(b *bench, key string) {
			held := b.hold(newClaim(key))
			insert(b, held.Tx())
			require.NoError(b.t, held.Release(b.ctx))
		}, pgtest.Counts{RoundTrips: 3, Rollbacks: 1}},
		{"replay", func(b *bench, _ string) {
			require.Equal(b.t, idem.StateCompleted, b.find("replayed").State)
		}, pgtest.Counts{RoundTrips: 1}},
		{"replay in another process", func(b *bench, _ string) {
			require.Equal(b.t, idem.StateCompleted, b.elsewhere().find("replayed").State)
		}, pgtest.Counts{RoundTrips: 2, Rollbacks: 1}},
		{"lookup", func(b *bench, _ string) {
			prior, err := b.store.Lookup(b.ctx, `["acme"]`, "createPayment", "replayed")
			require.NoError(b.t, err)
			require.Equal(b.t, idem.StateCompleted, prior.State)
		}, pgtest.Counts{RoundTrips: 1}},
		{"expired record", expired((*bench).here), pgtest.Counts{RoundTrips: 4, Commits: 1}},
		{"expired record of another process", expired((*bench).elsewhere), pgtest.Counts{RoundTrips: 5, Commits: 1, Rollbacks: 1}},
		{"transaction without a claim", func(b *bench, _ string) {
			held, err := b.store.Begin(b.ctx, idem.BeginOptions{IdleTimeout: time.Minute})
			require.NoError(b.t, err)
			insert(b, held.Tx())
			require.NoError(b.t, held.Complete(b.ctx, created()))
		}, pgtest.Counts{RoundTrips: 3, Commits: 1}},
	}
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			b, wire := watchedBench(t, mode)
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

// An aborted transaction is the one case that costs a round trip more: going back to the savepoint comes first.
func TestAbortedTransactionCostsOneRoundTripMore(t *testing.T) {
	b, wire := watchedBench(t, pgx.QueryExecModeExec) // a failed statement would have to be prepared again in other modes
	held := b.hold(newClaim("k"))
	wire.Reset()
	_, err := held.Tx().Exec(b.ctx, "insert into effects (name) values (null)")
	require.Error(t, err)
	require.NoError(t, held.Complete(b.ctx, refused()))
	assert.Equal(t, pgtest.Counts{RoundTrips: 1 + 2, Commits: 1, Rollbacks: 1}, wire.Counts())
}

// A replay must not write: a transaction id would mean WAL and a flush of it.
func TestReplayTakesNoTransactionID(t *testing.T) {
	b := newBench(t, nil)
	require.NoError(t, b.hold(newClaim("k")).Complete(b.ctx, created()))
	next := func() (xid int64) {
		const sql = "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
		require.NoError(t, b.pool.QueryRow(b.ctx, sql).Scan(&xid))
		return xid
	}
	const replays = 50
	before := next()
	for range replays {
		b.elsewhere().find("k") // where nobody knows that it will be a replay
	}
	// Others may use the server; fifty replays with an id each would show.
	assert.Less(t, next()-before, int64(replays))
}

// Completions stay on the claim's page and leave the indexes alone.
func TestCompletionIsHOT(t *testing.T) {
	b := newBench(t, nil)
	const n = 100
	for range n {
		held := b.hold(newClaim(idem.NewUUID().String()))
		require.NoError(t, held.Complete(b.ctx, created()))
	}
	const sql = `select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relid = 'idempotency_records'::regclass`
	var all, hot int
	require.Eventually(t, func() bool { // the server gathers statistics a little later
		require.NoError(t, b.pool.QueryRow(b.ctx, sql).Scan(&all, &hot))
		return all >= n
	}, 30*time.Second, 50*time.Millisecond)
	assert.Equal(t, all, hot)
}
