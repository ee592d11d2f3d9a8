package memstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Stuck gives the records that wait for somebody.
func (s *Store) Stuck(ctx context.Context, limit int) ([]idem.StuckRecord, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("memstore: list stuck records: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*record
	for _, r := range s.all() {
		if s.stuck(r) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b *record) int { return a.waitsSince().Compare(b.waitsSince()) })
	var stuck []idem.StuckRecord
	for _, r := range found[:min(len(found), max(limit, 0))] {
		stuck = append(stuck, s.show(r))
	}
	return stuck, nil
}

func (s *Store) stuck(r *record) bool { return r.state == idem.StateUnknown || s.leaseOver(r) }

func (r *record) waitsSince() time.Time {
	if r.state == idem.StateUnknown {
		return r.waiting
	}
	return r.leaseUntil
}

// Inspect gives one record.
func (s *Store) Inspect(ctx context.Context, id idem.UUID) (idem.StuckRecord, error) {
	if err := ctx.Err(); err != nil {
		return idem.StuckRecord{}, fmt.Errorf("memstore: inspect record: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(id)
	if err != nil {
		return idem.StuckRecord{}, fmt.Errorf("memstore: inspect record: %w", err)
	}
	return s.show(r), nil
}

// Resolve stores an outcome for a stuck record.
func (s *Store) Resolve(ctx context.Context, id idem.UUID, c idem.Completion) error {
	if !isOutcome(c.State) {
		return fmt.Errorf("memstore: resolve record: state %d is not an outcome", c.State)
	}
	return s.changeStuck(ctx, "resolve", id, func(r *record) {
		s.settle(r, &c)
		r.claim.Token = idem.NewUUID() // an attempt whose last answer was lost must not take the outcome for its own
	})
}

// Retry hands a stuck leased record back.
func (s *Store) Retry(ctx context.Context, id idem.UUID) error {
	return s.changeStuck(ctx, "retry", id, func(r *record) {
		r.state, r.attempt, r.claim.Token, r.leaseUntil = idem.StateInFlight, 1, idem.NewUUID(), s.now()
	})
}

// Free deletes a stuck record.
func (s *Store) Free(ctx context.Context, id idem.UUID) error {
	return s.changeStuck(ctx, "free", id, s.remove)
}

func (s *Store) changeStuck(ctx context.Context, verb string, id idem.UUID, f func(*record)) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("memstore: %s record: %w", verb, err)
	}
	return s.change(func() error {
		r, err := s.find(id)
		if err == nil && !s.stuck(r) {
			err = idem.ErrNotStuck
		}
		if err != nil {
			return fmt.Errorf("memstore: %s record: %w", verb, err)
		}
		f(r)
		return nil
	})
}

func (s *Store) find(id idem.UUID) (*record, error) {
	for _, r := range s.records {
		if r.claim.RecordID == id && !s.absent(r) {
			return r, nil
		}
	}
	return nil, idem.ErrNoRecord
}

// show gives what people may see of a record.
func (s *Store) show(r *record) idem.StuckRecord {
	shown := idem.StuckRecord{
		Scope: r.claim.Scope, Keyspace: r.claim.Keyspace, Key: r.claim.Key, Operation: r.claim.Operation,
		RecordID: r.claim.RecordID, State: r.state, LeaseOver: s.leaseOver(r), Attempt: r.attempt,
		Created: r.createdAt, Status: r.response.Status,
	}
	for _, p := range r.phases {
		shown.Phases = append(shown.Phases, p.Name)
	}
	return shown
}
