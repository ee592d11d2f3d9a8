package memstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Store keeps records in maps. The zero Store is not usable; see New.
type Store struct {
	now func() time.Time

	// commits is held while the effects of one transaction run, so that those of two transactions never mix, and by everything
	// that ends or moves a lease: the fence that a phase was checked against still stands when its effects have run. Whoever
	// needs both takes commits before mu.
	commits sync.Mutex

	mu       sync.Mutex              // guards the maps and everything in them
	records  map[address]*record     // a record with a second scope stands in two places
	business map[businessKey]*record // may hold expired records: they take nobody's key
}

var (
	_ idem.LeaseStore[*Tx] = (*Store)(nil)
	_ idem.Sweeper         = (*Store)(nil)
	_ idem.Eraser          = (*Store)(nil)
	_ idem.Resolver        = (*Store)(nil)
)

// Option changes a new store.
type Option func(*Store)

// WithClock makes the store ask now for the time, which must be safe for concurrent use. Retention and leases depend on it;
// waiting uses real time.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// New gives an empty store.
func New(opts ...Option) *Store {
	s := &Store{now: time.Now, records: map[address]*record{}, business: map[businessKey]*record{}}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Begin gives a transaction without a claim.
func (s *Store) Begin(ctx context.Context, _ idem.BeginOptions) (idem.Held[*Tx], error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("memstore: begin: %w", err)
	}
	return &held{store: s, tx: &Tx{}}, nil
}

// Lookup reads the record of a key.
func (s *Store) Lookup(ctx context.Context, scope, keyspace, key string) (idem.Prior, error) {
	if err := ctx.Err(); err != nil {
		return idem.Prior{}, fmt.Errorf("memstore: look up key: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.records[address{scope, keyspace, key}]
	if found == nil || s.absent(found) {
		return idem.Prior{}, nil
	}
	return s.prior(found), nil
}
