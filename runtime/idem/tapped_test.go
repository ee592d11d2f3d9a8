package idem_test

import (
	"context"
	"maps"
	"sync"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// tapped is a store that a test can cut off: before each call it may fail, and after it, when it has happened all the same.
type tapped struct {
	idem.LeaseStore[*memstore.Tx]
	idem.Sweeper

	mu            sync.Mutex
	before, after func(call string, n int) error // n counts the calls of that name, from 1
	calls         map[string]int
	claims        []idem.Claim
	ends          []idem.Completion
	phases        []idem.PhaseRecord
}

func tap(s *memstore.Store) *tapped {
	return &tapped{LeaseStore: s, Sweeper: s, calls: map[string]int{}}
}

// failing makes calls of one name fail before they happen.
func (s *tapped) failing(name string, err error) {
	s.set(func(call string, _ int) error {
		if call == name {
			return err
		}
		return nil
	}, nil)
}

// losing makes the answers of calls of one name get lost, the first n times.
func (s *tapped) losing(name string, times int, err error) {
	s.set(nil, func(call string, n int) error {
		if call == name && n <= times {
			return err
		}
		return nil
	})
}

func (s *tapped) set(before, after func(string, int) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.after = before, after
	s.calls = map[string]int{}
}

func (s *tapped) count(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[call]
}

func (s *tapped) counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}

// lastEnd is how the last attempt was settled.
func (s *tapped) lastEnd() idem.Completion {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ends) == 0 {
		return idem.Completion{}
	}
	return s.ends[len(s.ends)-1]
}

func (s *tapped) through(call string, f func() error) error {
	s.mu.Lock()
	s.calls[call]++
	n, before, after := s.calls[call], s.before, s.after
	s.mu.Unlock()
	if before != nil {
		if err := before(call, n); err != nil {
			return err
		}
	}
	if err := f(); err != nil {
		return err
	}
	if after != nil {
		return after(call, n)
	}
	return nil
}

func (s *tapped) ClaimLease(ctx context.Context, c idem.Claim) (prior idem.Prior, err error) {
	s.mu.Lock()
	s.claims = append(s.claims, c)
	s.mu.Unlock()
	err = s.through("claim", func() error { prior, err = s.LeaseStore.ClaimLease(ctx, c); return err })
	return prior, err
}

func (s *tapped) TakeOver(ctx context.Context, t idem.TakeOver) (prior idem.Prior, err error) {
	err = s.through("take over", func() error { prior, err = s.LeaseStore.TakeOver(ctx, t); return err })
	return prior, err
}

func (s *tapped) Due(ctx context.Context, d idem.Due) (priors []idem.Prior, err error) {
	err = s.through("due", func() error { priors, err = s.LeaseStore.Due(ctx, d); return err })
	return priors, err
}

func (s *tapped) Settle(ctx context.Context, l idem.LeaseRef, c idem.Completion) error {
	s.mu.Lock()
	s.ends = append(s.ends, c)
	s.mu.Unlock()
	return s.through("settle", func() error { return s.LeaseStore.Settle(ctx, l, c) })
}

func (s *tapped) Extend(ctx context.Context, leases []idem.LeaseRef) (lost, passed []idem.LeaseRef, err error) {
	err = s.through("extend", func() error { lost, passed, err = s.LeaseStore.Extend(ctx, leases); return err })
	return lost, passed, err
}

func (s *tapped) Lookup(ctx context.Context, scope, keyspace, key string) (prior idem.Prior, err error) {
	err = s.through("look up", func() error { prior, err = s.LeaseStore.Lookup(ctx, scope, keyspace, key); return err })
	return prior, err
}

func (s *tapped) Sweep(ctx context.Context, limit int) (n int, err error) {
	err = s.through("sweep", func() error { n, err = s.Sweeper.Sweep(ctx, limit); return err })
	return n, err
}

func (s *tapped) BeginPhase(ctx context.Context, l idem.LeaseRef, o idem.BeginOptions) (held idem.HeldPhase[*memstore.Tx], err error) {
	err = s.through("begin phase", func() error { held, err = s.LeaseStore.BeginPhase(ctx, l, o); return err })
	if err != nil {
		return nil, err
	}
	return &tappedPhase{held, s}, nil
}

type tappedPhase struct {
	idem.HeldPhase[*memstore.Tx]
	store *tapped
}

func (h *tappedPhase) Commit(ctx context.Context, p idem.PhaseRecord, outcome *idem.Completion) error {
	h.store.mu.Lock()
	h.store.phases = append(h.store.phases, p)
	h.store.mu.Unlock()
	call := "commit"
	if outcome != nil {
		call = "commit last"
	}
	err := h.store.through(call, func() error { return h.HeldPhase.Commit(ctx, p, outcome) })
	if err != nil {
		_ = h.HeldPhase.Release(ctx) // a transaction whose commit never arrived is over, too
	}
	return err
}

func (h *tappedPhase) Release(ctx context.Context) error {
	return h.store.through("release", func() error { return h.HeldPhase.Release(ctx) })
}

// extents counts how many leases one statement extends.
type extents struct {
	idem.LeaseStore[*memstore.Tx]

	mu  sync.Mutex
	max int
}

func (s *extents) Extend(ctx context.Context, leases []idem.LeaseRef) (lost, passed []idem.LeaseRef, err error) {
	s.mu.Lock()
	s.max = max(s.max, len(leases))
	s.mu.Unlock()
	return s.LeaseStore.Extend(ctx, leases)
}

func (s *extents) most() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.max
}
