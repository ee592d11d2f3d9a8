package memstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Store keeps records in a map. The zero Store is not usable; see New.
type Store struct {
	now func() time.Time

	// commits is held while the effects of one transaction run, so that those of two transactions never mix.
	commits sync.Mutex

	mu      sync.Mutex // guards records and everything in them
	records map[address]*record
}

var _ idem.Store[*Tx] = (*Store)(nil)

// Option changes a new store.
type Option func(*Store)

// WithClock makes the store ask now for the time. Only expiry depends on it; waiting uses real time.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// New gives an empty store.
func New(opts ...Option) *Store {
	s := &Store{now: time.Now, records: map[address]*record{}}
	for _, o := range opts {
		o(s)
	}
	return s
}

// address is a record's primary key.
type address struct{ scope, keyspace, key string }

// record is one row.
type record struct {
	claim     idem.Claim
	state     idem.State
	response  idem.Response
	expiresAt time.Time     // zero: never
	settled   chan struct{} // closed when the holder completes or releases
}

// Claim takes c's key or says what stands there. While another transaction holds the key it waits up to c.LockTimeout.
func (s *Store) Claim(ctx context.Context, c idem.Claim) (idem.Held[*Tx], idem.Prior, error) {
	timeout := time.NewTimer(max(c.LockTimeout, 0))
	defer timeout.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return nil, idem.Prior{}, fmt.Errorf("memstore: claim key: %w", err)
		}
		held, prior, settled := s.claim(c)
		if settled == nil {
			return held, prior, nil
		}
		if c.LockTimeout <= 0 {
			return nil, idem.Prior{State: idem.StateInFlight}, nil
		}
		select {
		case <-settled:
		case <-timeout.C:
			return nil, idem.Prior{State: idem.StateInFlight}, nil
		case <-ctx.Done():
		}
	}
}

// claim is one attempt. It gives the channel to wait on when the key is in flight.
func (s *Store) claim(c idem.Claim) (idem.Held[*Tx], idem.Prior, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := address{c.Scope, c.Keyspace, c.Key}
	found := s.records[at]
	if found != nil && found.state == idem.StateInFlight {
		return nil, idem.Prior{}, found.settled
	}
	if found != nil && !s.expired(found) {
		return nil, found.prior(), nil
	}
	c.Fingerprints = append([]byte(nil), c.Fingerprints...)
	c.Fields = append([]byte(nil), c.Fields...)
	mine := &record{claim: c, state: idem.StateInFlight, expiresAt: s.expiry(c.Retention), settled: make(chan struct{})}
	s.records[at] = mine
	prior := idem.Prior{State: idem.StateAbsent, Operation: c.Operation, RecordID: c.RecordID, Token: c.Token, Attempt: 1}
	return &held{store: s, tx: &Tx{}, at: at, mine: mine}, prior, nil
}

// Begin gives a transaction without a claim.
func (s *Store) Begin(ctx context.Context, _ idem.BeginOptions) (idem.Held[*Tx], error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("memstore: begin: %w", err)
	}
	return &held{store: s, tx: &Tx{}}, nil
}

// Lookup reads the record of a key.
func (s *Store) Lookup(ctx context.Context, scope, keyspace, key string) (idem.Prior, error) {
	if err := ctx.Err(); err != nil {
		return idem.Prior{}, fmt.Errorf("memstore: look up key: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.records[address{scope, keyspace, key}]
	switch {
	case found == nil:
		return idem.Prior{}, nil
	case found.state == idem.StateInFlight:
		return idem.Prior{State: idem.StateInFlight}, nil
	case s.expired(found):
		return idem.Prior{}, nil
	}
	return found.prior(), nil
}

func (s *Store) expiry(retention time.Duration) time.Time {
	if retention == idem.Forever {
		return time.Time{}
	}
	return s.now().Add(retention)
}

// expired holds from the instant of expiry on.
func (s *Store) expired(r *record) bool { return !r.expiresAt.IsZero() && !s.now().Before(r.expiresAt) }

// prior copies the record out, so that nobody can write into the store.
func (r *record) prior() idem.Prior {
	return idem.Prior{
		State:        r.state,
		Operation:    r.claim.Operation,
		RecordID:     r.claim.RecordID,
		Token:        r.claim.Token,
		Attempt:      1, // a transactional record has one attempt: another one begins as a new record
		Fingerprints: append([]byte(nil), r.claim.Fingerprints...),
		Fields:       append([]byte(nil), r.claim.Fields...),
		Response:     copyResponse(r.response),
	}
}

func copyResponse(r idem.Response) idem.Response {
	return idem.Response{Status: r.Status, Header: r.Header.Clone(), Body: append([]byte(nil), r.Body...)}
}
