package pgstore_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// lacks are the abilities that the store does not have yet.
var lacks = []storetest.Ability{
	storetest.Leasing, storetest.Sweeping, storetest.Erasing, storetest.Resolving,
	storetest.BusinessKeys, storetest.SecondScopes, storetest.Tombstones,
}

// newStore makes stores on schemas of their own.
func newStore(change func(*pgxpool.Config)) storetest.NewStore[pgx.Tx] {
	return func(t *testing.T, now func() time.Time) idem.Store[pgx.Tx] {
		pool := newPool(t, change)
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
			storetest.Run(t, newStore(func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = mode }), effects, lacks...)
		})
	}
}

func TestStoreInEveryIsolationLevel(t *testing.T) {
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			storetest.Run(t, newStore(func(c *pgxpool.Config) {
				c.ConnConfig.RuntimeParams["default_transaction_isolation"] = level
			}), effects, lacks...)
		})
	}
}
