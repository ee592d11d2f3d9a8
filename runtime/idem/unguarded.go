package idem

import (
	"context"
	"errors"
)

// phaseKeeper is where a lease's phases and its end go: a LeaseStore, or nothing that protects.
type phaseKeeper[Tx any] interface {
	BeginPhase(ctx context.Context, l LeaseRef, o BeginOptions) (HeldPhase[Tx], error)
	Settle(ctx context.Context, l LeaseRef, c Completion) error
}

// unguarded runs phases as plain transactions and records none: in shadow, where a retry has to run everything again, and for a
// request without a key. What becomes of a record, where there is one, is stored all the same.
type unguarded[Tx any] struct{ store LeaseStore[Tx] }

// BeginPhase opens a transaction that belongs to no record.
func (u unguarded[Tx]) BeginPhase(ctx context.Context, _ LeaseRef, o BeginOptions) (HeldPhase[Tx], error) {
	held, err := u.store.Begin(ctx, o)
	if err != nil {
		return nil, err
	}
	return freePhase[Tx]{held}, nil
}

// Settle settles the record.
func (u unguarded[Tx]) Settle(ctx context.Context, l LeaseRef, c Completion) error {
	if l.Token.IsZero() {
		return nil
	}
	return u.store.Settle(ctx, l, c)
}

// freePhase is a plain transaction.
type freePhase[Tx any] struct{ Held[Tx] }

// Commit commits what was written. The outcome is settled apart.
func (p freePhase[Tx]) Commit(ctx context.Context, _ PhaseRecord, _ *Completion) error {
	return p.Complete(ctx, Completion{State: StateCompleted})
}

// completeUnguarded commits the last phase, if it is open, and then says so in the record. The handler's writes count whatever
// becomes of the record.
func (l *Lease[Tx]) completeUnguarded(ctx context.Context, last *openPhase[Tx], response Response) Answer {
	e, op := l.attempt.engine, l.attempt.op
	if last != nil {
		if err := last.held.Commit(ctx, last.record, nil); err != nil {
			p := l.notSettled(err)
			l.observe(ctx, Event{Kind: EventNotSettled, Status: p.Status, Code: p.Code, Err: errors.Join(err, l.settleQuietly(ctx))})
			return Answer{Problem: p, op: op}
		}
	}
	ev := Event{Kind: EventCompleted, Status: response.Status}
	c, err := e.outcome(ctx, op, l.place, response)
	if err == nil {
		c.Retention = op.Retention
		err = l.keeper.Settle(ctx, l.ref, c)
	}
	if err != nil {
		ev = Event{Kind: EventNotSettled, Status: response.Status, Err: err}
	}
	l.observe(ctx, ev)
	return Answer{Response: response, op: op}
}

// settleQuietly lets the next request run.
func (l *Lease[Tx]) settleQuietly(ctx context.Context) error {
	return l.keeper.Settle(ctx, l.ref, Completion{State: StateFailedRetryable})
}
