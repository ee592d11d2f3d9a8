package sqlstore_test

import (
	"context"
	"database/sql"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/sqlstore"
	"github.com/idemgen/idemgen/runtime/storetest"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// both are the two stores on one database.
func both(t *testing.T) (*bench, *pgstore.Store) {
	t.Helper()
	var cfg *pgxpool.Config
	b := newBench(t, func(c *pgxpool.Config) { cfg = c })
	return b, pgstore.New(pgtest.Open(t, cfg))
}

// What one store has stored the other one gives back, bytes and all: a team can change over program by program.
func TestStoresReplayEachOther(t *testing.T) {
	b, pg := both(t)
	done := created()
	done.Response.Header = map[string][]string{"Content-Type": {"a", "\xff"}, "Etag": {}}
	done.Response.Body = []byte("body\x00\xff")
	claim := newClaim("sql")
	claim.Before, claim.Scope, claim.Business = claim.Scope, `["acme","ann"]`, []byte("order\x00\xff\"\\")
	require.NoError(t, b.hold(claim).Complete(b.ctx, done))
	asked := claim
	asked.Token = idem.NewUUID()
	held, byPG, err := pg.Claim(b.ctx, asked)
	require.NoError(t, err)
	require.True(t, held == nil)
	assert.Equal(t, done.Response, byPG.Response)
	asked.Key = "other"
	_, byBusiness, err := pg.Claim(b.ctx, asked)
	require.NoError(t, err)
	assert.True(t, byBusiness.Business)

	claim.Key, claim.Business, claim.Token, claim.RecordID = "pgx", []byte("order 2"), idem.NewUUID(), idem.NewUUID()
	tx, _, err := pg.Claim(b.ctx, claim)
	require.NoError(t, err)
	waiting := claim
	waiting.Token, waiting.LockTimeout = idem.NewUUID(), 0
	_, inFlight, err := b.store.Claim(b.ctx, waiting)
	require.NoError(t, err)
	assert.Equal(t, idem.StateInFlight, inFlight.State)
	require.NoError(t, tx.Complete(b.ctx, done))
	_, bySQL, err := b.store.Claim(b.ctx, waiting)
	require.NoError(t, err)
	_, same, err := pg.Claim(b.ctx, waiting)
	require.NoError(t, err)
	assert.Equal(t, same, bySQL)
	assert.Equal(t, done.Response, bySQL.Response)
}

// An attempt of one store is taken over by the other, with its phases and its command.
func TestStoresTakeOverEachOther(t *testing.T) {
	b, pg := both(t)
	claim := newClaim("k")
	claim.Request = []byte("command\x00")
	l := b.lease(claim)
	held := b.phase(l)
	require.NoError(t, held.Commit(b.ctx, idem.PhaseRecord{Name: "one", Result: []byte("1")}, nil))
	require.NoError(t, b.store.Settle(b.ctx, l, idem.Completion{State: idem.StateInFlight}))
	due, err := pg.Due(b.ctx, idem.Due{Operations: map[string]time.Duration{claim.Operation: time.Minute}, Limit: 9})
	require.NoError(t, err)
	require.Len(t, due, 1)
	assert.Equal(t, claim.Request, due[0].Request)
	assert.Equal(t, []idem.PhaseRecord{{Name: "one", Result: []byte("1")}}, due[0].Phases)
	require.ErrorIs(t, b.store.Settle(b.ctx, l, created()), idem.ErrFenced)
	l.Token = due[0].Token
	require.NoError(t, pg.Settle(b.ctx, l, idem.Completion{State: idem.StateInFlight}))
	taken, err := b.store.TakeOver(b.ctx, idem.TakeOver{
		Scope: l.Scope, Keyspace: l.Keyspace, Key: l.Key, From: l.Token, Token: idem.NewUUID(), Lease: time.Minute,
	})
	require.NoError(t, err)
	assert.Equal(t, 3, taken.Attempt)
	assert.Equal(t, due[0].Phases, taken.Phases)
	live, err := b.store.LiveContracts(b.ctx)
	require.NoError(t, err)
	pgLive, err := pg.LiveContracts(b.ctx)
	require.NoError(t, err)
	assert.Equal(t, pgLive, live)
}

// The three stores live through the same stories.
func TestStoreAgrees(t *testing.T) {
	here := storetest.Side[*sql.Tx]{New: newStore(t, nil), Effects: effects}
	t.Run("with the one in memory", func(t *testing.T) { storetest.Agree(t, twin(), here, 2, 30) })
	t.Run("with the one of pgx", func(t *testing.T) {
		pool := pgtest.Schema(t)
		require.NoError(t, pgstore.Migrate(t.Context(), pool))
		_, err := pool.Exec(t.Context(), "create table effects (name text not null)")
		require.NoError(t, err)
		storetest.Agree(t, here, pgxSide(pool), 3, 20)
	})
}

func pgxSide(pool *pgxpool.Pool) storetest.Side[pgx.Tx] {
	return storetest.Side[pgx.Tx]{
		New: func(t *testing.T, now func() time.Time) idem.Store[pgx.Tx] {
			const text = `delete from idempotency_records; delete from idempotency_phases; delete from idempotency_business_keys; delete from effects`
			_, err := pool.Exec(t.Context(), text)
			require.NoError(t, err)
			return pgstore.New(pool, pgstore.WithClock(now))
		},
		Effects: storetest.Effects[pgx.Tx]{
			Write: func(ctx context.Context, tx pgx.Tx, name string) error {
				_, err := tx.Exec(ctx, "insert into effects (name) values ($1)", name)
				return err
			},
			Count: func(ctx context.Context, tx pgx.Tx, name string) (n int, err error) {
				err = tx.QueryRow(ctx, "select count(*) from effects where name = $1", name).Scan(&n)
				return n, err
			},
		},
	}
}

// twin is the store in memory, with effects of its own.
func twin() storetest.Side[*memstore.Tx] {
	var mu sync.Mutex
	counts := map[string]int{}
	return storetest.Side[*memstore.Tx]{
		New: func(_ *testing.T, now func() time.Time) idem.Store[*memstore.Tx] {
			mu.Lock()
			defer mu.Unlock()
			clear(counts)
			return memstore.New(memstore.WithClock(now))
		},
		Effects: storetest.Effects[*memstore.Tx]{
			Write: func(_ context.Context, tx *memstore.Tx, name string) error {
				tx.OnCommit(func() { mu.Lock(); defer mu.Unlock(); counts[name]++ })
				return nil
			},
			Count: func(_ context.Context, _ *memstore.Tx, name string) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				return counts[name], nil
			},
		},
	}
}

// Programs of both kinds start at once, and there is one schema.
func TestMigrateBesideTheOtherStore(t *testing.T) {
	cfg := pgtest.Config(t)
	pool := pgtest.Open(t, cfg)
	db := stdlib.OpenDB(*cfg.ConnConfig)
	defer func() { require.NoError(t, db.Close()) }()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if i%2 == 0 {
				assert.NoError(t, pgstore.Migrate(t.Context(), pool))
				return
			}
			assert.NoError(t, sqlstore.NewPostgreSQL(db).Migrate(t.Context()))
		})
	}
	all.Wait()
	var versions int
	require.NoError(t, db.QueryRowContext(t.Context(), "select count(*) from idempotency_schema").Scan(&versions))
	assert.Equal(t, 2, versions)
}
