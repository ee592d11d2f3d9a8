package pgstore

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// eraseBatch bounds how many records an erasure deletes in one transaction.
const eraseBatch = 1000

// belongings are the statements that delete what belongs to records.
func belongings(ds []columns.Doomed) []statement {
	var ids, aliases, keyspaces, keys, aliasIDs, nameScopes, nameKeyspaces, nameIDs []string
	var digests [][]byte
	for _, d := range ds {
		ids = append(ids, d.ID)
		if d.Alias != "" {
			aliases, keyspaces, keys = append(aliases, d.Alias), append(keyspaces, d.Keyspace), append(keys, d.Key)
			aliasIDs = append(aliasIDs, d.ID)
		}
		for _, scope := range []string{d.Scope, d.Alias} {
			if d.Business != nil && scope != "" {
				nameScopes, nameKeyspaces = append(nameScopes, scope), append(nameKeyspaces, d.Keyspace)
				digests, nameIDs = append(digests, d.Business), append(nameIDs, d.ID)
			}
		}
	}
	all := []statement{{sql: pgsql.DeletePhases, args: []any{ids}}}
	if len(nameIDs) > 0 {
		all = append(all, statement{sql: pgsql.DeleteBusiness, args: []any{nameScopes, nameKeyspaces, digests, nameIDs}})
	}
	if len(aliasIDs) > 0 {
		all = append(all, statement{sql: pgsql.DeleteAliases, args: []any{aliases, keyspaces, keys, aliasIDs}})
	}
	return all
}

// deleteChosen deletes the records that a statement chooses and locks, with all that belongs to them, in one transaction.
func (s *Store) deleteChosen(ctx context.Context, sql string, args ...any) (deleted int, err error) {
	err = again(ctx, func() error {
		deleted = 0
		return pgx.BeginTxFunc(ctx, s.pool, readCommitted, func(tx pgx.Tx) error {
			rows, _ := tx.Query(ctx, sql, args...) // its error comes again
			chosen, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (columns.Doomed, error) { return columns.ScanDoomed(row) })
			if err != nil || len(chosen) == 0 {
				return err
			}
			deleted = len(chosen)
			return deleteAll(ctx, tx, chosen)
		})
	})
	return deleted, err
}

func deleteAll(ctx context.Context, tx pgx.Tx, chosen []columns.Doomed) error {
	var scopes, keyspaces, keys []string
	for _, d := range chosen {
		scopes, keyspaces, keys = append(scopes, d.Scope), append(keyspaces, d.Keyspace), append(keys, d.Key)
	}
	b := &pgx.Batch{}
	for _, st := range belongings(chosen) {
		b.Queue(st.sql, st.args...)
	}
	b.Queue(pgsql.DeleteRecords, scopes, keyspaces, keys)
	return tx.SendBatch(ctx, b).Close()
}

// Sweep deletes up to limit expired records.
func (s *Store) Sweep(ctx context.Context, limit int) (int, error) {
	n := int64(max(limit, 0))
	swept, err := s.deleteChosen(ctx, pgsql.Sweep, n, s.clock())
	if err == nil && swept < limit {
		err = again(ctx, func() error {
			return inOwn(ctx, s.pool, []statement{{sql: pgsql.SweepAliases, args: []any{n, s.clock()}}}, ignore)
		})
	}
	if err != nil {
		return swept, fmt.Errorf("pgstore: sweep: %w", startError(err))
	}
	return swept, nil
}

func ignore(pgx.BatchResults) error { return nil }

// Erase deletes what a scope has, in batches, each a transaction of its own. kept also counts what somebody else has locked.
func (s *Store) Erase(ctx context.Context, scope ...string) (erased, kept int, err error) {
	if len(scope) == 0 {
		return 0, 0, errors.New("pgstore: erase: no scope value: that would be everybody's records")
	}
	for i, value := range scope {
		if !utf8.ValidString(value) {
			return 0, 0, fmt.Errorf("pgstore: erase: value %d is not UTF-8, so no scope has it", i)
		}
	}
	text := idem.ScopeText(scope...)
	open := text[:len(text)-len("]")]
	from, to := open+",", open+"-" // "-" is the character after the comma, and the column's order is that of bytes
	for _, sql := range []string{pgsql.Erase, pgsql.EraseAliased} {
		for n := eraseBatch; n == eraseBatch; erased += n {
			if n, err = s.deleteChosen(ctx, sql, text, from, to, int64(eraseBatch)); err != nil {
				return erased, 0, fmt.Errorf("pgstore: erase: %w", startError(err))
			}
		}
	}
	if err := s.pool.QueryRow(ctx, pgsql.Kept, text, from, to).Scan(&kept); err != nil {
		return erased, 0, fmt.Errorf("pgstore: erase: %w", startError(err))
	}
	return erased, kept, nil
}
