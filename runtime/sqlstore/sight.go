package sqlstore

import (
	"context"

	"github.com/idemgen/idemgen/runtime/internal/columns"
)

// look reads what the claim could have run into, until something stands in its way.
func (a *attempt) look(ctx context.Context) (columns.Sight, error) {
	s, c := a.store, a.claim
	var found columns.Sight
	scopes := columns.ScopesOf(c)
	for _, scope := range scopes {
		r, err := s.read(ctx, scope, c.Keyspace, c.Key)
		if err != nil {
			return columns.Sight{}, err
		}
		found.Records = append(found.Records, r)
		if r.Live() != nil {
			return found, nil
		}
	}
	if c.Business != nil {
		for _, scope := range scopes {
			k, err := columns.ScanBusinessKey(s.db.QueryRowContext(ctx, s.dialect.texts().selectBusiness, scope, c.Keyspace, c.Business))
			if err != nil {
				return columns.Sight{}, err
			}
			found.Business = append(found.Business, k)
		}
	}
	return found, s.follow(ctx, &found, c.Keyspace)
}

// follow reads the records to which rows lead, until one stands in the claim's way.
func (s *Store) follow(ctx context.Context, found *columns.Sight, keyspace string) (err error) {
	for i := range found.Records {
		r := &found.Records[i]
		if r.LeadsTo != "" {
			if r.Target, err = s.readLive(ctx, r.LeadsTo, keyspace, r.Prior.Key, r.Prior.RecordID.String()); err != nil {
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
		if k.Target, err = s.readLive(ctx, k.Scope, keyspace, k.Key, k.RecordID); err != nil || k.Target != nil {
			return err
		}
	}
	return nil
}

// readLive gives the record at a key if it is the one of that id and has not expired; else nil.
func (s *Store) readLive(ctx context.Context, scope, keyspace, key, recordID string) (*columns.Record, error) {
	r, err := s.read(ctx, scope, keyspace, key)
	if err != nil || r.Prior.RecordID.String() != recordID {
		return nil, err
	}
	return r.Live(), nil
}

// read gives the row at a key.
func (s *Store) read(ctx context.Context, scope, keyspace, key string) (columns.Record, error) {
	row := s.db.QueryRowContext(ctx, s.dialect.texts().selectRecord, scope, keyspace, key, s.clock())
	return columns.ScanRecord(row, scope, keyspace, key)
}
