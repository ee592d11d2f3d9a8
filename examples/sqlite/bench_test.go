package main

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

func newClaim(key string) idem.Claim {
	return idem.Claim{
		Scope: `["acme"]`, Keyspace: "placeOrder", Key: key, Operation: "placeOrder",
		Token: idem.NewUUID(), RecordID: idem.NewUUID(), Fingerprints: []byte("fp"), Fields: []byte("fd"),
		Retention: time.Hour, LockTimeout: 50 * time.Millisecond,
	}
}

func created() idem.Completion {
	return idem.Completion{State: idem.StateCompleted, Response: idem.Response{Status: 201, Body: []byte("{}")}}
}

// bench is a store with its pool and what tests ask of both.
type bench struct {
	t     testing.TB
	ctx   context.Context
	file  string
	db    *sql.DB
	store *sqlstore.Store
}

func newBench(t testing.TB, opts ...sqlstore.Option) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return (&bench{t: t, ctx: ctx, file: newFile(t)}).elsewhere(opts...)
}

// elsewhere is what another process has on the same file.
func (b *bench) elsewhere(opts ...sqlstore.Option) *bench {
	other := *b
	other.db = openFile(b.t, b.file)
	other.store = sqlstore.NewSQLite(other.db, opts...)
	return &other
}

func (b *bench) hold(c idem.Claim) idem.Held[*sql.Tx] {
	b.t.Helper()
	held, prior, err := b.store.Claim(b.ctx, c)
	require.NoError(b.t, err)
	require.Equal(b.t, idem.StateAbsent, prior.State)
	return held
}

func (b *bench) find(c idem.Claim) idem.Prior {
	b.t.Helper()
	held, prior, err := b.store.Claim(b.ctx, c)
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
	held, err := b.store.BeginPhase(b.ctx, l, idem.BeginOptions{})
	require.NoError(b.t, err)
	return held
}

func (b *bench) write(tx *sql.Tx, name string) {
	b.t.Helper()
	require.NoError(b.t, effects.Write(b.ctx, tx, name))
}

func (b *bench) raw(tx *sql.Tx, text string) {
	b.t.Helper()
	_, err := tx.ExecContext(b.ctx, text)
	require.NoError(b.t, err)
}

func (b *bench) count(name string) (n int) {
	b.t.Helper()
	require.NoError(b.t, b.db.QueryRowContext(b.ctx, "select count(*) from effects where name = ?", name).Scan(&n))
	return n
}

// requireFree says that nothing is stored under key and that nobody holds the write lock, by taking both.
func (b *bench) requireFree(key string) {
	b.t.Helper()
	require.NoError(b.t, b.hold(newClaim(key)).Release(b.ctx))
	require.Eventually(b.t, func() bool { return b.db.Stats().InUse == 0 }, 10*time.Second, time.Millisecond, "connections that were not given back")
}
