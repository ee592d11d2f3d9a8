package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// scanSight reads what look asked for.
func scanSight(br pgx.BatchResults, c *idem.Claim, scopes []string) (columns.Sight, error) {
	var found columns.Sight
	for _, scope := range scopes {
		r, err := columns.ScanRecord(br.QueryRow(), scope, c.Keyspace, c.Key)
		if err != nil {
			return columns.Sight{}, err
		}
		found.Records = append(found.Records, r)
	}
	if c.Business == nil {
		return found, nil
	}
	for range scopes {
		k, err := columns.ScanBusinessKey(br.QueryRow())
		if err != nil {
			return columns.Sight{}, err
		}
		found.Business = append(found.Business, k)
	}
	return found, nil
}

// querier is a pool or a connection.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// follow reads the records to which rows lead, until one stands in the claim's way. That takes a round trip for each, and outside of
// the claim's transaction; only duplicates under another key, and programs in the midst of a change of scope, come here.
func (s *Store) follow(ctx context.Context, db querier, found *columns.Sight, keyspace string) (err error) {
	for i := range found.Records {
		r := &found.Records[i]
		if r.LeadsTo != "" {
			if r.Target, err = s.readLive(ctx, db, r.LeadsTo, keyspace, r.Prior.Key, r.Prior.RecordID.String()); err != nil {
				return err
			}
		}
		if r.Live() != nil {
			return nil
		}
	}
	for i := range found.Business {
		k := &found.Business[i]
		if k.RecordID == "" {
			continue
		}
		if k.Target, err = s.readLive(ctx, db, k.Scope, keyspace, k.Key, k.RecordID); err != nil || k.Target != nil {
			return err
		}
	}
	return nil
}

// readLive gives the record at a key if it is the one of that id and has not expired; else nil.
func (s *Store) readLive(ctx context.Context, db querier, scope, keyspace, key, recordID string) (*columns.Record, error) {
	r, err := s.read(ctx, db, scope, keyspace, key)
	if err != nil || r.Prior.RecordID.String() != recordID {
		return nil, err
	}
	return r.Live(), nil
}

// read gives the row at a key.
func (s *Store) read(ctx context.Context, db querier, scope, keyspace, key string) (columns.Record, error) {
	return columns.ScanRecord(db.QueryRow(ctx, pgsql.Select, scope, keyspace, key, s.clock()), scope, keyspace, key)
}
