package pgstore_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

const insertEffect = "insert into effects (name) values ($1)"

func queue(held idem.Held[pgx.Tx], sql string, args ...any) { held.(idem.Queuer).Queue(sql, args...) }

func TestQueuedStatementsCommitWithTheOutcome(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	queue(held, insertEffect, "w")
	b.write(held, "w")
	assert.Equal(t, 0, b.count("w"))
	queue(held, "update effects set name = name || '!' where name = @name", pgx.NamedArgs{"name": "w"})
	queue(held, "select name from effects")
	require.NoError(t, held.Complete(b.ctx, created()))
	assert.Equal(t, 2, b.count("w!"), "after what the handler did, in the order in which they were queued")
	assert.Equal(t, idem.StateCompleted, b.find("k").State)

	plain, err := b.store.Begin(b.ctx, idem.BeginOptions{})
	require.NoError(t, err)
	queue(plain, insertEffect, "unclaimed")
	require.NoError(t, plain.Complete(b.ctx, created()))
	assert.Equal(t, 1, b.count("unclaimed"))
	b.requireHealthy()
}

func TestQueuedStatementsGoWithTheWrites(t *testing.T) {
	b := newBench(t, nil)
	keep := refused()
	keep.RollBackWrites = false
	for name, c := range map[string]struct {
		done    idem.Completion
		aborted bool
		effects int
	}{
		"kept":              {keep, false, 1},
		"rolled back":       {refused(), false, 0},
		"aborted":           {refused(), true, 0},
		"aborted, but kept": {keep, true, 0},
	} {
		held := b.hold(newClaim(name))
		queue(held, insertEffect, name)
		if c.aborted {
			_, err := held.Tx().Exec(b.ctx, "select 1/0")
			require.Error(t, err)
		}
		require.NoError(t, held.Complete(b.ctx, c.done), name)
		assert.Equal(t, c.effects, b.count(name), name)
		assert.Equal(t, idem.StateFailedReplayable, b.find(name).State, name)
	}
	released := b.hold(newClaim("released"))
	queue(released, insertEffect, "released")
	require.NoError(t, released.Release(b.ctx))
	assert.Zero(t, b.count("released"))
	b.requireHealthy()
}

// A queued statement that fails lets nothing commit, and is neither the fence nor a loss.
func TestQueuedStatementThatFails(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			b := newBench(t, inMode(mode))
			for sql, code := range map[string]string{
				"insert into effects (name) values (null)": "23502",
				"select 1/0":                                 "22012",
				"insert into nowhere values (1)":             "42P01",
				"no statement at all":                        "42601",
				"do $$ begin raise sqlstate '40001'; end $$": "40001",
			} {
				held := b.hold(newClaim("k"))
				b.write(held, "w")
				queue(held, insertEffect, "w")
				queue(held, sql)
				queue(held, insertEffect, "w")
				err := held.Complete(b.ctx, created())
				var pg *pgconn.PgError
				require.ErrorAs(t, err, &pg, sql)
				assert.Equal(t, code, pg.Code, sql)
				for _, sentinel := range []error{idem.ErrFenced, idem.ErrCommitUnknown, idem.ErrStoreUnavailable} {
					assert.NotErrorIs(t, err, sentinel, sql)
				}
				assert.Equal(t, code == "40001", errors.Is(err, idem.ErrSerialization), sql)
				assert.Zero(t, b.count("w"), sql)
				b.requireFree("k")
				b.requireHealthy()
			}
		})
	}
}

// What a queued statement commits by itself is treated like what a handler commits.
func TestQueuedCommitLosesTheClaim(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	queue(held, "commit")
	require.ErrorIs(t, held.Complete(b.ctx, created()), idem.ErrFenced)
	assert.Equal(t, idem.StateUnknown, b.find("k").State)
	b.requireHealthy()
}

func TestQueuedStatementsCostNoRoundTrip(t *testing.T) {
	b, wire := watchedBench(t, pgx.QueryExecModeCacheStatement)
	for range 2 { // the first time prepares
		wire.Reset()
		held := b.hold(newClaim(idem.NewUUID().String()))
		queue(held, insertEffect, "w")
		queue(held, "update effects set name = name")
		require.NoError(t, held.Complete(b.ctx, created()))
	}
	assert.Equal(t, pgtest.Counts{RoundTrips: 2, Commits: 1}, wire.Counts())
}
