package sqlstore_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// lossy is a bench whose connections a test can lose.
func lossy(t *testing.T) (*bench, *pgtest.Wire) {
	t.Helper()
	var wire *pgtest.Wire
	b := newBench(t, func(c *pgxpool.Config) {
		c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
		wire = pgtest.Watch(c)
	})
	return b, wire
}

// The server commits, the answer is lost: the claimant asks again with its token and is given its own outcome.
func TestLostAnswerOfACommit(t *testing.T) {
	b, wire := lossy(t)
	c := newClaim("k")
	held := b.hold(c)
	b.write(held.Tx(), "w")
	wire.LoseNextCommit()
	require.ErrorIs(t, held.Complete(b.ctx, created()), idem.ErrCommitUnknown)
	again, prior, err := b.store.Claim(b.ctx, c)
	require.NoError(t, err)
	require.True(t, again == nil)
	assert.Equal(t, idem.StateCompleted, prior.State)
	assert.Equal(t, c.Token, prior.Token)
	assert.Equal(t, 1, b.count("w"))

	leased := newClaim("leased")
	leased.Lease = time.Minute
	wire.LoseNextCommit()
	_, err = b.store.ClaimLease(b.ctx, leased)
	require.ErrorIs(t, err, idem.ErrCommitUnknown)
	b.lease(leased)
	b.requireHealthy()
}

// The connection is lost before the server hears of the completion: nothing can have been committed, and the claimant knows that.
func TestLostCompletion(t *testing.T) {
	b, wire := lossy(t)
	c := newClaim("k")
	c.LockTimeout = 10 * time.Second // the server may not have noticed yet
	held := b.hold(c)
	b.write(held.Tx(), "w")
	wire.LoseNextRequest()
	require.ErrorIs(t, held.Complete(b.ctx, created()), idem.ErrStoreUnavailable)
	again := b.hold(c)
	b.write(again.Tx(), "w")
	require.NoError(t, again.Complete(b.ctx, created()))
	assert.Equal(t, 1, b.count("w"))
	b.requireHealthy()
}

func TestConnectionLostAtTheClaim(t *testing.T) {
	b, wire := lossy(t)
	wire.LoseNextRequest()
	_, _, err := b.store.Claim(b.ctx, newClaim("k"))
	require.ErrorIs(t, err, idem.ErrStoreUnavailable)
	b.requireFree("k")
	b.requireHealthy()
}

// A backend that an administrator ended, at each moment.
func TestTerminatedBackend(t *testing.T) {
	b := newBench(t, nil)
	terminate := func(tx *sql.Tx) {
		var pid int
		require.NoError(t, tx.QueryRowContext(b.ctx, "select pg_backend_pid()").Scan(&pid))
		_, err := b.db.ExecContext(b.ctx, "select pg_terminate_backend($1, 10000)", pid)
		require.NoError(t, err)
	}
	completing := b.hold(newClaim("completing"))
	b.write(completing.Tx(), "w")
	terminate(completing.Tx())
	require.ErrorIs(t, completing.Complete(b.ctx, created()), idem.ErrStoreUnavailable)
	b.requireFree("completing")

	releasing := b.hold(newClaim("releasing"))
	terminate(releasing.Tx())
	require.ErrorIs(t, releasing.Release(b.ctx), idem.ErrStoreUnavailable)
	b.requireFree("releasing")

	phase := b.phase(b.lease(newClaim("phase")))
	b.write(phase.Tx(), "w")
	terminate(phase.Tx())
	require.ErrorIs(t, phase.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, nil), idem.ErrStoreUnavailable)
	assert.Equal(t, idem.StateInFlight, b.find("phase").State, "the lease goes on")
	assert.Zero(t, b.count("w"))
	b.requireHealthy()
}

// A frozen holder loses the key; when it wakes up it can complete nothing.
func TestIdleTimeoutEndsAFrozenHolder(t *testing.T) {
	b := newBench(t, nil)
	c := newClaim("k")
	c.IdleTimeout = 100 * time.Millisecond
	frozen := b.hold(c)
	b.write(frozen.Tx(), "w")
	follower := newClaim("k")
	follower.LockTimeout = 20 * time.Second
	next := b.hold(follower)
	b.write(next.Tx(), "w")
	require.NoError(t, next.Complete(b.ctx, created()))
	require.Error(t, frozen.Complete(b.ctx, created())) // which one depends on how much of the server's farewell was read
	assert.Equal(t, 1, b.count("w"))
	assert.Equal(t, follower.Token, b.find("k").Token)
	b.requireHealthy()
}

func TestDeferredConstraintFailsTheCommit(t *testing.T) {
	b := newBench(t, nil)
	_, err := b.db.ExecContext(b.ctx, `create table parent (id int primary key);
		create table child (id int references parent deferrable initially deferred)`)
	require.NoError(t, err)
	held := b.hold(newClaim("k"))
	b.write(held.Tx(), "w")
	b.raw(held.Tx(), "insert into child values (1)")
	err = held.Complete(b.ctx, created())
	var pg *pgconn.PgError
	require.ErrorAs(t, err, &pg)
	assert.Equal(t, "23503", pg.Code)
	for _, sentinel := range []error{idem.ErrFenced, idem.ErrCommitUnknown, idem.ErrSerialization, idem.ErrStoreUnavailable} {
		assert.NotErrorIs(t, err, sentinel)
	}
	assert.Zero(t, b.count("w"))
	b.requireFree("k")
	b.requireHealthy()
}

// Two transactions that each read what the other writes: one of them cannot be committed.
func TestSerializationFailureAtTheCommit(t *testing.T) {
	b := newBench(t, isolated("serializable"))
	one, two := b.hold(newClaim("one")), b.hold(newClaim("two"))
	for name, held := range map[string]idem.Held[*sql.Tx]{"one": one, "two": two} {
		var n int
		require.NoError(t, held.Tx().QueryRowContext(b.ctx, "select count(*) from effects").Scan(&n))
		b.write(held.Tx(), name)
	}
	require.NoError(t, one.Complete(b.ctx, created()))
	require.ErrorIs(t, two.Complete(b.ctx, created()), idem.ErrSerialization)
	assert.Equal(t, []int{1, 0}, []int{b.count("one"), b.count("two")})
	b.requireFree("two")
	b.requireHealthy()
}

func TestUnavailable(t *testing.T) {
	requireUnavailable := func(ctx context.Context, store *sqlstore.Store) {
		_, _, err := store.Claim(ctx, newClaim("k"))
		require.ErrorIs(t, err, idem.ErrStoreUnavailable)
		_, err = store.Begin(ctx, idem.BeginOptions{})
		require.ErrorIs(t, err, idem.ErrStoreUnavailable)
		_, err = store.Lookup(ctx, "", "", "")
		require.ErrorIs(t, err, idem.ErrStoreUnavailable)
		_, err = store.ClaimLease(ctx, newClaim("k"))
		require.ErrorIs(t, err, idem.ErrStoreUnavailable)
		require.NotErrorIs(t, err, idem.ErrCommitUnknown, "it was never sent")
	}
	cfg, err := pgx.ParseConfig("host=127.0.0.1 port=1 user=x dbname=x sslmode=disable connect_timeout=5")
	require.NoError(t, err)
	nobody := stdlib.OpenDB(*cfg)
	defer func() { require.NoError(t, nobody.Close()) }()
	requireUnavailable(t.Context(), sqlstore.NewPostgreSQL(nobody))

	b := newBench(t, func(c *pgxpool.Config) { c.MaxConns = 1 })
	held := b.hold(newClaim("k"))
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Millisecond)
	defer cancel()
	requireUnavailable(ctx, b.store) // the pool is exhausted
	require.NoError(t, held.Release(b.ctx))
	b.requireHealthy()
}

// What settles does not end with its caller, but with the time that it was given.
func TestSettlingEndsInTime(t *testing.T) {
	b := newBench(t, nil)
	l := b.lease(newClaim("settled"))
	claimed := b.hold(newClaim("claimed"))
	claimed.(idem.Queuer).Queue("select pg_sleep(20)")
	other, err := b.db.BeginTx(b.ctx, nil)
	require.NoError(t, err)
	_, err = other.ExecContext(b.ctx, "select 1 from idempotency_records where key = 'settled' for update")
	require.NoError(t, err)
	for want, settle := range map[error]func(ctx context.Context) error{
		idem.ErrStoreUnavailable: func(ctx context.Context) error { return claimed.Complete(ctx, created()) }, // the commit was not sent
		idem.ErrCommitUnknown:    func(ctx context.Context) error { return b.store.Settle(ctx, l, created()) },
	} {
		start := time.Now()
		ctx, cancel := context.WithTimeout(b.ctx, 300*time.Millisecond)
		require.ErrorIs(t, settle(ctx), want)
		cancel()
		assert.Less(t, time.Since(start), 5*time.Second)
	}
	require.NoError(t, other.Rollback())
	b.requireHealthy()
}

func TestOneConnectionIsTooFewForLeases(t *testing.T) {
	b := newBench(t, func(c *pgxpool.Config) { c.MaxConns = 1 })
	require.Error(t, b.store.CheckLeases())
	beats := newDB(t, nil)
	require.NoError(t, sqlstore.NewPostgreSQL(b.db, sqlstore.WithHeartbeatDB(beats)).CheckLeases())
	b.db.SetMaxOpenConns(2)
	require.NoError(t, b.store.CheckLeases())
}

// Handlers that hold every connection must not cost the leases of this process their time.
func TestHeartbeatsOnTheirOwnPool(t *testing.T) {
	var cfg *pgxpool.Config
	b := newBench(t, func(c *pgxpool.Config) { c.MaxConns, cfg = 1, c })
	beats := stdlib.OpenDB(*cfg.ConnConfig)
	defer func() { require.NoError(t, beats.Close()) }()
	b.store = sqlstore.NewPostgreSQL(b.db, sqlstore.WithHeartbeatDB(beats))
	l := b.lease(newClaim("k"))
	phase := b.phase(l)
	lost, passed, err := b.store.Extend(b.ctx, []idem.LeaseRef{l})
	require.NoError(t, err)
	assert.Empty(t, append(lost, passed...))
	require.NoError(t, phase.Release(b.ctx))
}

// A phase in the stricter isolation levels could not be serialised after a heartbeat, so heartbeats let its lease be.
func TestHeartbeatLetsStrictPhasesBe(t *testing.T) {
	for level, strict := range map[string]bool{"read committed": false, "repeatable read": true, "serializable": true} {
		b := newBench(t, isolated(level))
		l := b.lease(newClaim("k"))
		phase := b.phase(l)
		b.write(phase.Tx(), "w")
		_, passed, err := b.store.Extend(b.ctx, []idem.LeaseRef{l})
		require.NoError(t, err)
		assert.Equal(t, strict, len(passed) == 1, level)
		require.NoError(t, phase.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, nil), level)
		_, passed, err = b.store.Extend(b.ctx, []idem.LeaseRef{l})
		require.NoError(t, err)
		assert.Empty(t, passed, level)
	}
}
