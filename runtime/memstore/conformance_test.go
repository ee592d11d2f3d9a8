package memstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// effects counts what committed, by name.
type effects struct {
	mu     sync.Mutex
	counts map[string]int
}

func (e *effects) write(_ context.Context, tx *memstore.Tx, name string) error {
	tx.OnCommit(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.counts[name]++
	})
	return nil
}

func (e *effects) count(_ context.Context, _ *memstore.Tx, name string) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts[name], nil
}

func (e *effects) newStore(_ *testing.T, now func() time.Time) idem.Store[*memstore.Tx] {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts = map[string]int{}
	if now == nil {
		return memstore.New()
	}
	return memstore.New(memstore.WithClock(now))
}

func TestStore(t *testing.T) {
	e := &effects{}
	storetest.Run(t, e.newStore, storetest.Effects[*memstore.Tx]{Write: e.write, Count: e.count})
}
