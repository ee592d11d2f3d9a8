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
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// What a handler may do wrong with a phase's transaction, and what the key answers after its commit. What it committed itself stays,
// so nobody may run the operation again.
func TestHandlerThatMishandlesItsPhase(t *testing.T) {
	for name, c := range map[string]struct {
		do      func(b *bench, tx pgx.Tx)
		says    string     // empty: that the claim is lost
		becomes idem.State // what the key answers then
		effects int        // writes that the handler committed itself
	}{
		"commit":            {func(b *bench, tx pgx.Tx) { raw(b, tx, "commit") }, "", idem.StateUnknown, 1},
		"commit and begin":  {func(b *bench, tx pgx.Tx) { raw(b, tx, "commit; begin") }, "", idem.StateUnknown, 1},
		"commit and chain":  {func(b *bench, tx pgx.Tx) { raw(b, tx, "commit and chain") }, "", idem.StateUnknown, 1},
		"roll back":         {func(b *bench, tx pgx.Tx) { raw(b, tx, "rollback") }, "", idem.StateUnknown, 0},
		"delete the record": {func(b *bench, tx pgx.Tx) { raw(b, tx, "delete from idempotency_records") }, "", idem.StateUnknown, 0},
		"swallow an error": {func(b *bench, tx pgx.Tx) {
			_, err := tx.Exec(b.ctx, "select 1/0")
			require.Error(b.t, err)
		}, "aborted", idem.StateInFlight, 0},
		"leave rows open": {func(b *bench, tx pgx.Tx) {
			rows, err := tx.Query(b.ctx, "select generate_series(1, 100000)")
			require.NoError(b.t, err)
			require.True(b.t, rows.Next())
		}, "unread", idem.StateInFlight, 0},
		"leave a batch open": {func(b *bench, tx pgx.Tx) {
			batch := &pgx.Batch{}
			batch.Queue("insert into effects values ('w')")
			tx.SendBatch(b.ctx, batch)
		}, "unread", idem.StateInFlight, 0},
		"leave a nested transaction open": {func(b *bench, tx pgx.Tx) {
			nested, err := tx.Begin(b.ctx)
			require.NoError(b.t, err)
			raw(b, nested, "insert into effects values ('w')")
		}, "nested", idem.StateInFlight, 0},
	} {
		done := created()
		for way, outcome := range map[string]*idem.Completion{"phase": nil, "last phase": &done} {
			t.Run(name+", "+way, func(t *testing.T) {
				b := newBench(t, nil)
				held := b.phase(b.lease(newClaim("k")))
				require.NoError(t, effects.Write(b.ctx, held.Tx(), "w"))
				c.do(b, held.Tx())
				err := held.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, outcome)
				require.Error(t, err)
				require.ErrorContains(t, err, c.says)
				assert.Equal(t, c.says == "", errors.Is(err, idem.ErrFenced), "%v", err)
				b.requireHealthy()
				require.Eventually(t, func() bool { return b.count("w") == c.effects }, 10*time.Second, time.Millisecond)
				assert.Equal(t, c.becomes, b.find("k").State)
			})
		}
	}
}

// The first statement of a phase left open is as open as any other.
func TestFirstStatementOfAPhaseLeftOpen(t *testing.T) {
	b := newBench(t, nil)
	for name, leave := range map[string]func(tx pgx.Tx){
		"rows":  func(tx pgx.Tx) { _, _ = tx.Query(b.ctx, "select generate_series(1, 100000)") },
		"a row": func(tx pgx.Tx) { tx.QueryRow(b.ctx, "select 1") },
		"a batch": func(tx pgx.Tx) {
			batch := &pgx.Batch{}
			batch.Queue("select 1")
			tx.SendBatch(b.ctx, batch)
		},
	} {
		held := b.phase(b.lease(newClaim(name)))
		leave(held.Tx())
		require.ErrorContains(t, held.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, nil), "unread", name)
		b.requireHealthy()
	}
}

func TestReleasedPhaseThatWasCommittedByItsHandler(t *testing.T) {
	b := newBench(t, nil)
	held := b.phase(b.lease(newClaim("k")))
	raw(b, held.Tx(), "insert into effects values ('w'); commit")
	require.ErrorIs(t, held.Release(b.ctx), idem.ErrFenced)
	assert.Equal(t, idem.StateUnknown, b.find("k").State)
	b.requireHealthy()
}

// The fence refused because the lease is another's: the record is his, and stays as it is.
func TestMishandledPhaseOfALostLease(t *testing.T) {
	b := newBench(t, nil)
	c := newClaim("k")
	c.Lease = time.Millisecond
	l := b.lease(c)
	held := b.phase(l)
	raw(b, held.Tx(), "commit")
	token := idem.NewUUID()
	require.Eventually(t, func() bool {
		_, err := b.store.TakeOver(b.ctx, idem.TakeOver{
			Scope: l.Scope, Keyspace: l.Keyspace, Key: l.Key, From: l.Token, Token: token, Lease: time.Minute})
		return err == nil
	}, 10*time.Second, time.Millisecond)
	require.ErrorIs(t, held.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, nil), idem.ErrFenced)
	p := b.find("k")
	assert.Equal(t, idem.StateInFlight, p.State)
	assert.Equal(t, token, p.Token)
}

// The server commits the claim, the answer is lost: the claimant asks again with its token and has its lease.
func TestLostAnswerOfALease(t *testing.T) {
	for _, business := range [][]byte{nil, []byte("order")} {
		var wire *pgtest.Wire
		b := newBench(t, func(c *pgxpool.Config) { wire = pgtest.Watch(c) })
		c := newClaim("k")
		c.Lease, c.Business = time.Minute, business
		wire.LoseNextCommit()
		_, err := b.store.ClaimLease(b.ctx, c)
		require.ErrorIs(t, err, idem.ErrCommitUnknown)
		l := b.lease(c)
		done := created()
		b.commit(b.phase(l), "a", &done)

		other := b.lease(newClaim("other"))
		held := b.phase(other)
		require.NoError(t, effects.Write(b.ctx, held.Tx(), "w"))
		wire.LoseNextCommit()
		require.ErrorIs(t, held.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, &done), idem.ErrCommitUnknown)
		prior := b.find("other")
		assert.Equal(t, idem.StateCompleted, prior.State)
		assert.Equal(t, other.Token, prior.Token)
		assert.Equal(t, 1, b.count("w"))

		settled := b.lease(newClaim("settled"))
		wire.LoseNextCommit()
		require.ErrorIs(t, b.store.Settle(b.ctx, settled, done), idem.ErrCommitUnknown)
		assert.Equal(t, idem.StateCompleted, b.find("settled").State)
		b.requireHealthy()
	}
}

// A heartbeat does not wait for a phase that is being committed, and does not call its lease lost.
func TestHeartbeatPassesLockedRecords(t *testing.T) {
	b := newBench(t, nil)
	locked, other := b.lease(newClaim("locked")), b.lease(newClaim("other"))
	tx, err := b.pool.Begin(b.ctx)
	require.NoError(t, err)
	_, err = tx.Exec(b.ctx, "select 1 from idempotency_records where key = 'locked' for update")
	require.NoError(t, err)
	other.Lease = time.Hour
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	lost, passed, err := b.store.Extend(ctx, []idem.LeaseRef{locked, other})
	require.NoError(t, err)
	assert.Empty(t, lost)
	assert.Equal(t, []idem.LeaseRef{locked}, passed)
	assert.Greater(t, b.find("other").LeaseLeft, time.Minute)
	require.NoError(t, tx.Rollback(b.ctx))
}

func TestHeartbeatPool(t *testing.T) {
	one := func(c *pgxpool.Config) { c.MaxConns = 1 }
	b := newBench(t, one)
	require.ErrorContains(t, b.store.CheckLeases(), "WithHeartbeatPool")
	cfg := b.pool.Config()
	beats := pgtest.Open(t, cfg)
	b.store = pgstore.New(b.pool, pgstore.WithHeartbeatPool(beats))
	require.NoError(t, b.store.CheckLeases())
	l := b.lease(newClaim("k"))
	held := b.phase(l) // has the pool's only connection
	require.NoError(t, effects.Write(b.ctx, held.Tx(), "w"))
	lost, _, err := b.store.Extend(b.ctx, []idem.LeaseRef{l})
	require.NoError(t, err)
	assert.Empty(t, lost)
	b.commit(held, "a", nil)

	two := newBench(t, func(c *pgxpool.Config) { c.MaxConns = 2 })
	require.NoError(t, two.store.CheckLeases())
}

// A body that was not kept is no empty body.
func TestTombstoneIsNullInTheTable(t *testing.T) {
	b := newBench(t, nil)
	for key, c := range map[string]idem.Completion{
		"not kept": {State: idem.StateCompleted, NotKept: true, Response: idem.Response{Status: 200, Body: []byte("too large")}},
		"empty":    {State: idem.StateCompleted, Response: idem.Response{Status: 204}},
	} {
		require.NoError(t, b.hold(newClaim(key)).Complete(b.ctx, c))
		var null bool
		require.NoError(t, b.pool.QueryRow(b.ctx, "select body is null from idempotency_records where key = $1", key).Scan(&null))
		assert.Equal(t, c.NotKept, null, key)
		assert.Equal(t, c.NotKept, b.find(key).NotKept, key)
	}
}

// The stored command goes with the outcome: it is a copy of what a client sent, and nobody needs it any more.
func TestStoredCommandGoesWithTheOutcome(t *testing.T) {
	b := newBench(t, nil)
	done := created()
	for key, end := range map[string]func(idem.LeaseRef){
		"settled":    func(l idem.LeaseRef) { require.NoError(t, b.store.Settle(b.ctx, l, done)) },
		"last phase": func(l idem.LeaseRef) { b.commit(b.phase(l), "a", &done) },
		"resolved": func(l idem.LeaseRef) {
			require.NoError(t, b.store.Settle(b.ctx, l, idem.Completion{State: idem.StateUnknown}))
			require.NoError(t, b.store.Resolve(b.ctx, l.RecordID, done))
		},
	} {
		c := newClaim(key)
		c.Request = []byte("command")
		end(b.lease(c))
		var gone bool
		require.NoError(t, b.pool.QueryRow(b.ctx, "select request is null from idempotency_records where key = $1", key).Scan(&gone))
		assert.True(t, gone, key)
	}
}
