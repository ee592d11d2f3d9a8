package columns

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Row is a row of pgx or of database/sql. Both say sql.ErrNoRows where there is none.
type Row interface {
	Scan(dest ...any) error
}

// ScanRecord reads a row of a store's select, which was asked for what stands at a key. No row is an absent record.
func ScanRecord(row Row, scope, keyspace, key string) (Record, error) {
	var (
		r                      Record
		p                      = &r.Prior
		state                  int16
		recordID, token, alias string
		headers                []byte
		bodiless               bool // an empty body comes back as none from some drivers
		leased, over           bool
		left                   int64 // microseconds
	)
	err := row.Scan(&p.Operation, &recordID, &state, &p.Attempt, &token, &p.Fingerprints, &p.Fields,
		&p.Response.Status, &headers, &p.Response.Body, &bodiless, &r.Expired, &leased, &over, &left, &r.Business, &alias, &r.LeadsTo)
	if errors.Is(err, sql.ErrNoRows) {
		return Record{}, nil
	}
	if err != nil {
		return Record{}, err
	}
	p.State = StateOf(state, leased)
	p.LeaseOver = p.State == idem.StateInFlight && over
	p.LeaseLeft = max(time.Duration(left)*time.Microsecond, 0)
	p.NotKept = bodiless && IsOutcome(p.State)
	StandsAt(p, scope, keyspace, key, alias)
	var errID, errToken, errHeader error
	p.RecordID, errID = ParseUUID(recordID)
	p.Token, errToken = ParseUUID(token)
	p.Response.Header, errHeader = DecodeHeaders(headers)
	return r, errors.Join(errID, errToken, errHeader)
}

// ScanBusinessKey reads to which record a business key leads. No row is a free one.
func ScanBusinessKey(row Row) (k BusinessKey, err error) {
	if err = row.Scan(&k.Scope, &k.Key, &k.RecordID); errors.Is(err, sql.ErrNoRows) {
		return BusinessKey{}, nil
	}
	return k, err
}

// ScanTaken reads what a takeover returned.
func ScanTaken(row Row) (idem.Prior, error) {
	var (
		p                                      idem.Prior
		state                                  int16
		scope, keyspace, key, alias, id, token string
	)
	err := row.Scan(&state, &scope, &keyspace, &key, &alias, &p.Operation, &id, &p.Attempt, &token,
		&p.Fingerprints, &p.Fields, &p.Request)
	if err != nil {
		return idem.Prior{}, err
	}
	p.State = idem.State(state)
	StandsAt(&p, scope, keyspace, key, alias)
	var errID, errToken error
	p.RecordID, errID = ParseUUID(id)
	p.Token, errToken = ParseUUID(token)
	return p, errors.Join(errID, errToken)
}

// ScanDoomed reads a record that was chosen to be deleted.
func ScanDoomed(row Row) (d Doomed, err error) {
	err = row.Scan(&d.Scope, &d.Keyspace, &d.Key, &d.ID, &d.Business, &d.Alias)
	return d, err
}

// ScanStuck reads a record as people see it.
func ScanStuck(row Row) (idem.StuckRecord, error) {
	var (
		r                 idem.StuckRecord
		id, alias, phases string
		state             int16
		leased, over      bool
		created           Instant
	)
	err := row.Scan(&r.Scope, &r.Keyspace, &r.Key, &alias, &r.Operation, &id, &state, &leased, &over,
		&r.Attempt, &created, &r.Status, &phases)
	if err != nil {
		return idem.StuckRecord{}, err
	}
	if alias != "" {
		r.Scope = alias
	}
	r.Created = time.Time(created)
	r.State = StateOf(state, leased)
	r.LeaseOver = r.State == idem.StateInFlight && over
	var errID error
	r.RecordID, errID = ParseUUID(id)
	return r, errors.Join(errID, readNames(phases, &r.Phases))
}

// readNames reads a JSON array of names; an empty one is nil.
func readNames(text string, names *[]string) error {
	if err := json.Unmarshal([]byte(text), names); err != nil {
		return fmt.Errorf("names of phases: %w", err)
	}
	if len(*names) == 0 {
		*names = nil
	}
	return nil
}

// Instant is a time that a database has as such, or as milliseconds since 1970.
type Instant time.Time

// Scan implements sql.Scanner.
func (i *Instant) Scan(src any) error {
	switch v := src.(type) {
	case time.Time:
		*i = Instant(v)
	case int64:
		*i = Instant(time.UnixMilli(v))
	default:
		return fmt.Errorf("a time cannot be a %T", src)
	}
	return nil
}
