package idem

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// FinishLeased settles l and gives what to send. A response is the outcome, whatever its status is, and commits together with the last
// phase if that is open. An error, an excepted status and an undecodable phase are none: the last phase is rolled back, and what
// follows is up to NothingDone and the operation's takeover policy. A lease that was lost is answered with what is recorded by now,
// else with IDEMPOTENCY_IN_FLIGHT, and never with its own result. ctx is not cancelled for settling.
//
// Statuses are read as Finish reads them.
func (e *Engine[Tx]) FinishLeased(ctx context.Context, l *Lease[Tx], o Outcome) Answer {
	op := l.attempt.op
	o = o.checked(op)
	last, state := l.settle()
	if state == alreadySettled {
		return Answer{Err: fmt.Errorf("idem: finish %s: %w", op.Name, ErrSettled), op: op}
	}
	defer l.over()
	l.phases.commit.Lock() // a phase that commits beside the handler's return has ended now, and none follows
	defer l.phases.commit.Unlock()
	ctx, cancel := settling(ctx)
	defer cancel()
	if state == attemptSpoiled {
		o.Err = l.spoiled
	}
	switch {
	case state == attemptLost && l.guarded:
		l.rollBack(ctx, last)
		return l.answerLost(ctx, ErrFenced)
	case o.Err != nil || slices.Contains(op.KeepExcept, o.Response.Status):
		return l.abandon(ctx, last, o)
	case !l.guarded:
		return l.completeUnguarded(ctx, last, o.Response)
	}
	return l.complete(ctx, last, o.Response)
}

// complete stores the outcome.
func (l *Lease[Tx]) complete(ctx context.Context, last *openPhase[Tx], response Response) Answer {
	op := l.attempt.op
	c, err := l.attempt.engine.outcome(ctx, op, l.place, response)
	if err == nil {
		c.Retention = op.Retention
		err = l.store(ctx, last, c)
	} else {
		l.rollBack(ctx, last)
	}
	switch {
	case err == nil:
		kind := EventCompleted
		if l.recovery {
			kind = EventRecovered
		}
		l.observe(ctx, Event{Kind: kind, Status: response.Status})
		return Answer{Response: response, op: op}
	case errors.Is(err, ErrFenced):
		return l.answerLost(ctx, err)
	}
	p := l.notSettled(err)
	l.observe(ctx, Event{Kind: EventNotSettled, Status: p.Status, Code: p.Code, Err: err})
	_ = l.handBack(ctx, err) // observed there; the client's answer is the same
	return Answer{Problem: p, op: op}
}

// notSettled gives the answer to an attempt whose outcome could not be stored. Earlier phases stay, and so does what other systems did.
func (l *Lease[Tx]) notSettled(err error) *Problem {
	op := l.attempt.op
	p := settleProblem(op, err)
	switch {
	case l.ref.Token.IsZero(): // without a key nothing makes it safe to try again
		p = problem(op, CodeCompletionFailed, err)
		p.Detail = inDark
	case !l.guarded:
		p.Detail = inDark
	case p.Code != CodeTryAgain: // which says so itself
		p.Detail = CodeCompletionFailed.kind().detail
	}
	return p
}

// abandon ends an attempt that has no outcome.
func (l *Lease[Tx]) abandon(ctx context.Context, last *openPhase[Tx], o Outcome) Answer {
	l.rollBack(ctx, last)
	if err := l.handBack(ctx, o.Err); errors.Is(err, ErrFenced) {
		l.markLost(ctx, err)
		if l.guarded {
			return l.answerLost(ctx, err)
		}
	}
	op := l.attempt.op
	switch {
	case o.Err == nil:
		return Answer{Response: o.Response, op: op}
	case errors.Is(o.Err, errUndecodable), errors.Is(o.Err, errExhausted):
		return Answer{Problem: problem(op, CodeOutcomeUnknown, o.Err), op: op}
	case errors.Is(o.Err, errCommand):
		return Answer{Problem: problem(op, CodeContractUnknown, o.Err), op: op}
	case l.attempt.engine.triesAgain(o.Err) && l.ref.Token.IsZero():
		return Answer{Problem: l.notSettled(o.Err), op: op}
	case l.attempt.engine.triesAgain(o.Err):
		return Answer{Problem: problem(op, CodeTryAgain, o.Err), op: op}
	}
	return Answer{Err: o.Err, op: op}
}

func (l *Lease[Tx]) rollBack(ctx context.Context, last *openPhase[Tx]) {
	if last != nil {
		l.releasePhase(ctx, last.held)
	}
}

// handBack says once in the record that the attempt ended without an outcome, and why. No beat may extend the lease after that.
func (l *Lease[Tx]) handBack(ctx context.Context, cause error) error {
	if l.handedBack {
		return nil
	}
	l.handedBack = true
	if inDoubt(cause) { // the commit may hold the record, and may have used up all time
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), l.attempt.engine.doubt)
		defer cancel()
	}
	if l.ref.Token.IsZero() {
		l.observe(ctx, Event{Kind: EventReleased, Err: cause})
		return nil
	}
	if beat := l.attempt.engine.heart.leave(l); beat != nil {
		select {
		case <-beat:
		case <-ctx.Done():
		}
	}
	c := l.withoutOutcome(cause)
	err := l.settleSurely(ctx, c)
	switch {
	case errors.Is(err, ErrFenced):
	case err != nil:
		l.observe(ctx, Event{Kind: EventNotSettled, Err: err})
	case c.State == StateUnknown:
		l.observe(ctx, Event{Kind: EventGaveUp, Err: cause})
	default:
		l.observe(ctx, Event{Kind: EventReleased, Err: cause})
	}
	return err
}

// withoutOutcome says what the record becomes: the second table of STATE section 1.
func (l *Lease[Tx]) withoutOutcome(cause error) Completion {
	op := l.attempt.op
	switch {
	case !l.guarded:
		return Completion{State: StateFailedRetryable} // nothing is kept from running again
	case errors.Is(cause, errUndecodable):
		return Completion{State: StateUnknown}
	case saysNothingDone(cause) && l.untouched():
		return Completion{State: StateFailedRetryable}
	case op.Takeover == Hold, l.number >= op.Attempts:
		return Completion{State: StateUnknown}
	case l.recovery:
		return Completion{State: StateInFlight, Delay: l.attempt.engine.backoff(l.number)}
	}
	return Completion{State: StateInFlight}
}

// triesAgain reports whether a handler's error means that the same request may succeed the next time.
func (e *Engine[Tx]) triesAgain(err error) bool {
	return errors.Is(err, ErrSerialization) || errors.Is(err, ErrCommitUnknown) || e.notSerialized(err)
}
