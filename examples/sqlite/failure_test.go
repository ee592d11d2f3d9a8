package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// SQLite leaves a transaction open whose commit it refuses. Neither that nor the write lock may be left behind.
func TestDeferredConstraintFailsTheCommit(t *testing.T) {
	b := newBench(t)
	b.db.SetMaxOpenConns(1) // foreign keys are switched on for a connection
	_, err := b.db.ExecContext(b.ctx, `pragma foreign_keys = on; create table parent (id integer primary key);
		create table child (id integer references parent deferrable initially deferred)`)
	require.NoError(t, err)
	held := b.hold(newClaim("k"))
	b.write(held.Tx(), "w")
	b.raw(held.Tx(), "insert into child values (1)")
	err = held.Complete(b.ctx, created())
	require.ErrorContains(t, err, "FOREIGN KEY")
	for _, sentinel := range []error{idem.ErrFenced, idem.ErrCommitUnknown, idem.ErrSerialization, idem.ErrStoreUnavailable} {
		assert.NotErrorIs(t, err, sentinel)
	}
	assert.Zero(t, b.count("w"))
	b.requireFree("k")
	b.elsewhere(shortWait).requireFree("k")
}

// A database that may not grow refuses what would make it grow; nothing is half done, and it works on when there is room.
func TestFullDatabase(t *testing.T) {
	b := newBench(t)
	b.db.SetMaxOpenConns(1) // the limit is a connection's
	var pages int
	require.NoError(t, b.db.QueryRowContext(b.ctx, "pragma page_count").Scan(&pages))
	require.NoError(t, b.db.QueryRowContext(b.ctx, "pragma max_page_count = 1").Scan(&pages)) // no less than it has
	held := b.hold(newClaim("k"))
	b.write(held.Tx(), "w")
	large := created()
	large.Response.Body = make([]byte, 1<<20)
	require.ErrorIs(t, held.Complete(b.ctx, large), idem.ErrStoreUnavailable)
	assert.Zero(t, b.count("w"))
	b.requireFree("k")
	held = b.hold(newClaim("k"))
	require.NoError(t, held.Complete(b.ctx, created()))
}
