package main_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

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

func openDB(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db")+"?_pragma=busy_timeout(100)")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, sqlstore.NewSQLite(db).Migrate(t.Context()))
	_, err = db.ExecContext(t.Context(), "create table effects (name text not null)")
	require.NoError(t, err)
	return db
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, now func() time.Time) idem.Store[*sql.Tx] {
		opts := []sqlstore.Option{sqlstore.WithLockWait(200 * time.Millisecond)}
		if now != nil {
			opts = append(opts, sqlstore.WithClock(now))
		}
		return sqlstore.NewSQLite(openDB(t), opts...)
	}, effects, storetest.ConcurrentTransactions)
}
