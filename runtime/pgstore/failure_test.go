package pgstore_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func isolated(level string) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["default_transaction_isolation"] = level }
}

// The server commits, the answer is lost: the claimant asks again with its token and is given its own outcome.
func TestLostAnswerOfACommit(t *testing.T) {
	var wire *pgtest.Wire
	b := newBench(t, func(c *pgxpool.Config) { wire = pgtest.Watch(c) })
	c := newClaim("k")
	held := b.hold(c)
	b.write(held, "w")
	wire.LoseNextCommit()
	require.ErrorIs(t, held.Complete(b.ctx, created()), idem.ErrCommitUnknown)

	again, prior, err := b.store.Claim(b.ctx, c)
	require.NoError(t, err)
	require.True(t, again == nil)
	assert.Equal(t, idem.StateCompleted, prior.State)
	assert.Equal(t, c.Token, prior.Token)
	assert.Equal(t, 1, b.count("w"))
	b.requireHealthy()
}

// The connection is lost before the server hears of the commit: the same token takes the free key. The claimant cannot know,
// unless its statements were still being prepared.
func TestLostCommit(t *testing.T) {
	for mode, want := range map[pgx.QueryExecMode]error{
		pgx.QueryExecModeExec:           idem.ErrCommitUnknown,
		pgx.QueryExecModeCacheStatement: idem.ErrStoreUnavailable,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			var wire *pgtest.Wire
			b := newBench(t, func(c *pgxpool.Config) {
				c.ConnConfig.DefaultQueryExecMode = mode
				wire = pgtest.Watch(c)
			})
			c := newClaim("k")
			c.LockTimeout = 10 * time.Second // the server may not have noticed yet
			held := b.hold(c)
			b.write(held, "w")
			wire.LoseNextRequest()
			require.ErrorIs(t, held.Complete(b.ctx, created()), want)
			b.requireHealthy()

			again := b.hold(c)
			b.write(again, "w")
			require.NoError(t, again.Complete(b.ctx, created()))
			assert.Equal(t, 1, b.count("w"))
		})
	}
}

func TestConnectionLostAtTheClaim(t *testing.T) {
	var wire *pgtest.Wire
	b := newBench(t, func(c *pgxpool.Config) { wire = pgtest.Watch(c) })
	wire.LoseNextRequest()
	_, _, err := b.store.Claim(b.ctx, newClaim("k"))
	require.ErrorIs(t, err, idem.ErrStoreUnavailable)
	b.requireFree("k")
	b.requireHealthy()
}

// A backend that an administrator ended, at each moment.
func TestTerminatedBackend(t *testing.T) {
	b := newBench(t, nil)
	terminate := func(held idem.Held[pgx.Tx]) {
		_, err := b.pool.Exec(b.ctx, "select pg_terminate_backend($1, 10000)", held.Tx().Conn().PgConn().PID())
		require.NoError(t, err)
	}
	completing := b.hold(newClaim("completing"))
	b.write(completing, "w")
	terminate(completing)
	require.Error(t, completing.Complete(b.ctx, created()))
	b.requireFree("completing")

	working := b.hold(newClaim("working"))
	terminate(working)
	require.Error(t, effects.Write(b.ctx, working.Tx(), "w"))
	require.ErrorIs(t, working.Complete(b.ctx, created()), idem.ErrStoreUnavailable, "the loss was known before the commit was sent")
	b.requireFree("working")

	releasing := b.hold(newClaim("releasing"))
	terminate(releasing)
	require.ErrorIs(t, releasing.Release(b.ctx), idem.ErrStoreUnavailable)
	b.requireFree("releasing")
	assert.Zero(t, b.count("w"))
	b.requireHealthy()
}

// A frozen holder loses the key; when it wakes up it can complete nothing.
func TestIdleTimeoutEndsAFrozenHolder(t *testing.T) {
	b := newBench(t, nil)
	c := newClaim("k")
	c.IdleTimeout = 100 * time.Millisecond
	frozen := b.hold(c)
	b.write(frozen, "w")

	follower := newClaim("k")
	follower.LockTimeout = 20 * time.Second
	next := b.hold(follower)
	b.write(next, "w")
	require.NoError(t, next.Complete(b.ctx, created()))

	require.Error(t, frozen.Complete(b.ctx, created())) // which one depends on how much of the server's farewell was read
	assert.Equal(t, 1, b.count("w"))
	assert.Equal(t, follower.Token, b.find("k").Token)
	b.requireHealthy()
}

func TestDeferredConstraintFailsTheCommit(t *testing.T) {
	b := newBench(t, nil)
	_, err := b.pool.Exec(b.ctx, `create table parent (id int primary key);
		create table child (id int references parent deferrable initially deferred)`)
	require.NoError(t, err)
	held := b.hold(newClaim("k"))
	b.write(held, "w")
	b.exec(held, "insert into child values (1)")
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

// A deferred trigger may divide by zero itself: that is not the fence.
func TestDivisionByZeroAtTheCommitIsNotTheFence(t *testing.T) {
	b := newBench(t, nil)
	_, err := b.pool.Exec(b.ctx, `create function divide() returns trigger language plpgsql as $$ begin perform 1/0; return null; end $$;
		create constraint trigger divides after insert on effects deferrable initially deferred for each row execute function divide()`)
	require.NoError(t, err)
	held := b.hold(newClaim("k"))
	b.write(held, "w")
	err = held.Complete(b.ctx, created())
	require.Error(t, err)
	assert.NotErrorIs(t, err, idem.ErrFenced)
	assert.Zero(t, b.count("w"))
	b.requireFree("k")
}

// Two transactions that each read what the other writes: one of them cannot be committed.
func TestSerializationFailureAtTheCommit(t *testing.T) {
	b := newBench(t, isolated("serializable"))
	one, two := b.hold(newClaim("one")), b.hold(newClaim("two"))
	for name, held := range map[string]idem.Held[pgx.Tx]{"one": one, "two": two} {
		var n int
		require.NoError(t, held.Tx().QueryRow(b.ctx, "select count(*) from effects").Scan(&n))
		b.write(held, name)
	}
	require.NoError(t, one.Complete(b.ctx, created()))
	require.ErrorIs(t, two.Complete(b.ctx, created()), idem.ErrSerialization)
	assert.Equal(t, 1, b.count("one"))
	assert.Zero(t, b.count("two"))
	b.requireFree("two")
	b.requireHealthy()
}

// Under snapshots a claim that waited for the holder cannot see what it did.
func TestSerializationFailureAtTheClaim(t *testing.T) {
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			b := newBench(t, isolated(level))
			held := b.hold(newClaim("k"))
			waiter := newClaim("k")
			waiter.LockTimeout = 20 * time.Second
			answer := make(chan error, 1)
			go func() {
				_, _, err := b.store.Claim(b.ctx, waiter)
				answer <- err
			}()
			b.awaitWaiter()
			require.NoError(t, held.Complete(b.ctx, created()))
			require.ErrorIs(t, <-answer, idem.ErrSerialization)
			assert.Equal(t, idem.StateCompleted, b.find("k").State, "the next attempt is given the outcome")
			b.requireHealthy()
		})
	}
}

// awaitWaiter returns when some claim waits for a lock.
func (b *bench) awaitWaiter() {
	b.t.Helper()
	const sql = `select count(*) > 0 from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into idempotency_records%'`
	require.Eventually(b.t, func() (waits bool) {
		require.NoError(b.t, b.pool.QueryRow(b.ctx, sql).Scan(&waits))
		return waits
	}, 20*time.Second, 5*time.Millisecond)
}

func TestUnavailable(t *testing.T) {
	t.Run("nobody listens", func(t *testing.T) {
		pool, err := pgxpool.New(t.Context(), "host=127.0.0.1 port=1 user=x dbname=x sslmode=disable connect_timeout=5")
		require.NoError(t, err)
		t.Cleanup(pool.Close)
		requireUnavailable(t, t.Context(), pgstore.New(pool))
	})
	t.Run("pool is closed", func(t *testing.T) {
		b := newBench(t, nil)
		b.pool.Close()
		requireUnavailable(t, b.ctx, b.store)
	})
	t.Run("pool is exhausted", func(t *testing.T) {
		b := newBench(t, func(c *pgxpool.Config) { c.MaxConns = 1 })
		held := b.hold(newClaim("k"))
		ctx, cancel := context.WithTimeout(b.ctx, 20*time.Millisecond)
		defer cancel()
		_, _, err := b.store.Claim(ctx, newClaim("other"))
		require.ErrorIs(t, err, idem.ErrStoreUnavailable)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, held.Complete(b.ctx, created()), "a holder needs no second connection")
	})
	t.Run("server only reads", func(t *testing.T) {
		cfg := pgtest.Config(t)
		prepare(t, pgtest.Open(t, cfg))
		standby := cfg.Copy()
		standby.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
		_, _, err := pgstore.New(pgtest.Open(t, standby)).Claim(t.Context(), newClaim("k"))
		require.ErrorIs(t, err, idem.ErrStoreUnavailable)
		c := newClaim("k")
		c.Lease = time.Minute
		_, err = pgstore.New(pgtest.Open(t, standby)).ClaimLease(t.Context(), c)
		require.ErrorIs(t, err, idem.ErrStoreUnavailable)
	})
}

func requireUnavailable(t *testing.T, ctx context.Context, s *pgstore.Store) {
	t.Helper()
	_, _, err := s.Claim(ctx, newClaim("k"))
	require.ErrorIs(t, err, idem.ErrStoreUnavailable)
	_, err = s.Begin(ctx, idem.BeginOptions{})
	require.ErrorIs(t, err, idem.ErrStoreUnavailable)
	_, err = s.Lookup(ctx, "", "", "")
	require.ErrorIs(t, err, idem.ErrStoreUnavailable)
}

func TestMissingTablesAreNamed(t *testing.T) {
	s := pgstore.New(pgtest.Schema(t))
	_, _, err := s.Claim(t.Context(), newClaim("k"))
	require.ErrorContains(t, err, "idempotency_records")
}

// A claim that is cancelled while it waits takes nothing, now or later.
func TestClaimCancelledWhileItWaits(t *testing.T) {
	b := newBench(t, nil)
	held := b.hold(newClaim("k"))
	ctx, cancel := context.WithCancel(b.ctx)
	waiter := newClaim("k")
	waiter.LockTimeout = time.Minute
	answer := make(chan error, 1)
	go func() {
		_, _, err := b.store.Claim(ctx, waiter)
		answer <- err
	}()
	b.awaitWaiter()
	cancel()
	require.ErrorIs(t, <-answer, context.Canceled)
	require.NoError(t, held.Release(b.ctx))
	b.requireFree("k")
	b.requireHealthy()
}

// Somebody deletes records between a claim's insert and its select. No claim may fail of it, or find a record that is not there.
func TestClaimsWhileRecordsAreDeleted(t *testing.T) {
	b := newBench(t, nil)
	ctx, stop := context.WithTimeout(b.ctx, time.Second)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			_, err := b.pool.Exec(b.ctx, "delete from idempotency_records")
			assert.NoError(t, err)
		}
	})
	for range 4 {
		all.Go(func() {
			for ctx.Err() == nil {
				c := newClaim("k")
				c.LockTimeout = 20 * time.Second
				held, prior, err := b.store.Claim(b.ctx, c)
				switch {
				case errors.Is(err, idem.ErrSerialization): // changed each time that it was read
				case !assert.NoError(t, err):
					return
				case held != nil:
					assert.NoError(t, held.Complete(b.ctx, created()))
				default:
					assert.Equal(t, idem.StateCompleted, prior.State)
				}
			}
		})
	}
	all.Wait()
	b.requireHealthy()
}

func TestClockDecidesAboutExpiryExactly(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBench(t, nil)
	b.store = pgstore.New(b.pool, pgstore.WithClock(func() time.Time { return now }))
	require.NoError(t, b.hold(newClaim("k")).Complete(b.ctx, created()))
	forever := newClaim("forever")
	forever.Retention = idem.Forever
	require.NoError(t, b.hold(forever).Complete(b.ctx, created()))

	now = now.Add(time.Hour - time.Microsecond)
	assert.Equal(t, idem.StateCompleted, b.find("k").State)
	now = now.Add(time.Microsecond)
	prior, err := b.store.Lookup(b.ctx, `["acme"]`, "createPayment", "k")
	require.NoError(t, err)
	assert.Equal(t, idem.StateAbsent, prior.State)
	require.NoError(t, b.hold(newClaim("k")).Complete(b.ctx, created()), "expired from the very instant on")
	now = now.AddDate(5000, 0, 0)
	assert.Equal(t, idem.StateCompleted, b.find("forever").State)
}

func TestDamagedRecordIsNotReplayed(t *testing.T) {
	b := newBench(t, nil)
	require.NoError(t, b.hold(newClaim("k")).Complete(b.ctx, created()))
	_, err := b.pool.Exec(b.ctx, `update idempotency_records set headers = '\x02'`)
	require.NoError(t, err)
	held, _, err := b.store.Claim(b.ctx, newClaim("k"))
	require.ErrorContains(t, err, "headers")
	require.True(t, held == nil)
	b.requireHealthy()
}
