package main

import (
	"context"
	"slices"
	"sync"

	"github.com/idemgen/idemgen/runtime/memstore"
)

// memoryLedger keeps effects in memory; they appear when the transaction commits.
type memoryLedger struct {
	mu      sync.Mutex
	effects map[string][]Effect // by tenant
}

func newMemoryLedger() *memoryLedger { return &memoryLedger{effects: map[string][]Effect{}} }

func (l *memoryLedger) Record(_ context.Context, tx *memstore.Tx, tenant string, e Effect) error {
	tx.OnCommit(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.effects[tenant] = append(l.effects[tenant], e)
	})
	return nil
}

func (l *memoryLedger) Payment(_ context.Context, _ *memstore.Tx, tenant, id string) (Effect, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.effects[tenant], func(e Effect) bool { return e.Kind == "payment" && e.ID == id })
	if i < 0 {
		return Effect{}, false, nil
	}
	return l.effects[tenant][i], true, nil
}

func (l *memoryLedger) List(_ context.Context, tenant string) ([]Effect, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.effects[tenant]), nil
}
