package idem

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/canon"
)

// RecoverFunc finds out what became of an attempt that ended without an outcome, brings it to its end, and gives the outcome, as a
// handler would. cmd is the command of the first attempt, prior what stood there: the state that the record had, and the phases that
// are recorded, with their results. Phases of l that are recorded already give their results here too. An error, a panic or an
// excepted status hands the record back, to be tried again later.
//
// It runs in the next request with the key, or in Engine.Run, where ctx has no caller: the tenant is in l.Scope.
type RecoverFunc[Tx, Cmd any] func(ctx context.Context, l *Lease[Tx], cmd Cmd, prior Prior) (Response, error)

// RegisterRecovery gives the engine the recovery of an operation, in place of one that it had. HandleLeased does it by itself; a
// framework's binding calls it before the first request. Errors say what is wrong with the program.
func RegisterRecovery[Tx, Cmd any](e *Engine[Tx], op *Operation, decode func(*canon.Request) (Cmd, error), r RecoverFunc[Tx, Cmd]) error {
	switch {
	case e == nil || op == nil || decode == nil || r == nil:
		return errors.New("idem: register recovery: engine, operation, decode and function are all needed")
	case e.plans[op] == nil:
		return fmt.Errorf("%w: register recovery: operation %q is not in the engine's contract", ErrNotBound, op.Name)
	case op.Execution != Leased || op.Takeover != Recover:
		return fmt.Errorf("%w: register recovery: operation %q is not one that recovers", ErrNotBound, op.Name)
	}
	e.recoveries.set(op, func(ctx context.Context, l *Lease[Tx], request *canon.Request, prior Prior) (Response, error) {
		cmd, err := decode(request)
		if err != nil {
			return Response{}, fmt.Errorf("%w: %w", errCommand, err)
		}
		return r(ctx, l, cmd, prior)
	})
	return nil
}

// errCommand: what the first attempt was to do, or has done, cannot be read by this program. Another one may.
var errCommand = errors.New("idem: what is stored of the first attempt cannot be read")

// recovery is a RecoverFunc with its decoder.
type recovery[Tx any] func(ctx context.Context, l *Lease[Tx], request *canon.Request, prior Prior) (Response, error)

// recoveries are the registered ones.
type recoveries[Tx any] struct {
	mu sync.RWMutex
	of map[*Operation]recovery[Tx]
}

func (r *recoveries[Tx]) set(op *Operation, f recovery[Tx]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[*Operation]recovery[Tx]{}
	}
	r.of[op] = f
}

func (r *recoveries[Tx]) get(op *Operation) recovery[Tx] {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.of[op]
}

// runRecovery brings a record that was taken over to its end.
func (l *Lease[Tx]) runRecovery(ctx context.Context, taken *Prior) Answer {
	e := l.attempt.engine
	var response Response
	request, err := l.firstCommand(ctx, taken.Request)
	if err == nil {
		prior := *taken
		prior.Request = nil
		response, err = e.recoveries.get(l.attempt.op)(l.ctx, l, request, prior)
	}
	return e.FinishLeased(ctx, l, Outcome{Response: response, Err: err})
}

// firstCommand gives the command of the first attempt. A record that was made before its operation recovered has none; then the
// request that asks, if there is one, is the same command.
func (l *Lease[Tx]) firstCommand(ctx context.Context, stored []byte) (*canon.Request, error) {
	if stored == nil && l.attempt.request != nil {
		return l.attempt.request, nil
	}
	text, err := l.attempt.engine.seals.open(ctx, l.place, partCommand, stored)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCommand, err)
	}
	r, err := readCommand(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCommand, err)
	}
	return r, nil
}

const (
	// backoffStart is the delay after the first recovery that failed. Each further one waits four times as long: what is down for
	// a moment is back, and what is down for longer does not use up the attempts.
	backoffStart = 30 * time.Second
	backoffLimit = 30 * time.Minute
)

// backoff gives the delay after attempt number; the first attempt is the handler's.
func (e *Engine[Tx]) backoff(number int) time.Duration {
	delay := e.backoffStart
	for range max(number-2, 0) {
		delay = min(4*delay, backoffLimit)
	}
	return delay - time.Duration(rand.Int64N(int64(delay)/5+1)) // apart from what failed at the same time
}
