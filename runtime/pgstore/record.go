package pgstore

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
)

// record is a row as it was read, with what the clocks said then. The zero record is an absent one.
type record struct {
	prior    idem.Prior
	expired  bool
	business []byte
	// leadsTo is the scope of the record to which this row, an alias, leads; empty in a record.
	leadsTo string
	// target is that record, when it is there and has not expired.
	target *record
}

// action asks the decision table. Stores do not compare commands, and no action that a store takes depends on the comparison.
func (r *record) action() idem.Action {
	return idem.Decide(idem.ConditionOf(r.prior.State, r.expired, r.prior.LeaseOver), idem.SameCommand, idem.Transactional)
}

// exists reports whether there is a row.
func (r *record) exists() bool { return r.prior.State != idem.StateAbsent || r.leadsTo != "" }

// live gives the record that answers for the row; nil when its key is free.
func (r *record) live() *record {
	if r.leadsTo != "" {
		return r.target
	}
	if r.action() == idem.ActClaim {
		return nil
	}
	return r
}

// doomed gives what it takes to delete r.
func (r *record) doomed() doomed {
	d := doomed{scope: r.prior.Scope, keyspace: r.prior.Keyspace, key: r.prior.Key, id: r.prior.RecordID.String(), business: r.business}
	if r.prior.Before != "" {
		d.scope, d.alias = r.prior.Before, r.prior.Scope
	}
	return d
}

// scanRecord reads a row of selectSQL, which was asked for what stands at a key. No row is an absent record.
func scanRecord(row pgx.Row, scope, keyspace, key string) (record, error) {
	var (
		r                      record
		p                      = &r.prior
		state                  int16
		recordID, token, alias string
		headers                []byte
		leased, over           bool
		left                   int64 // microseconds
	)
	err := row.Scan(&p.Operation, &recordID, &state, &p.Attempt, &token, &p.Fingerprints, &p.Fields,
		&p.Response.Status, &headers, &p.Response.Body, &r.expired, &leased, &over, &left, &r.business, &alias, &r.leadsTo)
	if errors.Is(err, pgx.ErrNoRows) {
		return record{}, nil
	}
	if err != nil {
		return record{}, err
	}
	p.State = stateOf(state, leased)
	p.LeaseOver = p.State == idem.StateInFlight && over
	p.LeaseLeft = max(time.Duration(left)*time.Microsecond, 0)
	p.NotKept = p.Response.Body == nil && isOutcome(p.State)
	standsAt(p, scope, keyspace, key, alias)
	var errID, errToken, errHeader error
	p.RecordID, errID = parseUUID(recordID)
	p.Token, errToken = parseUUID(token)
	p.Response.Header, errHeader = decodeHeaders(headers)
	return r, errors.Join(errID, errToken, errHeader)
}

// standsAt says where the record is found whose row stands at a key: under a second scope too, if it has an alias.
func standsAt(p *idem.Prior, scope, keyspace, key, alias string) {
	p.Scope, p.Keyspace, p.Key = scope, keyspace, key
	if alias != "" {
		p.Scope, p.Before = alias, scope
	}
}

// stateOf reads a stored state. What this program does not know is unknown, so that it is never run again; so is a record in
// flight without a lease (see Claim).
func stateOf(stored int16, leased bool) idem.State {
	switch {
	case stored < int16(idem.StateInFlight) || stored > int16(idem.StateUnknown):
		return idem.StateUnknown
	case stored == int16(idem.StateInFlight) && !leased:
		return idem.StateUnknown
	}
	return idem.State(stored)
}

func isOutcome(s idem.State) bool { return s == idem.StateCompleted || s == idem.StateFailedReplayable }

// parseUUID reads the database's text of a uuid.
func parseUUID(s string) (u idem.UUID, err error) {
	digits := strings.ReplaceAll(s, "-", "")
	if len(digits) != hex.EncodedLen(len(u)) {
		return u, fmt.Errorf("%q is not a uuid", s)
	}
	_, err = hex.Decode(u[:], []byte(digits))
	return u, err
}
