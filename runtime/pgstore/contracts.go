package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// liveContractsSQL counts records by their first fingerprint's contract id: the newest version that whoever wrote the record knew. The whole
// table is read: it is for people, not for requests.
const liveContractsSQL = `select encode(substring(fingerprints from 1 for 8), 'hex'), count(*)
  from idempotency_records
 where length(fingerprints) >= 8
   and (state in (1, 5) or expires_at > coalesce($1::text::timestamptz, clock_timestamp()))
 group by 1`

// LiveContracts counts the records that still answer, by the contract id of the newest version that each of them knows. A version that no
// record counts for is not needed any more, once the last program that writes it has stopped.
func (s *Store) LiveContracts(ctx context.Context) (map[string]int64, error) {
	rows, err := s.pool.Query(ctx, liveContractsSQL, s.clock())
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
