package business

import (
	"context"
	"slices"
	"sync"

	"github.com/idemgen/idemgen/runtime/memstore"
)

// Memory is a ledger beside records that are kept in memory.
type Memory struct {
	mu      sync.Mutex
	effects map[string][]Effect
}

// Record keeps the effect when the transaction commits.
func (m *Memory) Record(_ context.Context, tx *memstore.Tx, tenant string, e Effect) error {
	tx.OnCommit(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.effects == nil {
			m.effects = map[string][]Effect{}
		}
		m.effects[tenant] = append(m.effects[tenant], e)
	})
	return nil
}

// Effects are those that were committed, oldest first.
func (m *Memory) Effects(_ context.Context, tenant string) ([]Effect, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.effects[tenant]), nil
}
