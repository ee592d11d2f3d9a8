package pgstore

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
)

// record is a row as it was read, with what the clocks said then. The zero record is an absent one.
type record struct {
	prior     idem.Prior
	expired   bool
	leaseOver bool
}

// action asks the decision table. Stores do not compare commands, and no action that a store takes depends on the comparison.
func (r *record) action() idem.Action {
	return idem.Decide(idem.ConditionOf(r.prior.State, r.expired, r.leaseOver), idem.SameCommand, idem.Transactional)
}

// scanRecord reads a row of selectSQL. No row is an absent record.
func scanRecord(row pgx.Row) (record, error) {
	var (
		r               record
		p               = &r.prior
		state           int16
		recordID, token string
		headers         []byte
		leased          bool
	)
	err := row.Scan(&p.Operation, &recordID, &state, &p.Attempt, &token, &p.Fingerprints, &p.Fields,
		&p.Response.Status, &headers, &p.Response.Body, &r.expired, &leased, &r.leaseOver)
	if errors.Is(err, pgx.ErrNoRows) {
		return record{}, nil
	}
	if err != nil {
		return record{}, err
	}
	p.State = idem.State(state)
	if p.State == idem.StateInFlight && !leased {
		p.State = idem.StateUnknown // see Claim
	}
	var errID, errToken, errHeader error
	p.RecordID, errID = parseUUID(recordID)
	p.Token, errToken = parseUUID(token)
	p.Response.Header, errHeader = decodeHeaders(headers)
	return r, errors.Join(errID, errToken, errHeader)
}

// parseUUID reads the database's text of a uuid.
func parseUUID(s string) (u idem.UUID, err error) {
	digits := strings.ReplaceAll(s, "-", "")
	if len(digits) != hex.EncodedLen(len(u)) {
		return u, fmt.Errorf("%q is not a uuid", s)
	}
	_, err = hex.Decode(u[:], []byte(digits))
	return u, err
}
