package pgstore

import (
	"context"
	"fmt"

	"github.com/idemgen/idemgen/runtime/pgstore/schema"
)

const schemaVersionSQL = `select coalesce(max(version), 0) from idempotency_schema`

// CheckSchema says what is missing of the tables, for programs whose migrations are applied by others: called at the start, it finds
// out before the first request does. A version newer than this program's is good, since the program may be the older one of two.
func (s *Store) CheckSchema(ctx context.Context) error {
	var version int
	err := s.pool.QueryRow(ctx, schemaVersionSQL).Scan(&version)
	switch want := schema.Latest(); {
	case sqlstate(err) == "42P01" || err == nil && version == 0:
		return fmt.Errorf("pgstore: check the schema: the tables are not on the search_path of this pool: apply what `idemgen migrate` prints, or call pgstore.Migrate")
	case err != nil:
		return fmt.Errorf("pgstore: check the schema: %w", startError(err))
	case version < want:
		return fmt.Errorf("pgstore: check the schema: it has version %d and this program needs version %d: apply what `idemgen migrate --after %d` prints, or call pgstore.Migrate",
			version, want, version)
	}
	return nil
}
