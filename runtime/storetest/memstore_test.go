package storetest_test

import (
	"context"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

// ledger counts effects that committed.
type ledger struct {
	mu     sync.Mutex
	counts map[string]int
}

func (l *ledger) write(_ context.Context, tx *memstore.Tx, name string) error {
	tx.OnCommit(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.counts[name]++
	})
	return nil
}

func (l *ledger) count(_ context.Context, _ *memstore.Tx, name string) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts[name], nil
}

func TestMemstore(t *testing.T) {
	l := &ledger{}
	newStore := func(*testing.T) idem.Store[*memstore.Tx] {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.counts = map[string]int{}
		return memstore.New()
	}
	storetest.Run(t, newStore, storetest.Effects[*memstore.Tx]{Write: l.write, Count: l.count})
}
