package pgstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// What a handler may do wrong with its transaction, and what comes of a completion as "created" after it: an error, and nothing
// that would be replayed.
func TestHandlerThatMishandlesItsTransaction(t *testing.T) {
	for name, c := range map[string]struct {
		do      func(b *bench, tx pgx.Tx)
		says    string     // empty: that the claim is lost
		becomes idem.State // what the key answers then
		effects int        // writes that the handler committed itself
	}{
		"commit": {func(b *bench, tx pgx.Tx) { raw(b, tx, "commit") }, "", idem.StateUnknown, 1},
		"commit and go on": {func(b *bench, tx pgx.Tx) {
			raw(b, tx, "commit")
			raw(b, tx, "insert into effects values ('w')")
		}, "", idem.StateUnknown, 2},
		"commit and begin": {func(b *bench, tx pgx.Tx) {
			raw(b, tx, "commit")
			raw(b, tx, "begin")
			raw(b, tx, "insert into effects values ('w')")
		}, "", idem.StateUnknown, 1},
		"commit and chain": {func(b *bench, tx pgx.Tx) { raw(b, tx, "commit and chain") }, "", idem.StateUnknown, 1},
		"roll back":        {func(b *bench, tx pgx.Tx) { raw(b, tx, "rollback") }, "", idem.StateAbsent, 0},
		"roll back and begin": {func(b *bench, tx pgx.Tx) {
			raw(b, tx, "rollback; begin; insert into effects values ('w')")
		}, "", idem.StateAbsent, 0},
		"commit by way of the connection": {func(b *bench, tx pgx.Tx) {
			_, err := tx.Conn().Exec(b.ctx, "commit")
			require.NoError(b.t, err)
		}, "", idem.StateUnknown, 1},
		"delete the record": {func(b *bench, tx pgx.Tx) { raw(b, tx, "delete from idempotency_records") }, "", idem.StateAbsent, 0},
		"take the claim away": {func(b *bench, tx pgx.Tx) {
			raw(b, tx, "update idempotency_records set claim_token = gen_random_uuid()")
		}, "", idem.StateAbsent, 0},
		"swallow an error": {func(b *bench, tx pgx.Tx) {
			_, err := tx.Exec(b.ctx, "select 1/0")
			require.Error(b.t, err)
		}, "aborted", idem.StateAbsent, 0},
		"leave rows open": {func(b *bench, tx pgx.Tx) {
			rows, err := tx.Query(b.ctx, "select generate_series(1, 100000)")
			require.NoError(b.t, err)
			require.True(b.t, rows.Next())
		}, "unread", idem.StateAbsent, 0},
		"leave a query running": {func(b *bench, tx pgx.Tx) {
			// The server sends what fills its buffer, so the query returns; the last row takes its time.
			const sql = "select repeat('x', 100), case when i = 500 then pg_sleep(60)::text end from generate_series(1, 500) i"
			_, err := tx.Query(b.ctx, sql)
			require.NoError(b.t, err)
			b.awaitSleep(tx)
		}, "unread", idem.StateAbsent, 0},
		"leave a row unread": {func(b *bench, tx pgx.Tx) { tx.QueryRow(b.ctx, "select 1") }, "unread", idem.StateAbsent, 0},
		"leave a batch open": {func(b *bench, tx pgx.Tx) {
			batch := &pgx.Batch{}
			batch.Queue("insert into effects values ('w')")
			tx.SendBatch(b.ctx, batch)
		}, "unread", idem.StateAbsent, 0},
		"leave a nested transaction open": {func(b *bench, tx pgx.Tx) {
			nested, err := tx.Begin(b.ctx)
			require.NoError(b.t, err)
			raw(b, nested, "insert into effects values ('w')")
		}, "nested", idem.StateAbsent, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			held := b.hold(newClaim("k"))
			b.write(held, "w")
			c.do(b, held.Tx())
			err := held.Complete(b.ctx, created())
			require.Error(t, err)
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, c.says == "", errors.Is(err, idem.ErrFenced), "%v", err)
			b.requireHealthy()
			require.Eventually(t, func() bool { return b.count("w") == c.effects }, 10*time.Second, time.Millisecond)
			if c.becomes == idem.StateAbsent {
				b.requireFree("k")
				return
			}
			assert.Equal(t, c.becomes, b.find("k").State)
			prior, err := b.store.Lookup(b.ctx, `["acme"]`, "createPayment", "k")
			require.NoError(t, err)
			assert.Equal(t, c.becomes, prior.State)
		})
	}
}

// awaitSleep returns when the server sleeps for tx.
func (b *bench) awaitSleep(tx pgx.Tx) {
	b.t.Helper()
	const sql = "select count(*) > 0 from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'"
	pid := tx.Conn().PgConn().PID()
	require.Eventually(b.t, func() (sleeps bool) {
		require.NoError(b.t, b.pool.QueryRow(b.ctx, sql, pid).Scan(&sleeps))
		return sleeps
	}, 20*time.Second, 5*time.Millisecond)
}

func raw(b *bench, tx pgx.Tx, sql string) {
	b.t.Helper()
	_, err := tx.Exec(b.ctx, sql)
	require.NoError(b.t, err)
}

func TestReleaseAfterTheHandlerCommittedSaysSo(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	b.exec(held, "commit")
	require.ErrorIs(t, held.Release(b.ctx), idem.ErrFenced)
	assert.Equal(t, idem.StateUnknown, b.find("k").State)
	b.requireHealthy()
}

// A failure rolls the writes back, whatever else the handler left behind.
func TestFailureRollsBackWhateverWasLeft(t *testing.T) {
	for name, do := range map[string]func(*bench, pgx.Tx){
		"an aborted transaction": func(b *bench, tx pgx.Tx) { _, _ = tx.Exec(b.ctx, "select 1/0") },
		"a nested transaction":   func(b *bench, tx pgx.Tx) { _, _ = tx.Begin(b.ctx) },
		"a savepoint":            func(b *bench, tx pgx.Tx) { raw(b, tx, "savepoint mine") },
		"a setting":              func(b *bench, tx pgx.Tx) { raw(b, tx, "set local statement_timeout = '9s'") },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			held := b.hold(newClaim("k"))
			b.write(held, "w")
			do(b, held.Tx())
			require.NoError(t, held.Complete(b.ctx, refused()))
			assert.Equal(t, idem.StateFailedReplayable, b.find("k").State)
			assert.Zero(t, b.count("w"))
			b.requireHealthy()
		})
	}
}

// A unique violation that the handler turned into a 409 leaves an aborted transaction, also when it asked to keep its writes.
func TestAbortedTransactionAlwaysRollsBackToTheClaim(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	b.write(held, "w")
	_, err := held.Tx().Exec(b.ctx, "select 1/0")
	require.Error(t, err)
	keep := refused()
	keep.RollBackWrites = false
	require.NoError(t, held.Complete(b.ctx, keep))
	assert.Equal(t, 409, b.find("k").Response.Status)
	assert.Zero(t, b.count("w"))
}

// The work is done, so a caller that has gone must not undo it.
func TestCancelledCallerStillSettles(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	held := b.hold(newClaim("k"))
	b.write(held, "w")
	require.NoError(t, held.Complete(ctx, created()))
	assert.Equal(t, 1, b.count("w"))
	require.NoError(t, b.hold(newClaim("released")).Release(ctx))
	b.requireFree("released")
	b.requireHealthy()
}

// Only an outcome can be stored, so that nobody replays a record which is none.
func TestCompletionThatIsNoOutcomeIsRefused(t *testing.T) {
	b := newBench(t, nil)
	for _, state := range []idem.State{idem.StateAbsent, idem.StateInFlight, idem.StateFailedRetryable, idem.StateUnknown, 99} {
		held := b.hold(newClaim("k"))
		b.write(held, "w")
		require.Error(t, held.Complete(b.ctx, idem.Completion{State: state}), "state %d", state)
	}
	assert.Zero(t, b.count("w"))
	b.requireFree("k")
	b.requireHealthy()
}

func TestWithoutTheSavepointNoFailureIsStored(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	b.write(held, "w")
	b.exec(held, "release savepoint idemgen_claim")
	require.Error(t, held.Complete(b.ctx, refused()))
	assert.Zero(t, b.count("w"))
	b.requireFree("k")
	b.requireHealthy()
}

func TestUnclaimedTransactionThatWentWrong(t *testing.T) {
	b := newBench(t, nil)
	begin := func(sql string) idem.Held[pgx.Tx] {
		held, err := b.store.Begin(b.ctx, idem.BeginOptions{})
		require.NoError(t, err)
		b.write(held, "w")
		_, _ = held.Tx().Exec(b.ctx, sql)
		return held
	}
	require.Error(t, begin("select 1/0").Complete(b.ctx, created()), "its writes are lost, so it has not succeeded")
	require.ErrorIs(t, begin("rollback").Complete(b.ctx, created()), idem.ErrFenced)
	keep := refused()
	keep.RollBackWrites = false
	require.NoError(t, begin("select 1/0").Complete(b.ctx, keep))
	assert.Zero(t, b.count("w"))
	b.requireHealthy()
}

func TestCommitAndRollbackRefuse(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	b.write(held, "w")
	require.ErrorIs(t, held.Tx().Commit(b.ctx), pgstore.ErrManaged)
	require.ErrorIs(t, held.Tx().Rollback(b.ctx), pgstore.ErrManaged)
	b.write(held, "w")
	require.NoError(t, held.Complete(b.ctx, created()))
	assert.Equal(t, 2, b.count("w"))
}

func TestNestedTransactions(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	write := func(tx pgx.Tx, name string) error { return effects.Write(b.ctx, tx, name) }
	nest := func(tx pgx.Tx, name string, end error) {
		err := pgx.BeginFunc(b.ctx, tx, func(tx pgx.Tx) error {
			require.NoError(t, write(tx, name))
			return end
		})
		require.ErrorIs(t, err, end)
	}
	nest(held.Tx(), "kept", nil)
	nest(held.Tx(), "undone", assert.AnError)

	outer, err := held.Tx().Begin(b.ctx)
	require.NoError(t, err)
	inner, err := outer.Begin(b.ctx)
	require.NoError(t, err)
	require.NoError(t, write(inner, "kept"))
	require.NoError(t, outer.Commit(b.ctx), "ends the inner one as well")
	require.ErrorIs(t, outer.Commit(b.ctx), pgx.ErrTxClosed)

	failing, err := held.Tx().Begin(b.ctx)
	require.NoError(t, err)
	_, err = failing.Exec(b.ctx, "select 1/0")
	require.Error(t, err)
	require.NoError(t, failing.Rollback(b.ctx), "the transaction around it is whole again")

	require.NoError(t, held.Complete(b.ctx, created()))
	require.ErrorIs(t, inner.Rollback(b.ctx), idem.ErrSettled)
	assert.Equal(t, 2, b.count("kept"))
	assert.Zero(t, b.count("undone"))
}

func TestNothingWorksAfterSettling(t *testing.T) {
	b := newBench(t, func(c *pgxpool.Config) { c.MaxConns = 1 })
	held := b.hold(newClaim("k"))
	tx := held.Tx()
	nested, err := tx.Begin(b.ctx)
	require.NoError(t, err)
	require.NoError(t, nested.Commit(b.ctx))
	require.NotNil(t, tx.Conn().TypeMap())
	objects := tx.LargeObjects()
	_, err = objects.Create(b.ctx, 0)
	require.ErrorIs(t, err, pgx.ErrTxClosed, "never bound to the bare transaction")
	require.NoError(t, held.Complete(b.ctx, created()))

	for _, tx := range []pgx.Tx{tx, nested} {
		for name, use := range map[string]func() error{
			"Begin":    func() error { _, err := tx.Begin(b.ctx); return err },
			"Commit":   func() error { return tx.Commit(b.ctx) },
			"Rollback": func() error { return tx.Rollback(b.ctx) },
			"Exec":     func() error { _, err := tx.Exec(b.ctx, "select 1"); return err },
			"Query": func() error {
				rows, err := tx.Query(b.ctx, "select 1")
				assert.False(t, rows.Next())
				assert.Error(t, rows.Err())
				return err
			},
			"QueryRow": func() error { var n int; return tx.QueryRow(b.ctx, "select 1").Scan(&n) },
			"CopyFrom": func() error {
				_, err := tx.CopyFrom(b.ctx, pgx.Identifier{"effects"}, []string{"name"}, pgx.CopyFromRows([][]any{{"late"}}))
				return err
			},
			"SendBatch": func() error {
				batch := &pgx.Batch{}
				batch.Queue("insert into effects values ('late')")
				return tx.SendBatch(b.ctx, batch).Close()
			},
			"Prepare": func() error { _, err := tx.Prepare(b.ctx, "p", "select 1"); return err },
		} {
			err := use()
			require.ErrorIs(t, err, idem.ErrSettled, name)
			require.ErrorIs(t, err, pgx.ErrTxClosed, name)
		}
		assert.Nil(t, tx.Conn())
	}
	assert.Zero(t, b.count("late"))
}

// The whole of pgx.Tx works before.
func TestHandlerCanUseAllOfItsTransaction(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	tx := held.Tx()
	_, err := tx.Prepare(b.ctx, "insert_effect", "insert into effects (name) values ($1)")
	require.NoError(t, err)
	_, err = tx.Exec(b.ctx, "insert_effect", "w")
	require.NoError(t, err)
	n, err := tx.CopyFrom(b.ctx, pgx.Identifier{"effects"}, []string{"name"}, pgx.CopyFromRows([][]any{{"w"}, {"w"}}))
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	batch := &pgx.Batch{}
	batch.Queue("insert into effects (name) values ($1)", "w")
	require.NoError(t, tx.SendBatch(b.ctx, batch).Close())
	rows, err := tx.Query(b.ctx, "select name from effects")
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Len(t, names, 4)
	var seen int
	require.NoError(t, tx.QueryRow(b.ctx, "select count(*) from effects").Scan(&seen))
	require.Equal(t, 4, seen)
	require.NoError(t, held.Complete(b.ctx, created()))
	assert.Equal(t, 4, b.count("w"))
}

// A handler that outlived its request: its statement is stopped and its connection is not used again.
func TestReleaseWhileAStatementRuns(t *testing.T) {
	for name, end := range map[string]func(idem.Held[pgx.Tx], context.Context) error{
		"release":  func(h idem.Held[pgx.Tx], ctx context.Context) error { return h.Release(ctx) },
		"complete": func(h idem.Held[pgx.Tx], ctx context.Context) error { return h.Complete(ctx, created()) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			held := b.hold(newClaim("k"))
			b.write(held, "w")
			ended := make(chan error, 1)
			go func() {
				_, err := held.Tx().Exec(b.ctx, "select pg_sleep(60)")
				ended <- err
			}()
			b.awaitSleep(held.Tx())
			require.Error(t, end(held, b.ctx))
			require.Error(t, <-ended)
			b.requireFree("k")
			assert.Zero(t, b.count("w"))
			b.requireHealthy()
		})
	}
}

func TestHandlerKeepsTheSettingsOfThePool(t *testing.T) {
	b := newBench(t, func(c *pgxpool.Config) {
		c.MaxConns = 1
		c.ConnConfig.RuntimeParams["lock_timeout"] = "7s"
		c.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = "8s"
	})
	show := func(tx interface {
		QueryRow(context.Context, string, ...any) pgx.Row
	}, name string) (value string) {
		require.NoError(t, tx.QueryRow(b.ctx, "select current_setting($1)", name).Scan(&value))
		return value
	}
	settings := func(c idem.Claim) (lock, idle string) {
		held := b.hold(c)
		lock, idle = show(held.Tx(), "lock_timeout"), show(held.Tx(), "idle_in_transaction_session_timeout")
		require.NoError(t, held.Complete(b.ctx, created()))
		return lock, idle
	}
	c := newClaim("fresh")
	c.Retention = 0
	lock, idle := settings(c)
	assert.Equal(t, []string{"7s", "1min"}, []string{lock, idle})

	c.Token, c.RecordID, c.IdleTimeout = idem.NewUUID(), idem.NewUUID(), 0 // now expired: the takeover's statement
	lock, idle = settings(c)
	assert.Equal(t, []string{"7s", "8s"}, []string{lock, idle}, "no IdleTimeout leaves the pool's")
	assert.Equal(t, "7s", show(b.pool, "lock_timeout"))
	assert.Equal(t, "8s", show(b.pool, "idle_in_transaction_session_timeout"))
}
