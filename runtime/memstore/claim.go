package memstore

import (
	"context"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Claim takes c's key or says what stands there. While another transaction holds the key it waits up to c.LockTimeout.
func (s *Store) Claim(ctx context.Context, c idem.Claim) (idem.Held[*Tx], idem.Prior, error) {
	mine, prior, err := s.claim(ctx, c, idem.Transactional)
	if err != nil || mine == nil {
		return nil, prior, err
	}
	return &held{store: s, tx: &Tx{}, mine: mine}, prior, nil
}

// ClaimLease takes c's key for c.Lease. While a transaction holds the key it waits up to c.LockTimeout.
func (s *Store) ClaimLease(ctx context.Context, c idem.Claim) (idem.Prior, error) {
	_, prior, err := s.claim(ctx, c, idem.Leased)
	return prior, err
}

// claim gives c's new record, or what stands in its way.
func (s *Store) claim(ctx context.Context, c idem.Claim, mode idem.ExecutionMode) (*record, idem.Prior, error) {
	timeout := time.NewTimer(max(c.LockTimeout, 0))
	defer timeout.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return nil, idem.Prior{}, fmt.Errorf("memstore: claim key: %w", err)
		}
		mine, prior, settled, err := s.tryClaim(c, mode)
		if err != nil || settled == nil || c.LockTimeout <= 0 {
			return mine, prior, err
		}
		select {
		case <-settled:
		case <-timeout.C:
			return nil, prior, nil
		case <-ctx.Done():
		}
	}
}

// tryClaim is one attempt. It gives the channel to wait on when a transaction holds the key.
func (s *Store) tryClaim(c idem.Claim, mode idem.ExecutionMode) (*record, idem.Prior, <-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, business := s.inTheWay(&c)
	switch {
	case found == nil && s.spent(&c):
		return nil, idem.Prior{}, nil, fmt.Errorf("memstore: claim key: %w: the record that it made has expired", idem.ErrFenced)
	case found == nil:
		mine := s.add(c, mode)
		return mine, won(mine), nil, nil
	case mode == idem.Leased && found.holds(c.Token):
		return nil, won(found), nil, nil // the claim's answer was lost
	}
	prior := s.prior(found)
	prior.Business = business
	if found.state == idem.StateInFlight {
		return nil, prior, found.settled, nil
	}
	return nil, prior, nil, nil
}

// spent reports whether the record that c made is still there. Nothing was in c's way, so it has expired.
func (s *Store) spent(c *idem.Claim) bool {
	r := s.records[places(c)[0]]
	return r != nil && r.claim.RecordID == c.RecordID
}

// inTheWay gives the first record that has what c asks for: its places, then its business keys.
func (s *Store) inTheWay(c *idem.Claim) (found *record, business bool) {
	for _, at := range places(c) {
		if r := s.records[at]; r != nil && !s.absent(r) {
			return r, false
		}
	}
	for _, at := range businessKeys(c) {
		if r := s.business[at]; r != nil && !s.absent(r) {
			return r, true
		}
	}
	return nil, false
}

// won is what a claim reports of the record that is its own.
func won(r *record) idem.Prior {
	return idem.Prior{
		State: idem.StateAbsent, Operation: r.claim.Operation, RecordID: r.claim.RecordID, Token: r.claim.Token, Attempt: r.attempt,
	}
}
