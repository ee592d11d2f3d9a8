package pgstore_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// effects are rows of a table that knows no uniqueness: it must not help the store.
var effects = storetest.Effects[pgx.Tx]{
	Write: func(ctx context.Context, tx pgx.Tx, name string) error {
		_, err := tx.Exec(ctx, "insert into effects (name) values ($1)", name)
		return err
	},
	Count: func(ctx context.Context, tx pgx.Tx, name string) (n int, err error) {
		err = tx.QueryRow(ctx, "select count(*) from effects where name = $1", name).Scan(&n)
		return n, err
	},
}

// prepare makes the tables in the schema of cfg.
func prepare(t testing.TB, pool *pgxpool.Pool) *pgxpool.Pool {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, pgstore.Migrate(ctx, pool))
	_, err := pool.Exec(ctx, "create table effects (name text not null)")
	require.NoError(t, err)
	return pool
}

// newPool gives a pool on a schema of its own with all tables. change may be nil.
func newPool(t testing.TB, change func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	cfg := pgtest.Config(t)
	if change != nil {
		change(cfg)
	}
	return prepare(t, pgtest.Open(t, cfg))
}
