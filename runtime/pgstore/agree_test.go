package pgstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// TestStoreAgreesWithItsTwin lets this store and the one in memory live through the same stories.
func TestStoreAgreesWithItsTwin(t *testing.T) {
	storetest.Agree(t, twin(), storetest.Side[pgx.Tx]{New: newStore(t, nil), Effects: effects}, 1, 40)
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
