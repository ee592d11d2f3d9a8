package idem

import (
	"context"
	"fmt"
	"net/http"
)

// Middleware wraps a whole API whose server renders its responses itself: it stands outside of the router, authentication and
// validation, and the server's binding calls Begin and Execution.End around business code.
//
// Requests that belong to no annotated operation pass untouched, with the very same ResponseWriter. Those of an annotated one
// are recorded, and nothing reaches the client before the outcome is committed:
//
//   - Begin was never reached: the answer passes if it is no success (a 401, a 400 of a validator). A success would mean that
//     the operation is served without its protection, and becomes 500 IDEMPOTENCY_NOT_BOUND.
//   - Begin decided: its answer is sent, whatever the framework wrote.
//   - Business code returned without an error: the recorded response is the outcome.
//   - It returned an error, panicked or ended its goroutine: what was recorded passes and is not stored; a panic that arrives
//     here is raised again after the roll back.
//   - The chain returned while business code still runs, as a timeout handler does: its context is cancelled, and its end is
//     awaited for 5 seconds. Then all is rolled back and a recorded failure passes. If the end does not come, the connection
//     is closed without an answer, and the key stays taken until business code does end.
//
// A response that grows larger than Options.MaxResponse is committed as soon as it does, since its body is not stored, and goes on to
// the client from there: it does not stay in memory as a whole. A panic that comes later breaks the connection and leaves the outcome.
//
// The same engine's middleware inside of another one does nothing: the outer one has seen the request as it entered.
//
// Inside, Accept-Encoding and Range are taken away, so that what is stored fits every client; Flush does nothing, Hijack
// fails, informational responses are left out. The request's context is detached from the client's and ends after
// Options.Deadline.
func (e *Engine[Tx]) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, path := e.router.match(r.Method, r.URL.EscapedPath())
		if p == nil || e.watches(r.Context(), p) {
			next.ServeHTTP(w, r)
			return
		}
		newSession(e, p, path, w, r).serve(next)
	})
}

// watches reports whether this engine's middleware stands further outside too. That one has the request as it entered.
func (e *Engine[Tx]) watches(ctx context.Context, p *plan) bool {
	s, ok := ctx.Value(sessionKey{}).(*session[Tx])
	return ok && s.engine == e && s.plan == p
}

// sessionKey is not generic, so that Begin can tell a session of another transaction type from none.
type sessionKey struct{}

// Begin is what a binding calls last before business code. sessionCtx is the context of the HTTP request, callCtx the one that
// the server gave its method; they are the same except under gin, whose own context need not reach the request's. The scope
// resolver and Authorize see the values of both.
//
// An error means that business code must not run. It is ErrDecided when the middleware has the answer and drops whatever the
// framework writes; ErrNotAuthorized around what Options.Authorize returned, which is the framework's to render; ErrNotBound
// outside of a middleware of an engine with this Tx.
func Begin[Tx any](sessionCtx, callCtx context.Context, op *Operation) (*Execution[Tx], error) {
	s, err := sessionOf[Tx](sessionCtx, op)
	if err != nil {
		return nil, err
	}
	return beginIn(s, sessionCtx, callCtx, op, transactional[Tx]())
}

// sessionOf finds the middleware's session in the context of its request.
func sessionOf[Tx any](ctx context.Context, op *Operation) (*session[Tx], error) {
	found := ctx.Value(sessionKey{})
	if s, ok := found.(*session[Tx]); ok {
		return s, nil
	}
	name := ""
	if op != nil {
		name = op.Name
	}
	if found == nil {
		return nil, fmt.Errorf("%w: operation %q is served outside of Engine.Middleware, or its path is none of the contract's below Options.BasePath", ErrNotBound, name)
	}
	return nil, fmt.Errorf("%w: operation %q: the engine of Engine.Middleware has another transaction type than the binding", ErrNotBound, name)
}

// bothContexts has the values of the call's context before those of the request's, where inner layers put them. Only the session's ends it.
type bothContexts struct {
	context.Context // the session's
	call, request   context.Context
}

// Value looks into both.
func (b bothContexts) Value(key any) any {
	if v := b.call.Value(key); v != nil {
		return v
	}
	return b.request.Value(key)
}
