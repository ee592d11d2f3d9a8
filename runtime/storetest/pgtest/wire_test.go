package pgtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func watched(t *testing.T, mode pgx.QueryExecMode) (*pgxpool.Pool, *pgtest.Wire) {
	cfg := pgtest.Config(t)
	cfg.MaxConns = 1
	cfg.ConnConfig.DefaultQueryExecMode = mode
	wire := pgtest.Watch(cfg)
	pool := pgtest.Open(t, cfg)
	_, err := pool.Exec(context.Background(), "create table item (name text)")
	require.NoError(t, err)
	return pool, wire
}

func TestWireCountsRoundTripsAndCommits(t *testing.T) {
	ctx := context.Background()
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeCacheStatement} {
		t.Run(mode.String(), func(t *testing.T) {
			pool, wire := watched(t, mode)
			bare := func(end func(pgx.Tx) error) {
				tx, err := pool.Begin(ctx)
				require.NoError(t, err)
				_, err = tx.Exec(ctx, "insert into item (name) values ($1)", "x")
				require.NoError(t, err)
				require.NoError(t, end(tx))
			}
			commit := func(tx pgx.Tx) error { return tx.Commit(ctx) }
			bare(commit) // prepares

			wire.Reset()
			bare(commit)
			assert.Equal(t, pgtest.Counts{RoundTrips: 3, Commits: 1}, wire.Counts())

			wire.Reset()
			bare(func(tx pgx.Tx) error { return tx.Rollback(ctx) })
			assert.Equal(t, pgtest.Counts{RoundTrips: 3, Rollbacks: 1}, wire.Counts())

			batch := func() {
				b := &pgx.Batch{}
				for range 5 {
					b.Queue("insert into item (name) values ($1)", "x")
				}
				require.NoError(t, pool.SendBatch(ctx, b).Close())
			}
			batch()
			wire.Reset()
			batch()
			assert.Equal(t, pgtest.Counts{RoundTrips: 1, Commits: 1}, wire.Counts(), "one implicit transaction")

			alone := func(sql string) pgtest.Counts {
				wire.Reset()
				_, _ = pool.Exec(ctx, sql)
				return wire.Counts()
			}
			assert.Equal(t, pgtest.Counts{RoundTrips: 1, Commits: 1}, alone("update item set name = 'y'"))
			assert.Equal(t, pgtest.Counts{RoundTrips: 1}, alone("update item set name = 'y' where false"))
			assert.Equal(t, pgtest.Counts{RoundTrips: 1}, alone("insert into item values ('z'); select 1/0"))
			assert.Equal(t, pgtest.Counts{RoundTrips: 1, Commits: 1}, alone("begin; insert into item values ('z'); commit"))
			assert.Equal(t, pgtest.Counts{RoundTrips: 1, Rollbacks: 1}, alone("begin; insert into item values ('z'); rollback"))
		})
	}
}

func TestWireDelays(t *testing.T) {
	ctx := context.Background()
	pool, wire := watched(t, pgx.QueryExecModeSimpleProtocol)
	wire.Delay(20 * time.Millisecond)
	start := time.Now()
	for range 3 {
		_, err := pool.Exec(ctx, "select 1")
		require.NoError(t, err)
	}
	assert.GreaterOrEqual(t, time.Since(start), 60*time.Millisecond)
}

func TestWireLosesRequestsAndAnswers(t *testing.T) {
	ctx := context.Background()
	pool, wire := watched(t, pgx.QueryExecModeExec)
	rows := func() (n int) {
		require.NoError(t, pool.QueryRow(ctx, "select count(*) from item").Scan(&n))
		return n
	}
	insert := func() error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "insert into item (name) values ($1)", "x")
			return err
		})
	}
	wire.LoseNextCommit()
	require.Error(t, insert())
	require.Equal(t, 1, rows(), "the server had committed")

	tx, err := pool.Begin(ctx)
	require.NoError(t, err)
	_, err = tx.Exec(ctx, "insert into item (name) values ($1)", "x")
	require.NoError(t, err)
	wire.LoseNextRequest()
	require.Error(t, tx.Commit(ctx))
	require.Equal(t, 1, rows(), "the server had heard nothing")
}
