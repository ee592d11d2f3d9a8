package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
)

// eraseBatch bounds how many records an erasure deletes in one transaction.
const eraseBatch = 1000

// deleteChosen deletes the records that a statement chooses and locks, with all that belongs to them, in one transaction.
func (s *Store) deleteChosen(ctx context.Context, text string, args ...any) (deleted int, err error) {
	err = s.inOwn(ctx, func(tx *sql.Tx) error {
		chosen, err := collect(ctx, tx, columns.ScanDoomed, text, args...)
		deleted = len(chosen)
		if err != nil || len(chosen) == 0 {
			return err
		}
		for _, st := range append(s.dialect.belongings(chosen), s.dialect.records(chosen)...) {
			if _, err := exec(ctx, tx, st.sql, st.args...); err != nil {
				return err
			}
		}
		return nil
	})
	return deleted, err
}

// Sweep deletes up to limit expired records.
func (s *Store) Sweep(ctx context.Context, limit int) (int, error) {
	n := int64(max(limit, 0))
	swept, err := s.deleteChosen(ctx, s.dialect.texts().sweep, n, s.clock())
	if err == nil && swept < limit {
		err = s.inOwn(ctx, func(tx *sql.Tx) error {
			_, err := exec(ctx, tx, s.dialect.texts().sweepAliases, n, s.clock())
			return err
		})
	}
	if err != nil {
		return swept, fmt.Errorf("sqlstore: sweep: %w", s.startError(err))
	}
	return swept, nil
}

// Erase deletes what a scope has, in batches, each a transaction of its own. kept also counts what somebody else has locked.
func (s *Store) Erase(ctx context.Context, scope ...string) (erased, kept int, err error) {
	if len(scope) == 0 {
		return 0, 0, errors.New("sqlstore: erase: no scope value: that would be everybody's records")
	}
	for i, value := range scope {
		if !utf8.ValidString(value) {
			return 0, 0, fmt.Errorf("sqlstore: erase: value %d is not UTF-8, so no scope has it", i)
		}
	}
	text := idem.ScopeText(scope...)
	open := text[:len(text)-len("]")]
	from, to := open+",", open+"-" // "-" is the character after the comma, and the column's order is that of bytes
	t := s.dialect.texts()
	for _, chooses := range []string{t.erase, t.eraseAliased} {
		for n := eraseBatch; n == eraseBatch; erased += n {
			if n, err = s.deleteChosen(ctx, chooses, text, from, to, int64(eraseBatch)); err != nil {
				return erased, 0, fmt.Errorf("sqlstore: erase: %w", s.startError(err))
			}
		}
	}
	if err := s.db.QueryRowContext(ctx, t.kept, text, from, to).Scan(&kept); err != nil {
		return erased, 0, fmt.Errorf("sqlstore: erase: %w", s.startError(err))
	}
	return erased, kept, nil
}
