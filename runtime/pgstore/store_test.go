package pgstore_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// newStore makes stores on one schema, which is emptied for each.
func newStore(t *testing.T, change func(*pgxpool.Config)) storetest.NewStore[pgx.Tx] {
	pool := newPool(t, change)
	return func(t *testing.T, now func() time.Time) idem.Store[pgx.Tx] {
		const sql = `delete from idempotency_records; delete from idempotency_phases; delete from idempotency_business_keys; delete from effects`
		_, err := pool.Exec(t.Context(), sql)
		require.NoError(t, err)
		if now == nil {
			return pgstore.New(pool)
		}
		return pgstore.New(pool, pgstore.WithClock(now))
	}
}

func TestStoreInEveryQueryMode(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			storetest.Run(t, newStore(t, func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode }), effects)
		})
	}
}

func TestStoreInEveryIsolationLevel(t *testing.T) {
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			storetest.Run(t, newStore(t, func(c *pgxpool.Config) {
				c.ConnConfig.RuntimeParams["default_transaction_isolation"] = level
			}), effects)
		})
	}
}
