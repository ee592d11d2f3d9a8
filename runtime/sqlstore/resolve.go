package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
)

// Stuck gives the records that wait for people. It reads the whole table of records.
func (s *Store) Stuck(ctx context.Context, limit int) ([]idem.StuckRecord, error) {
	found, err := collect(ctx, s.db, columns.ScanStuck, s.dialect.texts().stuck, int64(max(limit, 0)), s.clock())
	if err != nil {
		return nil, fmt.Errorf("sqlstore: list stuck records: %w", s.startError(err))
	}
	return found, nil
}

// Inspect gives one record. It reads the whole table of records.
func (s *Store) Inspect(ctx context.Context, id idem.UUID) (idem.StuckRecord, error) {
	r, err := s.inspect(ctx, id)
	if err != nil {
		return idem.StuckRecord{}, fmt.Errorf("sqlstore: inspect record: %w", err)
	}
	return r, nil
}

// Resolve stores an outcome for a stuck record.
func (s *Store) Resolve(ctx context.Context, id idem.UUID, c idem.Completion) error {
	if !columns.IsOutcome(c.State) {
		return fmt.Errorf("sqlstore: resolve record: %w: %d", errNoOutcome, c.State)
	}
	args := append([]any{id.String(), int16(c.State)}, columns.OutcomeArgs(&c)...)
	args = append(args, columns.RetentionMillis(c.Retention), s.clock(), idem.NewUUID().String())
	if err := s.changeStuck(ctx, id, s.dialect.texts().resolve, args...); err != nil {
		return fmt.Errorf("sqlstore: resolve record: %w", err)
	}
	return nil
}

// Retry hands a stuck leased record back.
func (s *Store) Retry(ctx context.Context, id idem.UUID) error {
	if err := s.changeStuck(ctx, id, s.dialect.texts().retry, id.String(), s.clock(), idem.NewUUID().String()); err != nil {
		return fmt.Errorf("sqlstore: retry record: %w", err)
	}
	return nil
}

// Free deletes a stuck record.
func (s *Store) Free(ctx context.Context, id idem.UUID) error {
	freed, err := s.deleteChosen(ctx, s.dialect.texts().free, id.String(), s.clock())
	if err := s.changed(ctx, id, int64(freed), err); err != nil {
		return fmt.Errorf("sqlstore: free record: %w", err)
	}
	return nil
}

func (s *Store) changeStuck(ctx context.Context, id idem.UUID, text string, args ...any) error {
	var n int64
	err := s.again(ctx, func() (err error) {
		n, err = s.change(ctx, nil, text, args...)
		return err
	})
	return s.changed(ctx, id, n, err)
}

// changed says why a change of a stuck record found none.
func (s *Store) changed(ctx context.Context, id idem.UUID, n int64, err error) error {
	if err != nil {
		return s.startError(err)
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
	r, err := columns.ScanStuck(s.db.QueryRowContext(ctx, s.dialect.texts().inspect, id.String(), s.clock()))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return r, idem.ErrNoRecord
	case err != nil:
		return r, s.startError(err)
	}
	return r, nil
}

// LiveContracts counts the records that still answer, by the contract id of the newest version that each of them knows. A version that no
// record counts for is not needed any more, once the last program that writes it has stopped. It reads the whole table of records.
func (s *Store) LiveContracts(ctx context.Context) (map[string]int64, error) {
	live := map[string]int64{}
	_, err := collect(ctx, s.db, func(row columns.Row) (id string, err error) {
		var n int64
		err = row.Scan(&id, &n)
		live[id] = n
		return id, err
	}, s.dialect.texts().liveContracts, s.clock())
	if err != nil {
		return nil, fmt.Errorf("sqlstore: count live contracts: %w", s.startError(err))
	}
	return live, nil
}
