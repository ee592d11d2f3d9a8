package main

import (
	"database/sql"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/runtime/sqlstore/schema"
)

func tables(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	const text = "select count(*) from sqlite_schema where name like 'idempotency%'"
	require.NoError(t, db.QueryRowContext(t.Context(), text).Scan(&n))
	return n
}

// Programs that start at once make one schema.
func TestMigrateAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "test.db")
	var all sync.WaitGroup
	for range 8 {
		db := openFile(t, file)
		all.Go(func() { assert.NoError(t, sqlstore.NewSQLite(db).Migrate(t.Context())) })
	}
	all.Wait()
	db := openFile(t, file)
	var versions int
	require.NoError(t, db.QueryRowContext(t.Context(), "select count(*) from idempotency_schema").Scan(&versions))
	assert.Equal(t, schema.Latest(), versions)
	var mode string
	require.NoError(t, db.QueryRowContext(t.Context(), "pragma journal_mode").Scan(&mode))
	assert.Equal(t, "wal", mode)
}

// What the tool prints is what Migrate applies: it finds nothing to do, and the way back leaves nothing.
func TestPrintedSchema(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "test.db"))
	for range 2 {
		_, err := db.ExecContext(t.Context(), "begin;"+schema.Up(0)+"commit;")
		require.NoError(t, err)
		printed := tables(t, db)
		store := sqlstore.NewSQLite(db)
		require.NoError(t, store.Migrate(t.Context()))
		assert.Equal(t, printed, tables(t, db))
		held, _, err := store.Claim(t.Context(), newClaim("k"))
		require.NoError(t, err)
		require.NoError(t, held.Complete(t.Context(), created()))
		var applied string
		require.NoError(t, db.QueryRowContext(t.Context(), "select datetime(applied_at / 1000, 'unixepoch') from idempotency_schema").Scan(&applied))
		assert.Regexp(t, `^20\d\d-`, applied)
		_, err = db.ExecContext(t.Context(), "begin;"+schema.Down(0)+"commit;")
		require.NoError(t, err)
		assert.Zero(t, tables(t, db))
	}
}
