package idem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Outcome is how a handler ended.
type Outcome struct {
	Response Response
	// Err is not nil when there is no outcome: the handler returned an error or did not return.
	Err error
}

// checked makes an error of a response without a final status.
func (o Outcome) checked(op *Operation) Outcome {
	switch status := o.Response.Status; {
	case o.Err != nil:
	case status == 0:
		o.Err = fmt.Errorf("idem: operation %s: the handler returned a response without a status, and no error", op.Name)
	case status < 200 || status > 599:
		o.Err = fmt.Errorf("idem: operation %s: the handler gave status %d, which is no final status", op.Name, status)
	}
	return o
}

// Finish settles ex and gives what to send. Below 400 the handler's writes commit with the response; from 400 on they are
// rolled back, unless the handler called KeepWrites, and the response alone is stored. An error or an excepted status is no
// outcome: everything is rolled back and the key is absent again. An error that the store knows as a serialisation failure is
// answered with IDEMPOTENCY_TRY_AGAIN; the handler is never run twice for one request. ctx is not cancelled for settling.
//
// A response whose status is no final one of HTTP (200 to 599) counts as an error of the handler. So does one without a status: a
// handler that returns Response{} has most likely lost an error, and nothing of that is to be stored as a success.
func (e *Engine[Tx]) Finish(ctx context.Context, ex *Execution[Tx], o Outcome) Answer {
	o = o.checked(ex.op)
	if o.Err != nil {
		if err := e.release(ctx, ex, o.Err); err != nil {
			return Answer{Err: err, op: ex.op}
		}
		if e.notSerialized(o.Err) {
			return Answer{Problem: problem(ex.op, CodeTryAgain, o.Err), op: ex.op}
		}
		return Answer{Err: o.Err, op: ex.op}
	}
	if slices.Contains(ex.op.KeepExcept, o.Response.Status) {
		if err := e.release(ctx, ex, nil); err != nil {
			return Answer{Err: err, op: ex.op}
		}
		return Answer{Response: o.Response, op: ex.op}
	}
	return e.complete(ctx, ex, o.Response)
}

// notSerialized reports whether a handler's error means that its transaction could not be serialised.
func (e *Engine[Tx]) notSerialized(err error) bool {
	s, ok := e.store.(Serializer)
	return ok && s.NotSerialized(err)
}

func (e *Engine[Tx]) complete(ctx context.Context, ex *Execution[Tx], response Response) Answer {
	keepWrites, first := ex.settle()
	if !first {
		return Answer{Err: fmt.Errorf("idem: finish %s: %w", ex.op.Name, ErrSettled), op: ex.op}
	}
	var other *Answer
	err := e.settleHeld(ctx, ex, func(ctx context.Context) (err error) {
		other, err = e.completeHeld(ctx, ex, response, keepWrites)
		return err
	})
	switch {
	case other != nil:
		return *other
	case err != nil:
		p := settleProblem(ex.op, err)
		if errors.Is(err, ErrCommitUnknown) && ex.by == nil {
			p = problem(ex.op, CodeCompletionFailed, err) // without a key it is not safe to try again
			p.Detail = inDark
		}
		e.observe(ctx, ex, Event{Kind: EventNotSettled, Status: p.Status, Code: p.Code, Err: err})
		return Answer{Problem: p, op: ex.op}
	}
	e.observe(ctx, ex, Event{Kind: EventCompleted, Status: response.Status})
	return Answer{Response: response, op: ex.op}
}

// completeHeld stores the outcome and commits. An answer is another request's outcome, found in the place of a commit that was
// lost.
func (e *Engine[Tx]) completeHeld(ctx context.Context, ex *Execution[Tx], response Response, keepWrites bool) (*Answer, error) {
	c, err := e.outcome(ctx, ex.op, ex.place, response)
	if err != nil {
		return nil, errors.Join(err, ex.held.Release(ctx))
	}
	c.RollBackWrites = c.State == StateFailedReplayable && !keepWrites
	err = ex.held.Complete(ctx, c)
	if errors.Is(err, ErrCommitUnknown) && ex.by != nil {
		return e.settleDoubt(ctx, ex, err)
	}
	return nil, err
}

// release rolls back and frees the key. Only a second call fails: a roll back that cannot be sent happens by itself when the
// store notices that the connection is gone.
func (e *Engine[Tx]) release(ctx context.Context, ex *Execution[Tx], cause error) error {
	if _, first := ex.settle(); !first {
		return fmt.Errorf("idem: finish %s: %w", ex.op.Name, ErrSettled)
	}
	ev := Event{Kind: EventReleased, Err: cause}
	if failed := e.settleHeld(ctx, ex, ex.held.Release); failed != nil {
		ev = Event{Kind: EventNotSettled, Err: failed}
	}
	e.observe(ctx, ex, ev)
	return nil
}

// settleHeld ends the transaction and gives the key's turn back, even when the store panics.
func (e *Engine[Tx]) settleHeld(ctx context.Context, ex *Execution[Tx], settle func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	defer ex.cancel()
	if ex.turn != nil {
		defer e.running.leave(ex.turn)
	}
	return settle(ctx)
}

func (e *Engine[Tx]) observe(ctx context.Context, ex *Execution[Tx], ev Event) {
	ev.Operation, ev.KeyHash, ev.Attempt, ev.Duration = ex.op.Name, ex.keyHash, ex.attempt, time.Since(ex.started)
	ev.Shadow = e.options.Shadow
	e.options.Observer.Observe(ctx, ev)
}
