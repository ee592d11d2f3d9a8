package control

import (
	"context"

	"github.com/idemgen/idemgen/runtime/idem"
)

// readThenWrite looks whether there is a record, runs the handler when there is none, and writes the record afterwards. Between
// the two anybody else may do the same, and a crash between the commit of the business and the record's is a second run.
type readThenWrite[Tx any] struct {
	idem.Store[Tx] // Lookup and Begin are right
}

// ReadThenWrite makes the mistake with the records of a right store.
func ReadThenWrite[Tx any](right idem.Store[Tx]) idem.Store[Tx] { return readThenWrite[Tx]{right} }

// Claim looks and takes nothing.
func (s readThenWrite[Tx]) Claim(ctx context.Context, c idem.Claim) (idem.Held[Tx], idem.Prior, error) {
	prior, err := s.Lookup(ctx, c.Scope, c.Keyspace, c.Key)
	if err != nil || prior.State != idem.StateAbsent {
		return nil, prior, err
	}
	held, err := s.Begin(ctx, idem.BeginOptions{IdleTimeout: c.IdleTimeout})
	if err != nil {
		return nil, idem.Prior{}, err
	}
	prior = idem.Prior{State: idem.StateAbsent, Operation: c.Operation, RecordID: c.RecordID, Token: c.Token, Attempt: 1}
	return unclaimed[Tx]{held, s.Store, c}, prior, nil
}

// unclaimed is a transaction that believes to have the key.
type unclaimed[Tx any] struct {
	idem.Held[Tx]
	store idem.Store[Tx]
	claim idem.Claim
}

// Complete commits what the handler did, and then writes the record; who finds one there leaves it.
func (u unclaimed[Tx]) Complete(ctx context.Context, c idem.Completion) error {
	if err := u.Held.Complete(ctx, c); err != nil {
		return err
	}
	record, _, err := u.store.Claim(ctx, u.claim)
	if err != nil || record == nil {
		return err
	}
	c.RollBackWrites = false
	return record.Complete(ctx, c)
}
