package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Stuck gives the records that wait for people. It reads the whole table of records.
func (s *Store) Stuck(ctx context.Context, limit int) ([]idem.StuckRecord, error) {
	rows, _ := s.pool.Query(ctx, stuckSQL, int64(max(limit, 0)), s.clock()) // its error comes again
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (idem.StuckRecord, error) { return scanStuck(row) })
	if err != nil {
		return nil, fmt.Errorf("pgstore: list stuck records: %w", startError(err))
	}
	return found, nil
}

// Inspect gives one record. It reads the whole table of records.
func (s *Store) Inspect(ctx context.Context, id idem.UUID) (idem.StuckRecord, error) {
	r, err := s.inspect(ctx, id)
	if err != nil {
		return idem.StuckRecord{}, fmt.Errorf("pgstore: inspect record: %w", err)
	}
	return r, nil
}

// Resolve stores an outcome for a stuck record.
func (s *Store) Resolve(ctx context.Context, id idem.UUID, c idem.Completion) error {
	if !isOutcome(c.State) {
		return fmt.Errorf("pgstore: resolve record: %w: %d", errNoOutcome, c.State)
	}
	args := append([]any{id.String(), int16(c.State)}, outcomeArgs(&c)...)
	args = append(args, retentionMillis(c.Retention), s.clock())
	var resolved int64
	err := again(ctx, func() error {
		tag, err := s.pool.Exec(ctx, resolveSQL, args...)
		resolved = tag.RowsAffected()
		return err
	})
	if err := s.changed(ctx, id, int(resolved), err); err != nil {
		return fmt.Errorf("pgstore: resolve record: %w", err)
	}
	return nil
}

// Retry hands a stuck leased record back.
func (s *Store) Retry(ctx context.Context, id idem.UUID) error {
	var retried int64
	err := again(ctx, func() error {
		tag, err := s.pool.Exec(ctx, retrySQL, id.String(), s.clock())
		retried = tag.RowsAffected()
		return err
	})
	if err := s.changed(ctx, id, int(retried), err); err != nil {
		return fmt.Errorf("pgstore: retry record: %w", err)
	}
	return nil
}

// Free deletes a stuck record.
func (s *Store) Free(ctx context.Context, id idem.UUID) error {
	freed, err := s.deleteChosen(ctx, freeSQL, id.String(), s.clock())
	if err := s.changed(ctx, id, freed, err); err != nil {
		return fmt.Errorf("pgstore: free record: %w", err)
	}
	return nil
}

// changed says why a change of a stuck record found none.
func (s *Store) changed(ctx context.Context, id idem.UUID, n int, err error) error {
	if err != nil {
		return startError(err)
	}
	if n > 0 {
		return nil
	}
	if _, err := s.inspect(ctx, id); err != nil {
		return err
	}
	return idem.ErrNotStuck
}

func (s *Store) inspect(ctx context.Context, id idem.UUID) (idem.StuckRecord, error) {
	r, err := scanStuck(s.pool.QueryRow(ctx, inspectSQL, id.String(), s.clock()))
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return r, idem.ErrNoRecord
	case err != nil:
		return r, startError(err)
	}
	return r, nil
}

// scanStuck reads a row of stuckSQL or inspectSQL.
func scanStuck(row pgx.Row) (idem.StuckRecord, error) {
	var (
		r            idem.StuckRecord
		id, alias    string
		state        int16
		leased, over bool
		phases       []string
	)
	err := row.Scan(&r.Scope, &r.Keyspace, &r.Key, &alias, &r.Operation, &id, &state, &leased, &over,
		&r.Attempt, &r.Created, &r.Status, &phases)
	if err != nil {
		return idem.StuckRecord{}, err
	}
	if alias != "" {
		r.Scope = alias
	}
	if len(phases) > 0 {
		r.Phases = phases
	}
	r.State = stateOf(state, leased)
	r.LeaseOver = r.State == idem.StateInFlight && over
	r.RecordID, err = parseUUID(id)
	return r, err
}
