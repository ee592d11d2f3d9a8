package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

func newClaim(key string) idem.Claim {
	return idem.Claim{
		Scope: `["acme"]`, Keyspace: "createPayment", Key: key, Operation: "createPayment",
		Token: idem.NewUUID(), RecordID: idem.NewUUID(), Fingerprints: []byte("fp"), Fields: []byte("fd"),
		Retention: time.Hour, LockTimeout: 50 * time.Millisecond, IdleTimeout: time.Minute,
	}
}

func created() idem.Completion {
	return idem.Completion{State: idem.StateCompleted, Response: idem.Response{Status: 201, Body: []byte("{}")}}
}

// refused is a failure whose writes roll back.
func refused() idem.Completion {
	return idem.Completion{State: idem.StateFailedReplayable, Response: idem.Response{Status: 409}, RollBackWrites: true}
}

// bench is a store with its pool and what tests ask of both.
type bench struct {
	t     testing.TB
	ctx   context.Context
	pool  *pgxpool.Pool
	store *pgstore.Store
}

func newBench(t testing.TB, change func(*pgxpool.Config)) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	pool := newPool(t, change)
	return &bench{t: t, ctx: ctx, pool: pool, store: pgstore.New(pool)}
}

func (b *bench) hold(c idem.Claim) idem.Held[pgx.Tx] {
	b.t.Helper()
	held, prior, err := b.store.Claim(b.ctx, c)
	require.NoError(b.t, err)
	require.Equal(b.t, idem.StateAbsent, prior.State)
	return held
}

func (b *bench) here() *bench { return b }

// elsewhere is another process on the same database: it remembers nothing.
func (b *bench) elsewhere() *bench {
	other := *b
	other.store = pgstore.New(b.pool)
	return &other
}

func (b *bench) find(key string) idem.Prior {
	b.t.Helper()
	held, prior, err := b.store.Claim(b.ctx, newClaim(key))
	require.NoError(b.t, err)
	require.True(b.t, held == nil, "the key is free")
	return prior
}

func (b *bench) write(held idem.Held[pgx.Tx], name string) {
	b.t.Helper()
	require.NoError(b.t, effects.Write(b.ctx, held.Tx(), name))
}

func (b *bench) exec(held idem.Held[pgx.Tx], sql string) {
	b.t.Helper()
	_, err := held.Tx().Exec(b.ctx, sql)
	require.NoError(b.t, err)
}

func (b *bench) count(name string) (n int) {
	b.t.Helper()
	require.NoError(b.t, b.pool.QueryRow(b.ctx, "select count(*) from effects where name = $1", name).Scan(&n))
	return n
}

// requireFree says that nothing is stored under key, by taking it.
func (b *bench) requireFree(key string) {
	b.t.Helper()
	c := newClaim(key)
	c.LockTimeout = 10 * time.Second // a lost connection's transaction may still be ending
	require.NoError(b.t, b.hold(c).Release(b.ctx))
}

// requireHealthy says that every connection was given back, and that none is inside a transaction.
func (b *bench) requireHealthy() {
	b.t.Helper()
	require.Eventually(b.t, func() bool { // closing a connection takes a moment
		return b.pool.Stat().AcquiredConns() == 0
	}, 10*time.Second, time.Millisecond, "connections that were not given back")
	for _, conn := range b.pool.AcquireAllIdle(b.ctx) {
		require.Equal(b.t, byte('I'), conn.Conn().PgConn().TxStatus())
		_, err := conn.Exec(b.ctx, "select 1")
		require.NoError(b.t, err)
		conn.Release()
	}
}

// lease claims a lease of a key that must be free.
func (b *bench) lease(c idem.Claim) idem.LeaseRef {
	b.t.Helper()
	if c.Lease == 0 {
		c.Lease = time.Minute
	}
	prior, err := b.store.ClaimLease(b.ctx, c)
	require.NoError(b.t, err)
	require.Equal(b.t, idem.StateAbsent, prior.State)
	return idem.LeaseRef{
		Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key, Before: c.Before, RecordID: c.RecordID, Token: c.Token, Lease: c.Lease,
	}
}

func inMode(mode pgx.QueryExecMode) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode }
}
