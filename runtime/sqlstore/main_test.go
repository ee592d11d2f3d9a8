package sqlstore_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/runtime/storetest"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// effects are rows of a table that knows no uniqueness: it must not help the store.
var effects = storetest.Effects[*sql.Tx]{
	Write: func(ctx context.Context, tx *sql.Tx, name string) error {
		_, err := tx.ExecContext(ctx, "insert into effects (name) values ($1)", name)
		return err
	},
	Count: func(ctx context.Context, tx *sql.Tx, name string) (n int, err error) {
		err = tx.QueryRowContext(ctx, "select count(*) from effects where name = $1", name).Scan(&n)
		return n, err
	},
}

// newDB gives a pool of database/sql on a schema of its own with all tables. change may be nil.
func newDB(t testing.TB, change func(*pgxpool.Config)) *sql.DB {
	t.Helper()
	cfg := pgtest.Config(t)
	if change != nil {
		change(cfg)
	}
	db := stdlib.OpenDB(*cfg.ConnConfig)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	db.SetMaxOpenConns(int(cfg.MaxConns))
	db.SetMaxIdleConns(int(cfg.MaxConns))
	require.NoError(t, sqlstore.NewPostgreSQL(db).Migrate(t.Context()))
	_, err := db.ExecContext(t.Context(), "create table effects (name text not null)")
	require.NoError(t, err)
	return db
}

// newStore makes stores on one schema, which is emptied for each.
func newStore(t *testing.T, change func(*pgxpool.Config)) storetest.NewStore[*sql.Tx] {
	db := newDB(t, change)
	return func(t *testing.T, now func() time.Time) idem.Store[*sql.Tx] {
		const text = `delete from idempotency_records; delete from idempotency_phases; delete from idempotency_business_keys; delete from effects`
		_, err := db.ExecContext(t.Context(), text)
		require.NoError(t, err)
		if now == nil {
			return sqlstore.NewPostgreSQL(db)
		}
		return sqlstore.NewPostgreSQL(db, sqlstore.WithClock(now))
	}
}

func inMode(mode pgx.QueryExecMode) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode }
}

func isolated(level string) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["default_transaction_isolation"] = level }
}

func TestStoreInEveryQueryMode(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) { storetest.Run(t, newStore(t, inMode(mode)), effects) })
	}
}

func TestStoreInEveryIsolationLevel(t *testing.T) {
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) { storetest.Run(t, newStore(t, isolated(level)), effects) })
	}
}
