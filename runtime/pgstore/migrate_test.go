package pgstore_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/pgstore/schema"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// shape describes everything that the migrations made in the pool's schema.
func shape(t *testing.T, pool *pgxpool.Pool) []string {
	const sql = `select format('%s.%s %s %s %s %s', table_name, column_name, data_type, is_nullable, column_default, collation_name)
	    from information_schema.columns where table_schema = current_schema()
	  union all select replace(indexdef, current_schema() || '.', '') from pg_indexes where schemaname = current_schema()
	  union all select format('%s %s', relname, reloptions) from pg_class where relnamespace = current_schema()::regnamespace
	  union all select format('%s compression %s', attname, attcompression) from pg_attribute
	    where attrelid = 'idempotency_records'::regclass and attname = 'body'
	  union all select format('version %s', version) from idempotency_schema
	  order by 1`
	rows, err := pool.Query(context.Background(), sql)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return lines
}

func TestMigrateManyAtOnce(t *testing.T) {
	for _, level := range []string{"read committed", "serializable"} {
		t.Run(level, func(t *testing.T) {
			cfg := pgtest.Config(t)
			isolated(level)(cfg)
			pool := pgtest.Open(t, cfg)
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() { assert.NoError(t, pgstore.Migrate(context.Background(), pool)) })
			}
			all.Wait()
			assert.NotEmpty(t, shape(t, pool))
		})
	}
}

func TestMigrateAgainChangesNothing(t *testing.T) {
	pool := pgtest.Schema(t)
	require.NoError(t, pgstore.Migrate(t.Context(), pool))
	before := shape(t, pool)
	require.NoError(t, pgstore.Migrate(t.Context(), pool))
	assert.Equal(t, before, shape(t, pool))
}

func TestMigrateLeavesANewerProgramsVersionAlone(t *testing.T) {
	pool := pgtest.Schema(t)
	require.NoError(t, pgstore.Migrate(t.Context(), pool))
	_, err := pool.Exec(t.Context(), "insert into idempotency_schema values (999, now())")
	require.NoError(t, err)
	require.NoError(t, pgstore.Migrate(t.Context(), pool))
	assert.Contains(t, shape(t, pool), "version 999")
}

func TestPrintedSchemaIsTheMigratedOne(t *testing.T) {
	printed, migrated := pgtest.Schema(t), pgtest.Schema(t)
	_, err := printed.Exec(t.Context(), schema.SQL())
	require.NoError(t, err)
	require.NoError(t, pgstore.Migrate(t.Context(), migrated))
	assert.Equal(t, shape(t, migrated), shape(t, printed))
	require.NoError(t, pgstore.Migrate(t.Context(), printed), "and Migrate knows it")
	assert.Equal(t, shape(t, migrated), shape(t, printed))
}

func TestBodiesAreCompressedByLZ4WhereTheServerCan(t *testing.T) {
	pool := pgtest.Schema(t)
	require.NoError(t, pgstore.Migrate(t.Context(), pool))
	_, err := pool.Exec(t.Context(), "create table probe (b bytea compression lz4)")
	want := "body compression l"
	if err != nil {
		want = "body compression "
	}
	assert.Contains(t, shape(t, pool), want)
}

func TestMigrationFailsWhole(t *testing.T) {
	pool := pgtest.Schema(t)
	_, err := pool.Exec(t.Context(), "create view idempotency_records as select 1")
	require.NoError(t, err)
	require.ErrorContains(t, pgstore.Migrate(t.Context(), pool), "version 1, records")
	var versions int
	require.NoError(t, pool.QueryRow(t.Context(), "select count(*) from idempotency_schema").Scan(&versions))
	assert.Zero(t, versions)
}
