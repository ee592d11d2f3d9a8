package idem

import (
	"context"
	"fmt"
	"net/http"

	"github.com/idemgen/idemgen/runtime/canon"
)

// HandlerFunc is business code behind Handle. A returned response is the outcome; a returned error is none. ctx is
// ex.Context().
type HandlerFunc[Tx, Cmd any] func(ctx context.Context, ex *Execution[Tx], cmd Cmd) (Response, error)

// Handle gives the net/http handler of one operation. Generated packages wrap it: Handle<Operation>.
// decode makes the typed command of a request that was claimed; its error is answered with 400 and releases the key.
//
// The handler works on any router and below any prefix, since it reads the path's end by itself. Authentication stands before
// it. A panic or runtime.Goexit of h passes through after the claim was released.
func Handle[Tx, Cmd any](e *Engine[Tx], op *Operation, decode func(*canon.Request) (Cmd, error), h HandlerFunc[Tx, Cmd]) http.Handler {
	if e == nil || op == nil || decode == nil || h == nil {
		panic("idem: Handle: engine, operation, decode and handler are all needed")
	}
	if op.Execution == Leased {
		panic(fmt.Sprintf("idem: Handle: operation %q is leased: use HandleLeased", op.Name))
	}
	t := transactionalHandler[Tx, Cmd]{e, op, decode, h}
	return &operationHandler[Tx]{e, op, t.answer}
}

// operationHandler is the net/http side of an operation's handler, whatever its execution mode.
type operationHandler[Tx any] struct {
	engine *Engine[Tx]
	op     *Operation
	answer func(ctx context.Context, request *canon.Request) Answer
}

// serves reports whether the operation answers a method; HEAD is answered by GET.
func (op *Operation) serves(method string) bool {
	return op.webhook() && method != http.MethodHead || method == op.Method || method == http.MethodHead && op.Method == http.MethodGet
}

// ServeHTTP runs one request.
func (o *operationHandler[Tx]) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !o.op.serves(r.Method) {
		w.Header().Set("Allow", o.op.Method)
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	}
	if s, ok := r.Context().Value(sessionKey{}).(interface{ handled() }); ok {
		s.handled() // inside of Middleware, which needs no Begin then
	}
	request, refusal := o.read(r)
	if refusal != nil {
		o.engine.answerer.send(w, r, refusal)
		return
	}
	answer := o.answer(r.Context(), request)
	o.engine.answerer.send(w, r, &answer)
}

// read takes the request as it entered.
func (o *operationHandler[Tx]) read(r *http.Request) (*canon.Request, *Answer) {
	a := o.engine.newAttempt(o.op)
	if a.plan == nil {
		return nil, a.notBound(r.Context(), "the engine was made for another contract")
	}
	path, ok := a.plan.template.matchSuffix(r.URL.EscapedPath())
	if !ok {
		return nil, a.notBound(r.Context(), "the handler is mounted at a path that does not end in "+o.op.Path)
	}
	limit := o.engine.options.MaxBody
	raw, err := readBody(r.Body, limit)
	if err == nil {
		raw, err = decodeBody(raw, r.Header, limit)
	}
	if err != nil {
		return nil, a.refuse(r.Context(), EventRefused, requestProblem(o.op, a.plan.discreet(err)))
	}
	return newRequest(raw, r.Header, r.URL.RawQuery, path), nil
}

// transactionalHandler is what Handle puts behind it.
type transactionalHandler[Tx, Cmd any] struct {
	engine *Engine[Tx]
	op     *Operation
	decode func(*canon.Request) (Cmd, error)
	handle HandlerFunc[Tx, Cmd]
}

func (o *transactionalHandler[Tx, Cmd]) answer(ctx context.Context, request *canon.Request) Answer {
	ex, answer := o.engine.Begin(ctx, o.op, request)
	if answer != nil {
		return *answer
	}
	return o.run(ex, request)
}

// run decodes, runs the handler and settles. Nothing is recovered: after a panic or Goexit the deferred call releases the
// claim, and the unwinding goes on with its own stack.
func (o *transactionalHandler[Tx, Cmd]) run(ex *Execution[Tx], request *canon.Request) (answer Answer) {
	returned := false
	defer func() {
		if !returned {
			o.engine.Finish(ex.ctx, ex, Outcome{Err: ErrNotReturned})
		}
	}()
	cmd, err := o.decode(request)
	if err != nil {
		returned, err = true, o.engine.discreet(o.op, err)
		o.engine.Finish(ex.ctx, ex, Outcome{Err: err})
		return Answer{Problem: requestProblem(o.op, err), op: o.op}
	}
	response, err := o.handle(ex.ctx, ex, cmd)
	returned = true
	return o.engine.Finish(ex.ctx, ex, Outcome{Response: response, Err: err})
}
