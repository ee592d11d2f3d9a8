package idem

import (
	"context"
	"errors"
	"fmt"
)

// store stores an outcome, in the last phase's transaction if that is open. Nothing is in doubt when it returns nil or ErrFenced.
func (l *Lease[Tx]) store(ctx context.Context, last *openPhase[Tx], c Completion) error {
	if last == nil {
		return l.settleSurely(ctx, c)
	}
	p, err := l.sealPhase(ctx, last.record)
	if err != nil {
		l.rollBack(ctx, last)
		return err
	}
	err = last.held.Commit(ctx, p, &c)
	if !inDoubt(err) {
		return err
	}
	return l.resolveCommit(ctx, p.Name, c.State, err)
}

// resolveCommit finds out what became of a last phase whose commit was lost. Handing the record back waits for that transaction,
// which may still commit, where reading would not: if the hand-back is fenced, the transaction or somebody else was first.
func (l *Lease[Tx]) resolveCommit(ctx context.Context, name string, outcome State, lost error) error {
	ctx, cancel := settling(ctx) // the commit may have used up its time
	defer cancel()
	err := l.handBack(ctx, lost)
	switch {
	case err == nil:
		return fmt.Errorf("idem: phase %q: it was rolled back: %w", name, lost)
	case errors.Is(err, ErrFenced):
		return l.storedByUs(ctx, outcome, err)
	}
	return errors.Join(lost, err)
}

// settleSurely settles, again with the same token when an answer was lost: the fence recognises what was stored before.
func (l *Lease[Tx]) settleSurely(ctx context.Context, c Completion) (err error) {
	doubt := false
	for range claimAttempts {
		err = l.keeper.Settle(ctx, l.ref, c)
		switch {
		case errors.Is(err, ErrFenced) && doubt:
			return l.storedByUs(ctx, c.State, err)
		case errors.Is(err, ErrCommitUnknown):
			doubt = true
		case !errors.Is(err, ErrSerialization):
			return err
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return err
}

// storedByUs gives nil if the record has been settled with that state under this attempt's token.
func (l *Lease[Tx]) storedByUs(ctx context.Context, state State, fenced error) error {
	prior, err := l.lookUp(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCommitUnknown, err)
	}
	if prior.Token == l.ref.Token && prior.State == state {
		return nil
	}
	return fenced
}

func (l *Lease[Tx]) lookUp(ctx context.Context) (Prior, error) {
	return l.attempt.engine.store.Lookup(ctx, l.ref.Scope, l.ref.Keyspace, l.ref.Key)
}

// answerLost answers a request whose attempt is not the record's any more: with what is recorded by now, if that is an outcome.
func (l *Lease[Tx]) answerLost(ctx context.Context, fenced error) Answer {
	l.markLost(ctx, fenced)
	a := l.attempt
	if l.unasked {
		return Answer{Err: fenced, op: a.op}
	}
	prior, err := l.lookUp(ctx)
	if err != nil {
		return *a.refuse(ctx, EventStoreFailed, claimProblem(a.op, err))
	}
	prior.Business = l.ref.Key != a.at.key // it was taken over by its business key
	v := a.plan.compare(&a.command, &prior)
	switch a.decide(&prior, v) {
	case ActReplay, ActUnknown, ActInFlight:
		return *a.judge(ctx, &prior, v)
	case ActClaim, ActMismatch, ActIncomparable, ActTakeOver, ActNextAttempt: // nothing of the next attempt's, and none is begun here
	}
	return *a.refuse(ctx, EventInFlight, problem(a.op, CodeInFlight, fenced))
}
