package sqlstore_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
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
	db    *sql.DB
	store *sqlstore.Store
}

func newBench(t testing.TB, change func(*pgxpool.Config)) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	db := newDB(t, change)
	return &bench{t: t, ctx: ctx, db: db, store: sqlstore.NewPostgreSQL(db)}
}

// elsewhere is another process on the same database: it remembers nothing.
func (b *bench) elsewhere() *bench {
	other := *b
	other.store = sqlstore.NewPostgreSQL(b.db)
	return &other
}

func (b *bench) hold(c idem.Claim) idem.Held[*sql.Tx] {
	b.t.Helper()
	held, prior, err := b.store.Claim(b.ctx, c)
	require.NoError(b.t, err)
	require.Equal(b.t, idem.StateAbsent, prior.State)
	return held
}

func (b *bench) find(key string) idem.Prior {
	b.t.Helper()
	held, prior, err := b.store.Claim(b.ctx, newClaim(key))
	require.NoError(b.t, err)
	require.True(b.t, held == nil, "the key is free")
	return prior
}

func (b *bench) lease(c idem.Claim) idem.LeaseRef {
	b.t.Helper()
	c.Lease = time.Minute
	prior, err := b.store.ClaimLease(b.ctx, c)
	require.NoError(b.t, err)
	require.Equal(b.t, idem.StateAbsent, prior.State)
	return idem.LeaseRef{Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key, RecordID: c.RecordID, Token: c.Token, Lease: c.Lease}
}

func (b *bench) phase(l idem.LeaseRef) idem.HeldPhase[*sql.Tx] {
	b.t.Helper()
	held, err := b.store.BeginPhase(b.ctx, l, idem.BeginOptions{IdleTimeout: time.Minute})
	require.NoError(b.t, err)
	return held
}

func (b *bench) write(tx *sql.Tx, name string) {
	b.t.Helper()
	require.NoError(b.t, effects.Write(b.ctx, tx, name))
}

// raw runs statements without arguments.
func (b *bench) raw(tx *sql.Tx, text string) {
	b.t.Helper()
	_, err := tx.ExecContext(b.ctx, text)
	require.NoError(b.t, err)
}

func (b *bench) count(name string) (n int) {
	b.t.Helper()
	require.NoError(b.t, b.db.QueryRowContext(b.ctx, "select count(*) from effects where name = $1", name).Scan(&n))
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
	require.Eventually(b.t, func() bool { return b.db.Stats().InUse == 0 }, 10*time.Second, time.Millisecond, "connections that were not given back")
	for range b.db.Stats().Idle {
		conn, err := b.db.Conn(b.ctx)
		require.NoError(b.t, err)
		defer func() { require.NoError(b.t, conn.Close()) }()
		require.NoError(b.t, conn.Raw(func(c any) error {
			require.Equal(b.t, byte('I'), c.(*stdlib.Conn).Conn().PgConn().TxStatus())
			return nil
		}))
	}
}
