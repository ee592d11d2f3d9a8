package idem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Phase runs f in a transaction of its own and records what it returns, as JSON under name, in the same transaction. A later attempt
// that comes to the name gets the recorded result, and f does not run: the writes of a phase happen once. Between two phases no
// transaction is open, and there is the place for calls to other systems.
//
// The result is always the one that was read back from its JSON, so that a first attempt sees what a later one would. T is a stored
// format therefore: a program that cannot decode what an earlier one recorded leaves the outcome unknown, and never runs f again.
//
// When f returns an error, panics or ends its goroutine, the phase is rolled back and has not happened; its name is free again.
// Errors besides f's own wrap ErrPhaseTwice, when one attempt uses a name twice; ErrFenced, when the lease was lost;
// ErrSerialization and ErrCommitUnknown, upon which the handler returns the error and leaves the rest to the next attempt. Phases
// follow one another: one begun within f or beside it is an error. ctx bounds f's start, and so does the lease's context; once f has
// returned, nothing but the fence stops the commit. A commit that is not answered within ten seconds counts as lost.
func Phase[T, Tx any](ctx context.Context, l *Lease[Tx], name string, f func(Tx) (T, error)) (T, error) {
	return phase(ctx, l, name, f, l.commitPhase)
}

// LastPhase is a Phase whose transaction stays open until the outcome is stored in it: one commit fewer than a Phase at the end. The
// handler must return right after it. What it wrote commits together with the response, whatever its status is; when the handler
// returns an error or an excepted status, panics or ends its goroutine, the phase is rolled back.
func LastPhase[T, Tx any](ctx context.Context, l *Lease[Tx], name string, f func(Tx) (T, error)) (T, error) {
	return phase(ctx, l, name, f, l.keepPhase)
}

// errUndecodable: what a phase did is not known any more.
var errUndecodable = errors.New("idem: the recorded result of a phase cannot be read")

func phase[T, Tx any](ctx context.Context, l *Lease[Tx], name string, f func(Tx) (T, error),
	end func(context.Context, HeldPhase[Tx], PhaseRecord) error) (T, error) {
	var none T
	recorded, found, err := l.startPhase(name)
	if err != nil {
		return none, fmt.Errorf("idem: phase %q: %w", name, err)
	}
	if found {
		return replayPhase[T](l, name, recorded)
	}
	defer l.endPhase()
	held, err := l.beginPhase(ctx)
	if err != nil {
		return none, fmt.Errorf("idem: begin phase %q: %w", name, err)
	}
	handedOver := false
	defer func() { // also after a panic or Goexit of f
		if !handedOver {
			l.releasePhase(ctx, held)
		}
	}()
	result, err := f(held.Tx())
	if err != nil {
		return none, err
	}
	text, result, err := recordable(result)
	if err != nil {
		return none, fmt.Errorf("idem: phase %q: %w", name, err)
	}
	handedOver = true
	if err := end(ctx, held, PhaseRecord{Name: name, Result: text}); err != nil {
		return none, fmt.Errorf("idem: phase %q: %w", name, err)
	}
	return result, nil
}

// recordable gives a result's JSON and what a later attempt would make of it.
func recordable[T any](result T) (text []byte, decoded T, err error) {
	if text, err = json.Marshal(result); err != nil {
		return nil, decoded, fmt.Errorf("its result has no JSON: %w", err)
	}
	if err = json.Unmarshal(text, &decoded); err != nil {
		return nil, decoded, fmt.Errorf("its result could not be read again: %w", err)
	}
	return text, decoded, nil
}

// replayPhase gives what an earlier attempt recorded.
func replayPhase[T, Tx any](l *Lease[Tx], name string, recorded []byte) (result T, err error) {
	if err = json.Unmarshal(recorded, &result); err != nil {
		err = fmt.Errorf("%w: %q: %w", errUndecodable, name, err)
		l.spoil(err)
		var none T
		return none, err
	}
	return result, nil
}

// beginPhase opens the transaction. Either context stops that.
func (l *Lease[Tx]) beginPhase(ctx context.Context) (HeldPhase[Tx], error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })()
	held, err := l.keeper.BeginPhase(ctx, l.ref, BeginOptions{IdleTimeout: l.attempt.phaseIdle()})
	if err != nil && ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	return held, err
}

// commitPhase ends a phase that is not the last.
func (l *Lease[Tx]) commitPhase(ctx context.Context, held HeldPhase[Tx], p PhaseRecord) error {
	ctx, cancel := settling(ctx)
	defer cancel()
	l.phases.commit.Lock()
	defer l.phases.commit.Unlock()
	if err := l.committing(p.Name); err != nil { // the handler has returned without its phase
		return errors.Join(err, held.Release(ctx))
	}
	p, err := l.sealPhase(ctx, p)
	if err != nil {
		l.uncommitted(p.Name)
		return errors.Join(err, held.Release(ctx))
	}
	err = held.Commit(ctx, p, nil)
	if err == nil || inDoubt(err) {
		return err
	}
	l.uncommitted(p.Name)
	if errors.Is(err, ErrFenced) {
		l.lose(ctx, err)
	}
	return err
}

// inDoubt reports whether what failed may have been committed all the same.
func inDoubt(err error) bool { return errors.Is(err, ErrCommitUnknown) || isContextError(err) }

// keepPhase leaves the last phase open for the outcome.
func (l *Lease[Tx]) keepPhase(ctx context.Context, held HeldPhase[Tx], p PhaseRecord) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.settled {
		return errors.Join(ErrSettled, held.Release(context.WithoutCancel(ctx)))
	}
	l.phases.used[p.Name] = true
	l.phases.last = &openPhase[Tx]{held, p}
	return nil
}

func (l *Lease[Tx]) releasePhase(ctx context.Context, held HeldPhase[Tx]) {
	ctx, cancel := settling(ctx)
	defer cancel()
	if err := held.Release(ctx); err != nil {
		l.observe(ctx, Event{Kind: EventNotSettled, Err: err})
	}
}

func (l *Lease[Tx]) sealPhase(ctx context.Context, p PhaseRecord) (PhaseRecord, error) {
	if !l.guarded {
		return p, nil // recorded nowhere
	}
	sealed, err := l.attempt.engine.seals.seal(ctx, l.place, partPhase+p.Name, p.Result)
	if err != nil {
		return p, fmt.Errorf("%w: %w", errNotSealed, err)
	}
	p.Result = sealed
	return p, nil
}

// settling gives the context under which something is stored or rolled back: what a client or the handler's own bounds cancel has
// no part in it.
func settling(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
}
