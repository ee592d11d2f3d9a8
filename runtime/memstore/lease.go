package memstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// change runs f with both locks: nothing commits, claims or looks meanwhile.
func (s *Store) change(f func() error) error {
	s.commits.Lock()
	defer s.commits.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return f()
}

// TakeOver begins the next attempt of a record.
func (s *Store) TakeOver(ctx context.Context, t idem.TakeOver) (prior idem.Prior, err error) {
	if err := ctx.Err(); err != nil {
		return idem.Prior{}, fmt.Errorf("memstore: take over: %w", err)
	}
	err = s.change(func() error {
		found := s.records[address{t.Scope, t.Keyspace, t.Key}]
		if found == nil || found.claim.Token != t.From || !s.hasNextAttempt(found) {
			return fmt.Errorf("memstore: take over: %w", idem.ErrFenced)
		}
		prior = s.nextAttempt(found, t.Token, t.Lease)
		return nil
	})
	return prior, err
}

func (s *Store) hasNextAttempt(r *record) bool {
	action := s.action(r)
	return r.leased() && (action == idem.ActTakeOver || action == idem.ActNextAttempt)
}

// nextAttempt gives the record to another holder.
func (s *Store) nextAttempt(r *record, token idem.UUID, lease time.Duration) idem.Prior {
	before := r.state
	r.state, r.claim.Token, r.leaseUntil = idem.StateInFlight, token, s.now().Add(lease)
	r.attempt++
	p := s.prior(r)
	p.State = before
	p.Request, p.Phases = bytes.Clone(r.claim.Request), copyPhases(r.phases)
	return p
}

// Due takes over records whose lease is over.
func (s *Store) Due(ctx context.Context, d idem.Due) (priors []idem.Prior, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("memstore: take over what is due: %w", err)
	}
	err = s.change(func() error {
		var due []*record
		for _, r := range s.all() {
			if _, asked := d.Operations[r.claim.Operation]; asked && s.leaseOver(r) {
				due = append(due, r)
			}
		}
		slices.SortFunc(due, func(a, b *record) int { return a.leaseUntil.Compare(b.leaseUntil) })
		for _, r := range due[:min(len(due), max(d.Limit, 0))] {
			priors = append(priors, s.nextAttempt(r, idem.NewUUID(), d.Operations[r.claim.Operation]))
		}
		return nil
	})
	return priors, err
}

// Settle ends an attempt. A caller that has gone does not undo it.
func (s *Store) Settle(_ context.Context, l idem.LeaseRef, c idem.Completion) error {
	if c.State == idem.StateAbsent || c.State > idem.StateUnknown {
		return fmt.Errorf("memstore: settle: an attempt cannot end in state %d", c.State)
	}
	return s.change(func() error {
		found := s.records[addressOf(l)]
		if !found.holds(l.Token) {
			return fmt.Errorf("memstore: settle: %w", idem.ErrFenced)
		}
		s.settle(found, &c)
		return nil
	})
}

// Extend gives leases their time anew. It passes none.
func (s *Store) Extend(ctx context.Context, leases []idem.LeaseRef) (lost, passed []idem.LeaseRef, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("memstore: extend leases: %w", err)
	}
	err = s.change(func() error {
		for _, l := range leases {
			found := s.records[addressOf(l)]
			if !found.holds(l.Token) {
				lost = append(lost, l)
				continue
			}
			found.leaseUntil = s.now().Add(l.Lease)
		}
		return nil
	})
	return lost, nil, err
}

func addressOf(l idem.LeaseRef) address { return address{l.Scope, l.Keyspace, l.Key} }
