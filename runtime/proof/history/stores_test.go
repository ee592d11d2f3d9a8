package history_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/proof/control"
	"github.com/idemgen/idemgen/runtime/proof/history"
	"github.com/idemgen/idemgen/runtime/proof/shop"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func memory() world[*memstore.Tx] {
	var mu sync.Mutex
	counts := map[string]int{}
	return world[*memstore.Tx]{
		store: memstore.New(),
		write: func(_ context.Context, tx *memstore.Tx, key string) error {
			tx.OnCommit(func() {
				mu.Lock()
				defer mu.Unlock()
				counts[key]++
			})
			return nil
		},
		count: func(key string) int {
			mu.Lock()
			defer mu.Unlock()
			return counts[key]
		},
	}
}

func database(t *testing.T) world[pgx.Tx] {
	pool := pgtest.Schema(t)
	require.NoError(t, pgstore.Migrate(t.Context(), pool))
	_, err := pool.Exec(t.Context(), "create table effects (name text not null)")
	require.NoError(t, err)
	return world[pgx.Tx]{
		store: pgstore.New(pool),
		write: func(ctx context.Context, tx pgx.Tx, key string) error {
			_, err := tx.Exec(ctx, "insert into effects (name) values ($1)", key)
			return err
		},
		count: func(key string) (n int) {
			require.NoError(t, pool.QueryRow(context.Background(), "select count(*) from effects where name = $1", key).Scan(&n))
			return n
		},
	}
}

func TestMemoryIsLinearizable(t *testing.T)   { testLinearizable(t, memory()) }
func TestDatabaseIsLinearizable(t *testing.T) { testLinearizable(t, database(t)) }

func testLinearizable[Tx any](t *testing.T, w world[Tx]) {
	t.Helper()
	for name, op := range map[string]*idem.Operation{"transactional": shop.Operation("order", nil), "leased": leased()} {
		t.Run(name, func(t *testing.T) {
			op.Keyspace = name
			w.prefix = name + " "
			all := hammer(t, w, op)
			require.NoError(t, history.Check(all, patience))
			requireOneEffect(t, w, all)
			requireVaried(t, all)
		})
	}
}

// requireVaried: a history in which little happens proves little.
func requireVaried(t *testing.T, all []history.Operation) {
	t.Helper()
	kinds := map[history.Kind]int{}
	for _, o := range all {
		kinds[o.Kind]++
	}
	for _, k := range []history.Kind{history.Lost, history.Ran, history.Replayed, history.Mismatch, history.Nothing} {
		assert.Greater(t, kinds[k], 3, "answers of kind %d", k)
	}
	t.Logf("answers by kind: %v", kinds)
}

// The controls: stores that read, then write.
func TestControlInMemoryIsNot(t *testing.T) {
	w := memory()
	w.store = control.ReadThenWrite(w.store)
	requireRefuted(t, w)
}

func TestControlInTheDatabaseIsNot(t *testing.T) {
	w := database(t)
	w.store = control.ReadThenWrite(w.store)
	requireRefuted(t, w)
}

func requireRefuted[Tx any](t *testing.T, w world[Tx]) {
	t.Helper()
	err := history.Check(hammer(t, w, shop.Operation("order", nil)), patience)
	require.ErrorContains(t, err, "fit no order")
}
