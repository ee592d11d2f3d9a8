package idem

import (
	"context"
	"fmt"
	"net/http"

	"github.com/idemgen/idemgen/runtime/canon"
)

// LeaseHandlerFunc is business code behind HandleLeased. It works in phases of l; a returned response is the outcome, a returned error
// is none. ctx is l.Context().
type LeaseHandlerFunc[Tx, Cmd any] func(ctx context.Context, l *Lease[Tx], cmd Cmd) (Response, error)

// HandleLeased gives the net/http handler of a leased operation. Generated packages wrap it: Handle<Operation>. It is Handle with a
// lease in place of the execution, but the command is decoded before the claim, which is committed alone: a request that cannot be
// decoded leaves nothing behind.
//
// r is the program's recovery, and is nil exactly when the operation's takeover policy is another one. It is registered with e here.
// A mistake in the arguments panics.
func HandleLeased[Tx, Cmd any](e *Engine[Tx], op *Operation, decode func(*canon.Request) (Cmd, error), h LeaseHandlerFunc[Tx, Cmd], r RecoverFunc[Tx, Cmd]) http.Handler {
	if e == nil || op == nil || decode == nil || h == nil {
		panic("idem: HandleLeased: engine, operation, decode and handler are all needed")
	}
	if op.Execution != Leased {
		panic(fmt.Sprintf("idem: HandleLeased: operation %q is not leased: use Handle", op.Name))
	}
	if (r != nil) != (op.Takeover == Recover) {
		panic(fmt.Sprintf("idem: HandleLeased: operation %q: a recovery is needed for the takeover policy Recover, and for no other", op.Name))
	}
	if r != nil {
		if err := RegisterRecovery(e, op, decode, r); err != nil {
			panic(fmt.Sprintf("idem: HandleLeased: %v", err))
		}
	}
	t := leasedHandler[Tx, Cmd]{e, op, decode, h}
	return &operationHandler[Tx]{e, op, t.answer}
}

// leasedHandler is what HandleLeased puts behind it.
type leasedHandler[Tx, Cmd any] struct {
	engine *Engine[Tx]
	op     *Operation
	decode func(*canon.Request) (Cmd, error)
	handle LeaseHandlerFunc[Tx, Cmd]
}

func (o *leasedHandler[Tx, Cmd]) answer(ctx context.Context, request *canon.Request) Answer {
	var cmd decoded[Cmd]
	l, answer := enter(ctx, o.engine.newAttempt(o.op), leased[Tx](), incoming{request: request, check: func(r *canon.Request) error {
		cmd.read(r, o.decode)
		return cmd.err
	}})
	if answer != nil {
		return *answer
	}
	return o.run(l, request, &cmd)
}

// decoded is a command that is decoded once.
type decoded[Cmd any] struct {
	done  bool
	value Cmd
	err   error
}

func (d *decoded[Cmd]) read(r *canon.Request, decode func(*canon.Request) (Cmd, error)) {
	if !d.done {
		d.value, d.err = decode(r)
		d.done = true
	}
}

// run runs the handler and settles. Nothing is recovered: after a panic or Goexit the deferred call hands the record back, and the
// unwinding goes on with its own stack.
func (o *leasedHandler[Tx, Cmd]) run(l *Lease[Tx], request *canon.Request, cmd *decoded[Cmd]) Answer {
	returned := false
	defer func() {
		if !returned {
			o.engine.FinishLeased(l.ctx, l, Outcome{Err: ErrNotReturned})
		}
	}()
	if cmd.read(request, o.decode); cmd.err != nil { // in shadow, where a refused request runs
		returned = true
		err := o.engine.discreet(o.op, cmd.err)
		o.engine.FinishLeased(l.ctx, l, Outcome{Err: NothingDone(err)})
		return Answer{Problem: requestProblem(o.op, err), op: o.op}
	}
	response, err := o.handle(l.ctx, l, cmd.value)
	returned = true
	return o.engine.FinishLeased(l.ctx, l, Outcome{Response: response, Err: err})
}
