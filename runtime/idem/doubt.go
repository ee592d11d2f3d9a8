package idem

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// doubtPatience bounds how long the outcome of a lost commit is looked for, of a transaction or of a phase. The client waits for
	// it, and can try again by itself.
	doubtPatience = 2 * time.Second
	// The first pauses are short: nearly always the commit has happened, or the server has noticed that the connection is gone.
	doubtPause, doubtMostPause = 5 * time.Millisecond, 200 * time.Millisecond
)

// settleDoubt finds out what became of a commit whose answer was lost, by claiming again with the same token. To read would not do: what
// is absent now may still be committed, whereas a claim waits for the transaction in doubt and ends it for good when it wins.
//
// No answer and no error: it was committed. An answer: another request's outcome stands there. The error is the cause where
// nothing was committed, or where that could not be found out; trying again with the key is safe in both cases.
func (e *Engine[Tx]) settleDoubt(ctx context.Context, ex *Execution[Tx], cause error) (*Answer, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.doubt)
	defer cancel()
	a, wait := ex.by, pause{doubtPause, doubtMostPause}
	var failed error
	for {
		held, prior, err := e.store.Claim(ctx, a.asked)
		switch {
		case errors.Is(err, ErrFenced):
			return nil, nil // and has expired since
		case err != nil:
			failed = fmt.Errorf("claim again: %w", err)
		case held != nil:
			return nil, errors.Join(cause, held.Release(ctx))
		case prior.State == StateInFlight: // the commit may still be under way
		case prior.Token == a.asked.Token && prior.State.isOutcome():
			return nil, nil
		default:
			return a.judge(ctx, &prior, a.plan.compare(&a.command, &prior)), nil
		}
		if !wait.take(ctx.Done(), nil) {
			return nil, errors.Join(cause, failed)
		}
	}
}
