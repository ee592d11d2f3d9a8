package idem

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Execution is one run of a handler under a claim. Its methods are safe for concurrent use; its transaction is used by one
// goroutine at a time, as transactions are.
type Execution[Tx any] struct {
	engine   *Engine[Tx]
	held     Held[Tx]
	op       *Operation
	key      string
	keyHash  string
	recordID UUID
	attempt  int
	started  time.Time
	ctx      context.Context
	cancel   context.CancelFunc
	turn     *turn        // nil without a claim
	place    place        // zero without a claim
	by       *attempt[Tx] // nil without a claim
	onEnd    func(error)

	mu         sync.Mutex
	keepWrites bool
	settled    bool
}

// Tx is the transaction that holds the claim. What the handler writes through it commits together with the stored response.
// Its Commit and Rollback refuse. It is over when the handler returns: what is kept longer fails at every use, by itself.
func (ex *Execution[Tx]) Tx() Tx { return ex.held.Tx() }

// Key is the idempotency key; empty when the request came without one, where the operation allows that.
func (ex *Execution[Tx]) Key() string { return ex.key }

// Attempt counts the runs under this record, from 1; 0 without a key.
func (ex *Execution[Tx]) Attempt() int { return ex.attempt }

// RecordID names the record; zero without a key.
func (ex *Execution[Tx]) RecordID() UUID { return ex.recordID }

// Context is the context of the run. The client does not cancel it; Options.Deadline ends it, and so does settling.
func (ex *Execution[Tx]) Context() context.Context { return ex.ctx }

// KeepWrites makes the handler's writes commit together with a response from 400 on; without it they are rolled back and the
// response alone is stored. It is for a failure that is itself a row: a payment that was declined. It panics with ErrSettled
// when the execution is over, because its caller would believe in writes that are gone.
func (ex *Execution[Tx]) KeepWrites() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.settled {
		panic(ErrSettled)
	}
	ex.keepWrites = true
}

// ErrNotReturned is what a binding sets as its result before it calls business code, so that End can tell a normal return
// from a panic or runtime.Goexit.
var ErrNotReturned = errors.New("idem: the handler did not return")

// End tells how business code ended. A binding calls it like this:
//
//	err = idem.ErrNotReturned
//	defer ex.End(&err)
//	resp, err = s.CreatePayment(ctx, ex, req)
//
// With a nil error the response that the framework writes next is the outcome; with any other there is none, whatever a
// renderer writes, and the writes are rolled back at once. Under Handle it does nothing: there the return value says it.
func (ex *Execution[Tx]) End(err *error) {
	if ex.onEnd != nil {
		ex.onEnd(*err)
	}
}

// settle is true once, for whoever settles the execution.
func (ex *Execution[Tx]) settle() (keepWrites, first bool) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.settled {
		return false, false
	}
	ex.settled = true
	return ex.keepWrites, true
}

func (ex *Execution[Tx]) under(ctx context.Context, cancel context.CancelFunc) {
	ex.ctx, ex.cancel = ctx, cancel
}

func (ex *Execution[Tx]) bind(b binding) { ex.onEnd = b.end }

func (ex *Execution[Tx]) interrupt() { ex.cancel() }

func (ex *Execution[Tx]) finish(ctx context.Context, o Outcome) Answer {
	return ex.engine.Finish(ctx, ex, o)
}

func (ex *Execution[Tx]) observe(ctx context.Context, ev Event) { ex.engine.observe(ctx, ex, ev) }
