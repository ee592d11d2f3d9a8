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

// Stuck gives the records that wait for people. It reads the whole table of records.
func (s *Store) Stuck(ctx context.Context, limit int) ([]idem.StuckRecord, error) {
	rows, _ := s.pool.Query(ctx, pgsql.Stuck, int64(max(limit, 0)), s.clock()) // its error comes again
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (idem.StuckRecord, error) { return columns.ScanStuck(row) })
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
	if !columns.IsOutcome(c.State) {
		return fmt.Errorf("pgstore: resolve record: %w: %d", errNoOutcome, c.State)
	}
	args := append([]any{id.String(), int16(c.State)}, columns.OutcomeArgs(&c)...)
	args = append(args, columns.RetentionMillis(c.Retention), s.clock(), idem.NewUUID().String())
	var resolved int64
	err := again(ctx, func() error {
		tag, err := s.pool.Exec(ctx, pgsql.Resolve, args...)
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
		tag, err := s.pool.Exec(ctx, pgsql.Retry, id.String(), s.clock(), idem.NewUUID().String())
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
	freed, err := s.deleteChosen(ctx, pgsql.Free, id.String(), s.clock())
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
	r, err := columns.ScanStuck(s.pool.QueryRow(ctx, pgsql.Inspect, id.String(), s.clock()))
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return r, idem.ErrNoRecord
	case err != nil:
		return r, startError(err)
	}
	return r, nil
}
