package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// LiveContracts counts the records that still answer, by the contract id of the newest version that each of them knows. A version that no
// record counts for is not needed any more, once the last program that writes it has stopped.
func (s *Store) LiveContracts(ctx context.Context) (map[string]int64, error) {
	rows, err := s.pool.Query(ctx, pgsql.LiveContracts, s.clock())
	if err != nil {
		return nil, fmt.Errorf("pgstore: count live contracts: %w", startError(err))
	}
	live := map[string]int64{}
	var id string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&id, &n}, func() error { live[id] = n; return nil }); err != nil {
		return nil, fmt.Errorf("pgstore: count live contracts: %w", startError(err))
	}
	return live, nil
}
