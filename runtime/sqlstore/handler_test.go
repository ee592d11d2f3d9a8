package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// What a handler may do wrong with its transaction, and what comes of a completion as "created" after it: an error, and nothing that
// would be replayed.
func TestHandlerThatMishandlesItsTransaction(t *testing.T) {
	for name, c := range map[string]struct {
		do      func(b *bench, tx *sql.Tx)
		says    string     // empty: that the claim is lost
		becomes idem.State // what the key answers then
		effects int        // writes that the handler committed itself
	}{
		"Commit":   {func(b *bench, tx *sql.Tx) { require.NoError(b.t, tx.Commit()) }, "", idem.StateUnknown, 1},
		"Rollback": {func(b *bench, tx *sql.Tx) { require.NoError(b.t, tx.Rollback()) }, "", idem.StateAbsent, 0},
		"commit":   {func(b *bench, tx *sql.Tx) { b.raw(tx, "commit") }, "", idem.StateUnknown, 1},
		"commit and go on": {func(b *bench, tx *sql.Tx) {
			b.raw(tx, "commit")
			b.raw(tx, "insert into effects values ('w')")
		}, "", idem.StateUnknown, 2},
		"commit and begin": {func(b *bench, tx *sql.Tx) { b.raw(tx, "commit; begin; insert into effects values ('w')") }, "", idem.StateUnknown, 1},
		"commit and chain": {func(b *bench, tx *sql.Tx) { b.raw(tx, "commit and chain") }, "", idem.StateUnknown, 1},
		"commit and begin as the claim did": {func(b *bench, tx *sql.Tx) {
			b.raw(tx, "commit; begin; savepoint idemgen_claim; insert into effects values ('w')")
		}, "", idem.StateUnknown, 1},
		"roll back":           {func(b *bench, tx *sql.Tx) { b.raw(tx, "rollback") }, "", idem.StateAbsent, 0},
		"roll back and begin": {func(b *bench, tx *sql.Tx) { b.raw(tx, "rollback; begin; insert into effects values ('w')") }, "", idem.StateAbsent, 0},
		"delete the record":   {func(b *bench, tx *sql.Tx) { b.raw(tx, "delete from idempotency_records") }, "", idem.StateAbsent, 0},
		"take the claim away": {func(b *bench, tx *sql.Tx) {
			b.raw(tx, "update idempotency_records set claim_token = gen_random_uuid()")
		}, "", idem.StateAbsent, 0},
		"swallow an error": {func(b *bench, tx *sql.Tx) {
			_, err := tx.ExecContext(b.ctx, "select 1/0")
			require.Error(b.t, err)
		}, "aborted", idem.StateAbsent, 0},
		"leave rows open": {func(b *bench, tx *sql.Tx) {
			rows, err := tx.QueryContext(b.ctx, "select generate_series(1, 100000)") //nolint:sqlclosecheck // the handler leaves them open
			require.NoError(b.t, err)
			require.True(b.t, rows.Next())
			require.NoError(b.t, rows.Err())
		}, "left rows open", idem.StateAbsent, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			held := b.hold(newClaim("k"))
			held.(idem.Queuer).Queue("insert into effects values ('queued')")
			b.write(held.Tx(), "w")
			c.do(b, held.Tx())
			err := held.Complete(b.ctx, created())
			require.Error(t, err)
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, c.says == "", errors.Is(err, idem.ErrFenced), "%v", err)
			b.requireHealthy()
			assert.Equal(t, c.effects, b.count("w"))
			assert.Zero(t, b.count("queued"), "what was queued would have committed by itself")
			if c.becomes == idem.StateAbsent {
				b.requireFree("k")
				return
			}
			assert.Equal(t, c.becomes, b.find("k").State)
		})
	}
}

// The same in a phase. A record whose handler committed by itself is nobody's to try again.
func TestPhaseThatMishandlesItsTransaction(t *testing.T) {
	done := created()
	for name, c := range map[string]struct {
		do      func(b *bench, tx *sql.Tx)
		effects int
	}{
		"Commit":           {func(b *bench, tx *sql.Tx) { require.NoError(b.t, tx.Commit()) }, 1},
		"Rollback":         {func(b *bench, tx *sql.Tx) { require.NoError(b.t, tx.Rollback()) }, 0},
		"commit":           {func(b *bench, tx *sql.Tx) { b.raw(tx, "commit") }, 1},
		"commit and begin": {func(b *bench, tx *sql.Tx) { b.raw(tx, "commit; begin; insert into effects values ('w')") }, 1},
	} {
		for how, outcome := range map[string]*idem.Completion{"phase": nil, "last phase": &done} {
			t.Run(name+", "+how, func(t *testing.T) {
				b := newBench(t, nil)
				claim := newClaim("k")
				l := b.lease(claim)
				held := b.phase(l)
				b.write(held.Tx(), "w")
				c.do(b, held.Tx())
				require.ErrorIs(t, held.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, outcome), idem.ErrFenced)
				b.requireHealthy()
				assert.Equal(t, c.effects, b.count("w"))
				assert.Equal(t, idem.StateUnknown, b.find("k").State)
				stuck, err := b.store.Inspect(b.ctx, claim.RecordID)
				require.NoError(t, err)
				assert.Empty(t, stuck.Phases)
			})
		}
	}
}

func TestReleaseAfterTheHandlerCommittedSaysSo(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	require.NoError(t, held.Tx().Commit())
	require.ErrorIs(t, held.Release(b.ctx), idem.ErrFenced)
	assert.Equal(t, idem.StateUnknown, b.find("k").State)

	phase := b.phase(b.lease(newClaim("leased")))
	require.NoError(t, phase.Tx().Commit())
	require.ErrorIs(t, phase.Release(b.ctx), idem.ErrFenced)
	assert.Equal(t, idem.StateUnknown, b.find("leased").State)
	b.requireHealthy()
}

// A failure rolls the writes back, whatever else the handler left behind. An aborted transaction always does.
func TestFailureRollsBackWhateverWasLeft(t *testing.T) {
	for name, text := range map[string]string{
		"an aborted transaction": "select 1/0",
		"a savepoint":            "savepoint mine",
		"a setting":              "set local statement_timeout = '9s'",
	} {
		for _, undo := range []bool{true, false} {
			b := newBench(t, nil)
			held := b.hold(newClaim("k"))
			b.write(held.Tx(), "w")
			_, _ = held.Tx().ExecContext(b.ctx, text)
			done := refused()
			done.RollBackWrites = undo
			require.NoError(t, held.Complete(b.ctx, done), name)
			assert.Equal(t, 409, b.find("k").Response.Status, name)
			assert.Equal(t, !undo && name != "an aborted transaction", b.count("w") == 1, name)
			b.requireHealthy()
		}
	}
}

func TestWithoutTheSavepointNoFailureIsStored(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	b.write(held.Tx(), "w")
	b.raw(held.Tx(), "release savepoint idemgen_claim")
	require.Error(t, held.Complete(b.ctx, refused()))
	assert.Zero(t, b.count("w"))
	b.requireFree("k")
	b.requireHealthy()
}

func TestUnclaimedTransactionThatWentWrong(t *testing.T) {
	b := newBench(t, nil)
	begin := func(text string) idem.Held[*sql.Tx] {
		held, err := b.store.Begin(b.ctx, idem.BeginOptions{})
		require.NoError(t, err)
		b.write(held.Tx(), "w")
		held.(idem.Queuer).Queue("insert into effects values ('queued')")
		_, _ = held.Tx().ExecContext(b.ctx, text)
		return held
	}
	require.ErrorContains(t, begin("select 1/0").Complete(b.ctx, created()), "aborted", "its writes are lost, so it has not succeeded")
	require.ErrorIs(t, begin("rollback").Complete(b.ctx, created()), idem.ErrFenced)
	keep := refused()
	keep.RollBackWrites = false
	require.NoError(t, begin("select 1/0").Complete(b.ctx, keep))
	assert.Zero(t, b.count("w"))
	assert.Zero(t, b.count("queued"))
	require.NoError(t, begin("select 1").Complete(b.ctx, created()))
	assert.Equal(t, []int{1, 1}, []int{b.count("w"), b.count("queued")})
	b.requireHealthy()
}

// Statements that are queued run where the outcome is stored, and nowhere else.
func TestQueuedStatements(t *testing.T) {
	b := newBench(t, nil)
	settle := func(key, text string, c idem.Completion, args ...any) error {
		held := b.hold(newClaim(key))
		held.(idem.Queuer).Queue(text, args...)
		return held.Complete(b.ctx, c)
	}
	require.NoError(t, settle("done", "insert into effects values ($1)", created(), "kept"))
	require.NoError(t, settle("refused", "insert into effects values ($1)", refused(), "undone"))
	require.Error(t, settle("failing", "insert into effects values (null)", created()))
	assert.Equal(t, []int{1, 0}, []int{b.count("kept"), b.count("undone")})
	b.requireFree("failing")
	b.requireHealthy()
}

func TestNothingWorksAfterSettling(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	tx := held.Tx()
	require.NoError(t, held.Complete(b.ctx, created()))
	require.ErrorIs(t, effects.Write(b.ctx, tx, "late"), sql.ErrTxDone)
	require.ErrorIs(t, tx.Commit(), sql.ErrTxDone)
	require.ErrorIs(t, tx.Rollback(), sql.ErrTxDone)
	require.ErrorIs(t, held.Complete(b.ctx, created()), idem.ErrSettled)
	require.ErrorIs(t, held.Release(b.ctx), idem.ErrSettled)
	assert.Zero(t, b.count("late"))
}

// A handler that outlived its request: nobody waits for its statement, and nothing of it is kept.
func TestSettlingWhileAStatementRuns(t *testing.T) {
	for name, end := range map[string]func(idem.Held[*sql.Tx], context.Context) error{
		"release":  func(h idem.Held[*sql.Tx], ctx context.Context) error { return h.Release(ctx) },
		"complete": func(h idem.Held[*sql.Tx], ctx context.Context) error { return h.Complete(ctx, created()) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			held := b.hold(newClaim("k"))
			b.write(held.Tx(), "w")
			ended := make(chan error, 1)
			started := time.Now()
			go func() {
				_, err := held.Tx().ExecContext(b.ctx, "select pg_sleep(3)")
				ended <- err
			}()
			time.Sleep(100 * time.Millisecond)
			require.ErrorContains(t, end(held, b.ctx), "still runs a statement")
			assert.Less(t, time.Since(started), 2500*time.Millisecond)
			require.NoError(t, <-ended)
			b.requireFree("k")
			assert.Zero(t, b.count("w"))
			b.requireHealthy()
		})
	}
}

func TestHandlerKeepsTheSettingsOfThePool(t *testing.T) {
	b := newBench(t, nil)
	c := newClaim("k")
	c.IdleTimeout = 9 * time.Second
	held := b.hold(c)
	show := func(name string) (value string) {
		require.NoError(t, held.Tx().QueryRowContext(b.ctx, "select current_setting($1)", name).Scan(&value))
		return value
	}
	assert.Equal(t, []string{"0", "9s"}, []string{show("lock_timeout"), show("idle_in_transaction_session_timeout")})
	require.NoError(t, held.Release(b.ctx))
}
