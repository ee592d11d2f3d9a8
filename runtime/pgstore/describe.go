package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// seen is the isolation of a look at several rows: one snapshot, and the server refuses any change.
var seen = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// Describe gives what a claim at an address would meet, for people: the record under the key, else the one under the business key, else one
// that has expired. ErrNoRecord: none. It changes nothing. A transactional claim in flight is not visible.
func (s *Store) Describe(ctx context.Context, at idem.Address) (idem.StoredRecord, error) {
	var r idem.StoredRecord
	err := pgx.BeginTxFunc(ctx, s.pool, seen, func(tx pgx.Tx) (err error) {
		r, err = s.describe(ctx, tx, at)
		return err
	})
	switch {
	case errors.Is(err, idem.ErrNoRecord):
		return r, err
	case err != nil:
		return idem.StoredRecord{}, fmt.Errorf("pgstore: describe record: %w", startError(err))
	}
	return r, nil
}

func (s *Store) describe(ctx context.Context, tx pgx.Tx, at idem.Address) (idem.StoredRecord, error) {
	found, err := s.sightOf(ctx, tx, at)
	if err != nil {
		return idem.StoredRecord{}, err
	}
	prior, stands := found.Standing()
	expired := false
	for i := range found.Records {
		if r := &found.Records[i]; !stands && r.Prior.State != idem.StateAbsent && r.LeadsTo == "" {
			prior, expired, stands = r.Prior, true, true
		}
	}
	if !stands {
		return idem.StoredRecord{}, idem.ErrNoRecord
	}
	r := idem.DescribeRecord(prior)
	r.Expired = expired
	return r, s.addTimes(ctx, tx, &r, prior)
}

// sightOf reads what a claim would have in its way.
func (s *Store) sightOf(ctx context.Context, tx pgx.Tx, at idem.Address) (found columns.Sight, err error) {
	scopes := columns.ScopesOf(&idem.Claim{Scope: at.Scope, Before: at.Before})
	for _, scope := range scopes {
		r, err := s.read(ctx, tx, scope, at.Keyspace, at.Key)
		if err != nil {
			return columns.Sight{}, err
		}
		found.Records = append(found.Records, r)
	}
	for _, scope := range scopes {
		if at.Business == nil {
			break
		}
		k, err := columns.ScanBusinessKey(tx.QueryRow(ctx, pgsql.SelectBusiness, scope, at.Keyspace, at.Business))
		if err != nil {
			return columns.Sight{}, err
		}
		found.Business = append(found.Business, k)
	}
	return found, s.follow(ctx, tx, &found, at.Keyspace)
}

// addTimes completes r. Its row stands under the scope that was claimed first.
func (s *Store) addTimes(ctx context.Context, tx pgx.Tx, r *idem.StoredRecord, prior idem.Prior) error {
	scope := prior.Scope
	if prior.Before != "" {
		scope = prior.Before
	}
	var completed, expires, lease *time.Time
	err := tx.QueryRow(ctx, pgsql.Times, scope, prior.Keyspace, prior.Key).Scan(&r.Created, &completed, &expires, &lease, &r.Phases)
	r.Created, r.Completed, r.Expires = r.Created.UTC(), utc(completed), utc(expires)
	if r.State == idem.StateInFlight {
		r.LeaseUntil = utc(lease)
	}
	if len(r.Phases) == 0 {
		r.Phases = nil
	}
	return err
}

// utc gives the zero time for null.
func utc(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
