package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// bouncedConns are fewer connections to the server than a pool of the tests has to PgBouncer, so that these are shared; and more
// than a case of the suite holds at once.
const bouncedConns = 12

// The conformance suite through PgBouncer in transaction pooling, in the query modes that need no statement prepared on a
// connection of one's own. The others need PgBouncer 1.21 or later.
func TestStoreThroughPgBouncer(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		t.Run(mode.String(), func(t *testing.T) {
			cfg := migrated(t, pgtest.Config(t))
			direct := pgtest.Open(t, cfg)
			through := pgtest.Bouncer(t, cfg, bouncedConns)
			through.ConnConfig.DefaultQueryExecMode = mode
			storetest.Run(t, func(t *testing.T, now func() time.Time) idem.Store[pgx.Tx] {
				empty(t, direct)
				pool := pgtest.Open(t, through)
				if now == nil {
					return pgstore.New(pool)
				}
				return pgstore.New(pool, pgstore.WithClock(now))
			}, storetest.Effects[pgx.Tx]{Write: write, Count: count}, lacking()...)
		})
	}
}

// lacking are the abilities that the store does not have.
func lacking() []storetest.Ability {
	if _, leases := any((*pgstore.Store)(nil)).(idem.LeaseStore[pgx.Tx]); leases {
		return nil
	}
	return []storetest.Ability{
		storetest.Leasing, storetest.Sweeping, storetest.Erasing, storetest.Resolving,
		storetest.BusinessKeys, storetest.SecondScopes, storetest.Tombstones,
	}
}

// empty deletes every row that a case before has left.
func empty(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	_, err := pool.Exec(context.Background(), `do $$
declare name text;
begin
  for name in select tablename from pg_tables where schemaname = current_schema() and tablename <> 'idempotency_schema' loop
    execute format('delete from %I', name);
  end loop;
end
$$`)
	require.NoError(t, err)
}

func write(ctx context.Context, tx pgx.Tx, name string) error {
	_, err := tx.Exec(ctx, "insert into effects (name) values ($1)", name)
	return err
}

func count(ctx context.Context, tx pgx.Tx, name string) (n int, err error) {
	err = tx.QueryRow(ctx, "select count(*) from effects where name = $1", name).Scan(&n)
	return n, err
}
