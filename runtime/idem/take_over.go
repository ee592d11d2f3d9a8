package idem

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errExhausted: nobody tries any more.
var errExhausted = errors.New("idem: the attempts under this record ended without an outcome, and no other follows")

// takeOver begins the record's next attempt and goes on as the operation's policy says: with a lease for the handler, or with the
// answer that comes without it. It gives neither when somebody else was first.
func (a *attempt[Tx]) takeOver(ctx context.Context, found *Prior, action Action) (*Lease[Tx], *Answer) {
	ref := a.refOf(found)
	ref.Token = NewUUID()
	from := time.Now()
	taken, err := a.engine.leases.TakeOver(ctx, TakeOver{
		Scope: ref.Scope, Keyspace: ref.Keyspace, Key: ref.Key, Before: ref.Before, From: found.Token, Token: ref.Token, Lease: ref.Lease,
	})
	switch {
	case errors.Is(err, ErrFenced):
		return nil, nil
	case err != nil:
		if !errors.Is(err, ErrSerialization) { // its answer may have been lost
			a.unclaim(ctx, ref, StateInFlight)
		}
		return nil, a.refuse(ctx, EventStoreFailed, claimProblem(a.op, err))
	}
	l := a.hold(ctx, ref, taken.Attempt, from)
	runs := true
	var answer *Answer
	l.orHandBack(ctx, ErrNotReturned, func() {
		l.observe(ctx, Event{Kind: EventTookOver})
		if l.guarded {
			runs, answer = l.proceed(ctx, &taken, action)
		}
	})
	if runs {
		return l, nil
	}
	return nil, answer
}

// orHandBack runs what the program, its recovery, sealer or observer, has a part in. Where it does not return, the record is handed back
// and the unwinding goes on.
func (l *Lease[Tx]) orHandBack(ctx context.Context, cause error, f func()) {
	returned := false
	defer func() {
		if !returned {
			l.attempt.engine.FinishLeased(ctx, l, Outcome{Err: cause}) // in vain, where f has settled
		}
	}()
	f()
	returned = true
}

// refOf names the record that was found.
func (a *attempt[Tx]) refOf(found *Prior) LeaseRef {
	return LeaseRef{Scope: found.Scope, Keyspace: found.Keyspace, Key: found.Key, Before: found.Before,
		RecordID: found.RecordID, Token: found.Token, Lease: a.op.Lease}
}

// proceed is the takeover policy. The handler runs, or there is an answer.
func (l *Lease[Tx]) proceed(ctx context.Context, taken *Prior, action Action) (runs bool, answer *Answer) {
	op := l.attempt.op
	l.recovery = action == ActTakeOver && op.Takeover == Recover
	if err := l.recall(ctx, taken); err != nil {
		l.recovery = true // it cannot go on now, and the handler has nothing to do with it: what it waits for takes its time
		return false, l.conclude(ctx, fmt.Errorf("%w: %w", errCommand, err))
	}
	switch {
	case action == ActNextAttempt:
		return true, nil
	case op.Takeover == Hold, l.number > op.Attempts:
		return false, l.conclude(ctx, errExhausted)
	case op.Takeover == Retake:
		return true, nil
	}
	a := l.runRecovery(ctx, taken)
	return false, &a
}

// conclude settles an attempt in which nothing ran.
func (l *Lease[Tx]) conclude(ctx context.Context, cause error) *Answer {
	a := l.attempt.engine.FinishLeased(ctx, l, Outcome{Err: cause})
	return &a
}

// recall reads what earlier attempts recorded, and gives it to the attempt.
func (l *Lease[Tx]) recall(ctx context.Context, taken *Prior) error {
	opened, err := l.openPhases(ctx, taken.Phases)
	if err != nil {
		return err
	}
	taken.Phases = opened
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phases.recorded = make(map[string][]byte, len(opened))
	for _, p := range opened {
		l.phases.recorded[p.Name] = p.Result
	}
	return nil
}
