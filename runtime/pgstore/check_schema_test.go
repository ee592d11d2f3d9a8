package pgstore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/pgstore/schema"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestCheckSchema(t *testing.T) {
	pool := pgtest.Schema(t)
	store := pgstore.New(pool)
	exec := func(sql string) {
		_, err := pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	assert.ErrorContains(t, store.CheckSchema(t.Context()), "`idemgen migrate` prints")
	exec(schema.VersionsSQL)
	assert.ErrorContains(t, store.CheckSchema(t.Context()), "`idemgen migrate` prints", "nothing was applied")
	exec("insert into idempotency_schema values (1, now())")
	assert.ErrorContains(t, store.CheckSchema(t.Context()), "version 1 and this program needs version 2: apply what `idemgen migrate --after 1` prints")

	exec("drop table idempotency_schema")
	require.NoError(t, pgstore.Migrate(t.Context(), pool))
	assert.NoError(t, store.CheckSchema(t.Context()))
	exec("insert into idempotency_schema values (99, now())")
	assert.NoError(t, store.CheckSchema(t.Context()), "a newer program migrated")

	pool.Close()
	assert.ErrorIs(t, store.CheckSchema(t.Context()), idem.ErrStoreUnavailable)
}
