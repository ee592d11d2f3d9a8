package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
)

// ClaimLease takes c's key for c.Lease and commits, or says what stands there. After idem.ErrCommitUnknown it may have: claiming again
// with the same token tells.
func (s *Store) ClaimLease(ctx context.Context, c idem.Claim) (idem.Prior, error) {
	c.IdleTimeout = 0 // no transaction stays open
	a := attempt{store: s, claim: &c, mode: idem.Leased}
	won, prior, err := a.run(ctx)
	if won {
		s.recent.Remember(&c) // others see it at once
	}
	switch {
	case s.inFlight(err):
		return idem.Prior{State: idem.StateInFlight}, nil
	case err != nil:
		return idem.Prior{}, fmt.Errorf("sqlstore: claim lease: %w", s.startError(err))
	}
	return prior, nil
}

// TakeOver begins the next attempt of a record.
func (s *Store) TakeOver(ctx context.Context, t idem.TakeOver) (prior idem.Prior, err error) {
	err = s.inOwn(ctx, func(tx *sql.Tx) (err error) {
		if prior, err = s.dialect.takeOver(ctx, tx, t, s.clock()); err != nil {
			return err
		}
		return s.addPhases(ctx, tx, []*idem.Prior{&prior})
	})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return idem.Prior{}, fmt.Errorf("sqlstore: take over: %w", idem.ErrFenced)
	case err != nil:
		return idem.Prior{}, fmt.Errorf("sqlstore: take over: %w", s.startError(err))
	}
	return prior, nil
}

// Due takes over records whose lease is over.
func (s *Store) Due(ctx context.Context, d idem.Due) (priors []idem.Prior, err error) {
	d.Limit = max(d.Limit, 0)
	err = s.inOwn(ctx, func(tx *sql.Tx) (err error) {
		if priors, err = s.dialect.due(ctx, tx, d, s.clock()); err != nil || len(priors) == 0 {
			return err
		}
		taken := make([]*idem.Prior, len(priors))
		for i := range priors {
			taken[i] = &priors[i]
		}
		return s.addPhases(ctx, tx, taken)
	})
	if err != nil {
		return nil, fmt.Errorf("sqlstore: take over what is due: %w", s.startError(err))
	}
	return priors, nil
}

// addPhases gives each record its phases, in the order in which they happened. It is a statement of its own, after the takeover: that
// one may have waited for a phase, which it cannot see then.
func (s *Store) addPhases(ctx context.Context, tx *sql.Tx, priors []*idem.Prior) error {
	byID := map[idem.UUID]*idem.Prior{}
	var ids []string
	for _, p := range priors {
		byID[p.RecordID] = p
		ids = append(ids, p.RecordID.String())
	}
	_, err := collect(ctx, tx, func(row columns.Row) (phase idem.PhaseRecord, err error) {
		var id string
		if err := row.Scan(&id, &phase.Name, &phase.Result); err != nil {
			return phase, err
		}
		record, err := columns.ParseUUID(id)
		if err != nil {
			return phase, err
		}
		p := byID[record]
		if p == nil {
			return phase, fmt.Errorf("a phase of another record, %s", id)
		}
		p.Phases = append(p.Phases, phase)
		return phase, nil
	}, s.dialect.texts().phasesOf, s.dialect.list(ids))
	return err
}

// Settle ends an attempt. It does not end with ctx, like everything that settles.
func (s *Store) Settle(ctx context.Context, l idem.LeaseRef, c idem.Completion) error {
	if c.State == idem.StateAbsent || c.State > idem.StateUnknown {
		return fmt.Errorf("sqlstore: settle: an attempt cannot end in state %d", c.State)
	}
	ctx, cancel := settling(ctx)
	defer cancel()
	args := append(append(columns.AddressOf(l), int16(c.State)), columns.OutcomeArgs(&c)...)
	args = append(args, columns.RetentionMillis(c.Retention), columns.Millis(c.Delay), s.clock())
	n, err := s.change(ctx, nil, s.dialect.texts().settle, args...)
	switch {
	case err != nil:
		return fmt.Errorf("sqlstore: settle: %w", s.startError(err))
	case n == 0:
		return fmt.Errorf("sqlstore: settle: %w", idem.ErrFenced)
	}
	return nil
}

// Extend gives leases their time anew, on the pool of heartbeats if there is one. Where somebody keeps a database with one writer locked
// all the while it passes them all.
func (s *Store) Extend(ctx context.Context, leases []idem.LeaseRef) (lost, passed []idem.LeaseRef, err error) {
	if len(leases) == 0 {
		return nil, nil, nil
	}
	busy := make([]bool, len(leases))
	for i, l := range leases {
		busy[i] = s.busy.Is(l.Token)
	}
	var left map[int]bool
	err = s.onBeats().inOwn(ctx, func(tx *sql.Tx) (err error) {
		left, err = s.dialect.extend(ctx, tx, leases, busy, s.clock())
		return err
	})
	switch {
	case errors.Is(err, errBusy):
		return nil, slices.Clone(leases), nil
	case err != nil:
		return nil, nil, fmt.Errorf("sqlstore: extend leases: %w", s.startError(err))
	}
	for i, l := range leases {
		switch held, is := left[i]; {
		case is && held:
			passed = append(passed, l)
		case is:
			lost = append(lost, l)
		}
	}
	return lost, passed, nil
}

// onBeats is the store on the pool of heartbeats.
func (s *Store) onBeats() *Store {
	beats := *s
	if !s.dialect.single() {
		beats.db = s.beats
	}
	return &beats
}
