package pgstore_test

import (
	"context"
	"fmt"
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
	_, err := printed.Exec(t.Context(), schema.Up(0))
	require.NoError(t, err)
	require.NoError(t, pgstore.Migrate(t.Context(), migrated))
	assert.Equal(t, shape(t, migrated), shape(t, printed))
	require.NoError(t, pgstore.Migrate(t.Context(), printed), "and Migrate knows it")
	assert.Equal(t, shape(t, migrated), shape(t, printed))
}

// From every version the rest can be applied and taken back again.
func TestPrintedSchemaGoesUpAndDown(t *testing.T) {
	migrated := pgtest.Schema(t)
	require.NoError(t, pgstore.Migrate(t.Context(), migrated))
	want := shape(t, migrated)
	for after := range schema.Latest() {
		pool := pgtest.Schema(t)
		run := func(sql string) {
			_, err := pool.Exec(t.Context(), sql)
			require.NoError(t, err)
		}
		run(schema.Up(0))
		for range 2 {
			run(schema.Down(after))
			if after > 0 {
				assert.Contains(t, shape(t, pool), fmt.Sprint("version ", after))
				assert.NotContains(t, shape(t, pool), fmt.Sprint("version ", after+1))
			} else {
				var left int
				const sql = "select count(*) from pg_class where relnamespace = current_schema()::regnamespace"
				require.NoError(t, pool.QueryRow(t.Context(), sql).Scan(&left))
				assert.Zero(t, left)
			}
			run(schema.Up(after))
			assert.Equal(t, want, shape(t, pool))
		}
	}
}

// An older program works on what a newer one leaves when the schema goes back.
func TestVersion1AfterGoingBack(t *testing.T) {
	b := newBench(t, nil)
	two := newClaim("k")
	two.Scope, two.Before, two.Business = `["acme","ann"]`, two.Scope, []byte("order")
	require.NoError(t, b.hold(two).Complete(b.ctx, created()))
	_, err := b.pool.Exec(b.ctx, schema.Down(1))
	require.NoError(t, err)
	b.pool.Reset() // statements were prepared for the other version
	old := oldProgram{b}
	require.Nil(t, old.claim(newClaim("k"), oldClaimSQL))
	assert.EqualValues(t, 2, old.look(newClaim("k")).state)
	alias := newClaim("k")
	alias.Scope = two.Scope
	old.complete(old.claim(alias, oldClaimSQL), alias, "free")
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
