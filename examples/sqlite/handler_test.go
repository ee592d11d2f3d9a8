package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// What a handler may do wrong with its transaction, and what comes of a completion as "created" after it.
func TestHandlerThatMishandlesItsTransaction(t *testing.T) {
	const insert = "insert into effects values ('w')"
	for name, c := range map[string]struct {
		do      func(b *bench, tx *sql.Tx)
		becomes idem.State // what the key answers then
		effects int        // writes that the handler committed itself
		inside  bool       // it is undone with the handler's other writes
	}{
		"Commit":   {func(b *bench, tx *sql.Tx) { require.NoError(b.t, tx.Commit()) }, idem.StateUnknown, 1, false},
		"Rollback": {func(b *bench, tx *sql.Tx) { require.NoError(b.t, tx.Rollback()) }, idem.StateAbsent, 0, false},
		"commit":   {func(b *bench, tx *sql.Tx) { b.raw(tx, "commit") }, idem.StateUnknown, 1, false},
		"commit and go on": {func(b *bench, tx *sql.Tx) {
			b.raw(tx, "commit")
			b.raw(tx, insert)
		}, idem.StateUnknown, 2, false},
		"commit and begin":    {func(b *bench, tx *sql.Tx) { b.raw(tx, "commit; begin; "+insert) }, idem.StateUnknown, 1, false},
		"roll back":           {func(b *bench, tx *sql.Tx) { b.raw(tx, "rollback") }, idem.StateAbsent, 0, false},
		"roll back and begin": {func(b *bench, tx *sql.Tx) { b.raw(tx, "rollback; begin; "+insert) }, idem.StateAbsent, 0, false},
		"roll back by a conflict": {func(b *bench, tx *sql.Tx) {
			b.raw(tx, "create table once (id integer primary key); insert into once values (1)")
			_, err := tx.ExecContext(b.ctx, "insert or rollback into once values (1)")
			require.Error(b.t, err)
		}, idem.StateAbsent, 0, false},
		"delete the record":   {func(b *bench, tx *sql.Tx) { b.raw(tx, "delete from idempotency_records") }, idem.StateAbsent, 0, true},
		"take the claim away": {func(b *bench, tx *sql.Tx) { b.raw(tx, "update idempotency_records set claim_token = 'x'") }, idem.StateAbsent, 0, true},
	} {
		for _, end := range []idem.Completion{created(), {State: idem.StateFailedReplayable, Response: idem.Response{Status: 409}, RollBackWrites: true}} {
			t.Run(fmt.Sprint(name, ", then ", end.Response.Status), func(t *testing.T) {
				b := newBench(t)
				held := b.hold(newClaim("k"))
				held.(idem.Queuer).Queue("insert into effects values ('queued')")
				b.write(held.Tx(), "w")
				c.do(b, held.Tx())
				err := held.Complete(b.ctx, end)
				if end.RollBackWrites && c.inside {
					require.NoError(t, err, "going back to the savepoint mends it")
					assert.Equal(t, end.State, b.find(newClaim("k")).State)
					assert.Zero(t, b.count("w")+b.count("queued"))
					return
				}
				require.ErrorIs(t, err, idem.ErrFenced)
				assert.Equal(t, c.effects, b.count("w"))
				assert.Zero(t, b.count("queued"), "what was queued would have committed by itself")
				b.requireFree("other") // the lock was given back
				if c.becomes == idem.StateAbsent {
					b.requireFree("k")
					return
				}
				assert.Equal(t, c.becomes, b.find(newClaim("k")).State)
			})
		}
	}
}

// The same in a phase, and in a transaction without a claim.
func TestOtherTransactionsThatAreMishandled(t *testing.T) {
	for name, do := range map[string]func(b *bench, tx *sql.Tx){
		"Commit":           func(b *bench, tx *sql.Tx) { require.NoError(b.t, tx.Commit()) },
		"commit":           func(b *bench, tx *sql.Tx) { b.raw(tx, "commit") },
		"commit and begin": func(b *bench, tx *sql.Tx) { b.raw(tx, "commit; begin; insert into effects values ('w')") },
	} {
		b := newBench(t)
		l := b.lease(newClaim("k"))
		phase := b.phase(l)
		b.write(phase.Tx(), "w")
		do(b, phase.Tx())
		require.ErrorIs(t, phase.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, nil), idem.ErrFenced, name)
		assert.Equal(t, 1, b.count("w"), name)
		assert.Equal(t, idem.StateUnknown, b.find(newClaim("k")).State, name)

		plain, err := b.store.Begin(b.ctx, idem.BeginOptions{})
		require.NoError(t, err)
		do(b, plain.Tx())
		require.ErrorIs(t, plain.Complete(b.ctx, created()), idem.ErrFenced, name)
		released := b.hold(newClaim("released"))
		do(b, released.Tx())
		require.True(t, errors.Is(released.Release(b.ctx), idem.ErrFenced) || name == "commit and begin", name)
		b.requireFree("other")
	}
}

// A statement that failed has changed nothing, and what else the handler wrote stands: SQLite does not abort transactions.
func TestFailedStatementDoesNotAbort(t *testing.T) {
	b := newBench(t)
	held := b.hold(newClaim("k"))
	b.write(held.Tx(), "w")
	_, err := held.Tx().ExecContext(b.ctx, "insert into effects values (null)")
	require.Error(t, err)
	require.NoError(t, held.Complete(b.ctx, created()))
	assert.Equal(t, 1, b.count("w"))
}

// Rows that the handler left open are closed, and the lock is given back.
func TestRowsThatAreLeftOpen(t *testing.T) {
	b := newBench(t)
	held := b.hold(newClaim("k"))
	for range 100 {
		b.write(held.Tx(), "w")
	}
	rows, err := held.Tx().QueryContext(b.ctx, "select name from effects") //nolint:sqlclosecheck // the handler leaves them open
	require.NoError(t, err)
	require.True(t, rows.Next())
	require.NoError(t, rows.Err())
	require.NoError(t, held.Complete(b.ctx, created()))
	assert.False(t, rows.Next())
	assert.Equal(t, 100, b.count("w"))
	b.requireFree("other")
}

// Nobody sees what is not committed, and nobody waits to see what is.
func TestReadersBesideTheWriter(t *testing.T) {
	b := newBench(t)
	require.NoError(t, b.hold(newClaim("done")).Complete(b.ctx, created()))
	held := b.hold(newClaim("running"))
	b.write(held.Tx(), "w")
	start := time.Now()
	assert.Equal(t, idem.StateCompleted, b.find(newClaim("done")).State, "a replay")
	assert.Equal(t, idem.StateCompleted, b.elsewhere().find(newClaim("done")).State, "in another process")
	assert.Zero(t, b.count("w"))
	prior, err := b.store.Lookup(b.ctx, `["acme"]`, "placeOrder", "running")
	require.NoError(t, err)
	assert.Equal(t, idem.StateAbsent, prior.State)
	assert.Less(t, time.Since(start), 3*time.Second)
	require.NoError(t, held.Complete(b.ctx, created()))
	assert.Equal(t, 1, b.count("w"))
}

// With one connection a duplicate cannot even read while the first request runs, and is told all the same what it waits for.
func TestDuplicateOnOneConnection(t *testing.T) {
	b := newBench(t)
	b.db.SetMaxOpenConns(1)
	held := b.hold(newClaim("k"))
	assert.Equal(t, idem.StateInFlight, b.find(newClaim("k")).State)
	require.NoError(t, held.Complete(b.ctx, created()))
	assert.Equal(t, idem.StateCompleted, b.find(newClaim("k")).State)
	require.Error(t, b.store.CheckLeases())
}

// Other requests wait for their turn, up to a bound; a duplicate is told what it waits for.
func TestWritersWaitForEachOther(t *testing.T) {
	b := newBench(t)
	held := b.hold(newClaim("k"))
	time.AfterFunc(200*time.Millisecond, func() { assert.NoError(t, held.Complete(b.ctx, created())) })
	assert.Equal(t, idem.StateInFlight, b.find(newClaim("k")).State)
	b.requireFree("another")

	held = b.hold(newClaim("long"))
	ctx, cancel := context.WithTimeout(b.ctx, 100*time.Millisecond)
	defer cancel()
	_, _, err := b.store.Claim(ctx, newClaim("another"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, held.Release(b.ctx))

	impatient := newBench(t, shortWait)
	held = impatient.hold(newClaim("k"))
	_, _, err = impatient.store.Claim(b.ctx, newClaim("another"))
	require.ErrorIs(t, err, idem.ErrStoreUnavailable)
	_, err = impatient.store.Begin(b.ctx, idem.BeginOptions{})
	require.ErrorIs(t, err, idem.ErrStoreUnavailable)
	assert.Equal(t, idem.StateInFlight, impatient.find(newClaim("k")).State)
	require.NoError(t, held.Release(b.ctx))
}

// A heartbeat that meets a long transaction lets the leases be; it is no loss, and no error.
func TestHeartbeatBesideALongTransaction(t *testing.T) {
	b := newBench(t, shortWait)
	l := b.lease(newClaim("k"))
	phase := b.phase(l)
	b.write(phase.Tx(), "w")
	for _, where := range []*bench{b, b.elsewhere(shortWait)} {
		lost, passed, err := where.store.Extend(b.ctx, []idem.LeaseRef{l})
		require.NoError(t, err)
		assert.Empty(t, lost)
		assert.Equal(t, []idem.LeaseRef{l}, passed)
	}
	require.NoError(t, phase.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, nil))
	lost, passed, err := b.store.Extend(b.ctx, []idem.LeaseRef{l})
	require.NoError(t, err)
	assert.Empty(t, append(lost, passed...))
}
