package main

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// effects are rows of a table that knows no uniqueness: it must not help the store.
var effects = storetest.Effects[*sql.Tx]{
	Write: func(ctx context.Context, tx *sql.Tx, name string) error {
		_, err := tx.ExecContext(ctx, "insert into effects (name) values (?)", name)
		return err
	},
	Count: func(ctx context.Context, tx *sql.Tx, name string) (n int, err error) {
		err = tx.QueryRowContext(ctx, "select count(*) from effects where name = ?", name).Scan(&n)
		return n, err
	},
}

// openFile gives a pool on a database, as another process would have one. It waits for no disk, which the loss of power alone would show.
func openFile(t testing.TB, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?_pragma=busy_timeout(5000)&_pragma=synchronous(off)")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// newFile makes a database with all tables.
func newFile(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.db")
	db := openFile(t, file)
	require.NoError(t, sqlstore.NewSQLite(db).Migrate(t.Context()))
	_, err := db.ExecContext(t.Context(), "create table effects (name text not null)")
	require.NoError(t, err)
	return file
}

func newStore(t *testing.T, now func() time.Time) idem.Store[*sql.Tx] {
	opts := []sqlstore.Option{}
	if now != nil {
		opts = append(opts, sqlstore.WithClock(now))
	}
	return sqlstore.NewSQLite(openFile(t, newFile(t)), opts...)
}

func TestStore(t *testing.T) {
	storetest.Run(t, newStore, effects, storetest.ConcurrentTransactions)
}

// TestStoreAgreesWithItsTwin lets this store and the one in memory live through the same stories.
func TestStoreAgreesWithItsTwin(t *testing.T) {
	var mu sync.Mutex
	counts := map[string]int{}
	twin := storetest.Side[*memstore.Tx]{
		New: func(_ *testing.T, now func() time.Time) idem.Store[*memstore.Tx] {
			mu.Lock()
			defer mu.Unlock()
			clear(counts)
			return memstore.New(memstore.WithClock(now))
		},
		Effects: storetest.Effects[*memstore.Tx]{
			Write: func(_ context.Context, tx *memstore.Tx, name string) error {
				tx.OnCommit(func() { mu.Lock(); defer mu.Unlock(); counts[name]++ })
				return nil
			},
			Count: func(_ context.Context, _ *memstore.Tx, name string) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				return counts[name], nil
			},
		},
	}
	storetest.Agree(t, twin, storetest.Side[*sql.Tx]{New: newStore, Effects: effects}, 4, 40, storetest.ConcurrentTransactions)
}
