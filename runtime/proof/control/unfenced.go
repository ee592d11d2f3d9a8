package control

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// unfenced lets everybody who ever held a record go on with it: it does not look at the token.
type unfenced struct {
	*pgstore.Store
	pool *pgxpool.Pool
}

// Unfenced makes the mistake with the records of a right store on the pool.
func Unfenced(right *pgstore.Store, pool *pgxpool.Pool) idem.LeaseStore[pgx.Tx] {
	return unfenced{right, pool}
}

// current gives the attempt that holds the record, in place of the one that asks.
func (s unfenced) current(ctx context.Context, l idem.LeaseRef) (idem.LeaseRef, error) {
	prior, err := s.Lookup(ctx, l.Scope, l.Keyspace, l.Key)
	if err != nil {
		return l, fmt.Errorf("control: %w", err)
	}
	l.Token, l.RecordID = prior.Token, prior.RecordID
	return l, nil
}

// Settle believes that it was done when somebody else did it.
func (s unfenced) Settle(ctx context.Context, l idem.LeaseRef, c idem.Completion) error {
	l, err := s.current(ctx, l)
	if err != nil {
		return err
	}
	if err = s.Store.Settle(ctx, l, c); errors.Is(err, idem.ErrFenced) {
		return nil
	}
	return err
}

// Extend never says that a lease is lost.
func (s unfenced) Extend(ctx context.Context, leases []idem.LeaseRef) (lost, passed []idem.LeaseRef, err error) {
	now := make([]idem.LeaseRef, len(leases))
	for i := range leases {
		if now[i], err = s.current(ctx, leases[i]); err != nil {
			return nil, nil, err
		}
	}
	_, passed, err = s.Store.Extend(ctx, now)
	return nil, passed, err
}

// BeginPhase opens a transaction that does not know whose it is.
func (s unfenced) BeginPhase(ctx context.Context, l idem.LeaseRef, _ idem.BeginOptions) (idem.HeldPhase[pgx.Tx], error) {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("control: begin phase: %w: %w", idem.ErrStoreUnavailable, err)
	}
	return unfencedPhase{s, tx, l}, nil
}

type unfencedPhase struct {
	store unfenced
	tx    pgx.Tx
	lease idem.LeaseRef
}

// Tx gives the phase's transaction.
func (p unfencedPhase) Tx() pgx.Tx { return p.tx }

const phaseSQL = `insert into idempotency_phases (record_id, name, result, recorded_at)
values ($1::text::uuid, $2::text, $3::bytea, clock_timestamp()) on conflict do nothing`

// Commit commits, whoever holds the record.
func (p unfencedPhase) Commit(ctx context.Context, record idem.PhaseRecord, outcome *idem.Completion) error {
	ctx = context.WithoutCancel(ctx)
	if _, err := p.tx.Exec(ctx, phaseSQL, p.lease.RecordID.String(), record.Name, record.Result); err != nil {
		return errors.Join(fmt.Errorf("control: record phase: %w", err), p.tx.Rollback(ctx))
	}
	if err := p.tx.Commit(ctx); err != nil {
		return fmt.Errorf("control: commit phase: %w: %w", idem.ErrCommitUnknown, err)
	}
	if outcome == nil {
		return nil
	}
	return p.store.Settle(ctx, p.lease, *outcome)
}

// Release rolls back.
func (p unfencedPhase) Release(ctx context.Context) error {
	return p.tx.Rollback(context.WithoutCancel(ctx))
}
