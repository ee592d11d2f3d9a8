package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// ClaimLease takes c's key for c.Lease and commits, in one round trip, or says what stands there. After idem.ErrCommitUnknown it may
// have: claiming again with the same token tells.
func (s *Store) ClaimLease(ctx context.Context, c idem.Claim) (idem.Prior, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return idem.Prior{}, fmt.Errorf("pgstore: claim lease: %w: %w", idem.ErrStoreUnavailable, err)
	}
	defer conn.Release()
	c.IdleTimeout = 0 // no transaction stays open
	a := attempt{store: s, conn: conn, claim: &c, mode: idem.Leased}
	won, prior, err := a.run(ctx)
	rollBack(ctx, conn)
	if won {
		s.recent.Remember(&c) // others see it at once
	}
	switch {
	case lockTimedOut(sqlstate(err)):
		return idem.Prior{State: idem.StateInFlight}, nil
	case err != nil:
		return idem.Prior{}, fmt.Errorf("pgstore: claim lease: %w", startError(lostError(err, conn)))
	}
	return prior, nil
}

// TakeOver begins the next attempt of a record, in one round trip.
func (s *Store) TakeOver(ctx context.Context, t idem.TakeOver) (idem.Prior, error) {
	home := columns.HomeOf(t.Scope, t.Before)
	var prior idem.Prior
	err := inOwn(ctx, s.pool, []statement{
		{sql: pgsql.TakeOverLease, args: []any{home, t.Keyspace, t.Key, t.From.String(), t.Token.String(), columns.Millis(t.Lease), s.clock()}},
		{sql: pgsql.PhasesAt, args: []any{home, t.Keyspace, t.Key, t.Token.String()}},
	}, func(br pgx.BatchResults) (err error) {
		if prior, err = columns.ScanTaken(br.QueryRow()); err != nil {
			return err
		}
		rows, _ := br.Query() // its error comes again
		return addPhases(rows, []*idem.Prior{&prior})
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return idem.Prior{}, fmt.Errorf("pgstore: take over: %w", idem.ErrFenced)
	case err != nil:
		return idem.Prior{}, fmt.Errorf("pgstore: take over: %w", startError(err))
	}
	return prior, nil
}

// Due takes over records whose lease is over. Their phases are read after that, which is safe: nobody but the new holder adds one.
func (s *Store) Due(ctx context.Context, d idem.Due) ([]idem.Prior, error) {
	var names []string
	var leases []int64
	for name, lease := range d.Operations {
		names, leases = append(names, name), append(leases, columns.Millis(lease))
	}
	due := []statement{{sql: pgsql.Due, args: []any{names, leases, int64(max(d.Limit, 0)), s.clock()}}}
	var priors []idem.Prior
	err := again(ctx, func() error {
		return inOwn(ctx, s.pool, due, func(br pgx.BatchResults) (err error) {
			rows, _ := br.Query() // its error comes again
			priors, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (idem.Prior, error) { return columns.ScanTaken(row) })
			return err
		})
	})
	if err == nil && len(priors) > 0 {
		err = s.readPhases(ctx, priors)
	}
	if err != nil {
		return nil, fmt.Errorf("pgstore: take over what is due: %w", startError(err))
	}
	return priors, nil
}

// Settle ends an attempt, in one round trip. It does not end with ctx, like everything that settles.
func (s *Store) Settle(ctx context.Context, l idem.LeaseRef, c idem.Completion) error {
	if c.State == idem.StateAbsent || c.State > idem.StateUnknown {
		return fmt.Errorf("pgstore: settle: an attempt cannot end in state %d", c.State)
	}
	ctx, cancel := settling(ctx)
	defer cancel()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("pgstore: settle: %w: %w", idem.ErrStoreUnavailable, err)
	}
	defer conn.Release()
	args := append(columns.AddressOf(l), int16(c.State))
	args = append(args, columns.OutcomeArgs(&c)...)
	tag, err := conn.Exec(ctx, pgsql.Settle, append(args, columns.RetentionMillis(c.Retention), columns.Millis(c.Delay), s.clock())...)
	switch {
	case err != nil:
		return fmt.Errorf("pgstore: settle: %w", commitError(err, conn.Conn().IsClosed()))
	case tag.RowsAffected() == 0:
		return fmt.Errorf("pgstore: settle: %w", idem.ErrFenced)
	}
	return nil
}

// Extend gives leases their time anew, on the pool of heartbeats if there is one.
func (s *Store) Extend(ctx context.Context, leases []idem.LeaseRef) (lost, passed []idem.LeaseRef, err error) {
	if len(leases) == 0 {
		return nil, nil, nil
	}
	var scopes, keyspaces, keys, tokens []string
	var times []int64
	var busy []bool
	for _, l := range leases {
		scopes, keyspaces, keys = append(scopes, columns.HomeOf(l.Scope, l.Before)), append(keyspaces, l.Keyspace), append(keys, l.Key)
		tokens, times = append(tokens, l.Token.String()), append(times, columns.Millis(l.Lease))
		busy = append(busy, s.busy.Is(l.Token))
	}
	pool := s.pool
	if s.beats != nil {
		pool = s.beats
	}
	beat := []statement{{sql: pgsql.Extend, args: []any{scopes, keyspaces, keys, tokens, times, busy, s.clock()}}}
	err = inOwn(ctx, pool, beat, func(br pgx.BatchResults) error {
		lost, passed = nil, nil
		rows, _ := br.Query() // its error comes again
		var place int64
		var held bool
		_, err := pgx.ForEachRow(rows, []any{&place, &held}, func() error {
			if held {
				passed = append(passed, leases[place-1])
			} else {
				lost = append(lost, leases[place-1])
			}
			return nil
		})
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("pgstore: extend leases: %w", startError(err))
	}
	return lost, passed, nil
}

func (s *Store) readPhases(ctx context.Context, priors []idem.Prior) error {
	var ids []string
	taken := make([]*idem.Prior, len(priors))
	for i := range priors {
		ids = append(ids, priors[i].RecordID.String())
		taken[i] = &priors[i]
	}
	rows, _ := s.pool.Query(ctx, pgsql.PhasesOf, ids) // its error comes again
	return addPhases(rows, taken)
}

// addPhases gives each record its phases, in the order of rows.
func addPhases(rows pgx.Rows, priors []*idem.Prior) error {
	byID := map[string]*idem.Prior{}
	for _, p := range priors {
		byID[p.RecordID.String()] = p
	}
	var id string
	var phase idem.PhaseRecord
	_, err := pgx.ForEachRow(rows, []any{&id, &phase.Name, &phase.Result}, func() error {
		p := byID[id]
		if p == nil {
			return fmt.Errorf("a phase of another record, %s", id)
		}
		p.Phases = append(p.Phases, phase)
		phase = idem.PhaseRecord{}
		return nil
	})
	return err
}

// closeBatch closes br and gives the first error.
func closeBatch(br pgx.BatchResults, err error) error {
	if errClose := br.Close(); err == nil || errors.Is(err, pgx.ErrNoRows) && errClose != nil {
		return errClose
	}
	return err
}
