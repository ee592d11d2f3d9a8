package pgstore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
)

// sight is what a claim found in its places. The zero sight is that nothing was seen yet.
type sight struct {
	records  []record      // of each scope, as scopesOf gives them
	business []businessKey // of each scope; none without a business key
}

// businessKey is a row that says to which record a business key leads. The zero one is an absent row.
type businessKey struct {
	scope, key, recordID string
	target               *record // the record, when it is there and has not expired
}

// scopesOf are the scopes under which c's record stands, in the order in which they are claimed. The row of the first one is the
// record.
func scopesOf(c *idem.Claim) []string {
	if c.Before != "" && c.Before != c.Scope {
		return []string{c.Before, c.Scope}
	}
	return []string{c.Scope}
}

// standing gives the first record in the claim's way: under its key, then under its business key.
func (s *sight) standing() (idem.Prior, bool) {
	for i := range s.records {
		if r := s.records[i].live(); r != nil {
			return r.prior, true
		}
	}
	for _, k := range s.business {
		if k.target != nil {
			p := k.target.prior
			p.Business = true
			return p, true
		}
	}
	return idem.Prior{}, false
}

// scanSight reads what look asked for.
func scanSight(br pgx.BatchResults, c *idem.Claim, scopes []string) (sight, error) {
	var found sight
	for _, scope := range scopes {
		r, err := scanRecord(br.QueryRow(), scope, c.Keyspace, c.Key)
		if err != nil {
			return sight{}, err
		}
		found.records = append(found.records, r)
	}
	if c.Business == nil {
		return found, nil
	}
	for range scopes {
		var k businessKey
		err := br.QueryRow().Scan(&k.scope, &k.key, &k.recordID)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return sight{}, err
		}
		found.business = append(found.business, k)
	}
	return found, nil
}

// querier is a pool or a connection.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// follow reads the records to which rows lead, until one stands in the claim's way. That takes a round trip for each, and outside of
// the claim's transaction; only duplicates under another key, and programs in the midst of a change of scope, come here.
func (s *sight) follow(ctx context.Context, store *Store, db querier, keyspace string) (err error) {
	for i := range s.records {
		r := &s.records[i]
		if r.leadsTo != "" {
			if r.target, err = store.readLive(ctx, db, r.leadsTo, keyspace, r.prior.Key, r.prior.RecordID.String()); err != nil {
				return err
			}
		}
		if r.live() != nil {
			return nil
		}
	}
	for i := range s.business {
		k := &s.business[i]
		if k.recordID == "" {
			continue
		}
		if k.target, err = store.readLive(ctx, db, k.scope, keyspace, k.key, k.recordID); err != nil || k.target != nil {
			return err
		}
	}
	return nil
}

// readLive gives the record at a key if it is the one of that id and has not expired; else nil.
func (s *Store) readLive(ctx context.Context, db querier, scope, keyspace, key, recordID string) (*record, error) {
	r, err := s.read(ctx, db, scope, keyspace, key)
	if err != nil || r.prior.RecordID.String() != recordID {
		return nil, err
	}
	return r.live(), nil
}

// read gives the row at a key.
func (s *Store) read(ctx context.Context, db querier, scope, keyspace, key string) (record, error) {
	return scanRecord(db.QueryRow(ctx, selectSQL, scope, keyspace, key, s.clock()), scope, keyspace, key)
}
