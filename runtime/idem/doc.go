// Package idem runs the handlers of idempotent operations: at most once for each key, with the right answer to every further
// request. Generated packages stand on it; a program meets it through Options, Execution, Response and, with a framework,
// Engine.Middleware.
//
// # Usage
//
// A generated package gives NewEngine and a handler for each operation:
//
//	engine, err := paymentsidem.NewEngine(store, func(ctx context.Context) (paymentsidem.Scope, error) {
//		return paymentsidem.Scope{Tenant: tenantOf(ctx)}, nil
//	}, idem.Options{})
//
//	mux.Handle("POST /payments", auth(paymentsidem.HandleCreatePayment(engine,
//		func(ctx context.Context, ex *idem.Execution[pgx.Tx], cmd paymentsidem.CreatePaymentCommand) (idem.Response, error) {
//			// write through ex.Tx(), then
//			return idem.Response{Status: 201, Body: body}, nil
//		})))
//
// A framework that renders its response after its handler has returned is wrapped as a whole by Engine.Middleware; its bindings
// call Begin and Execution.End. A consumer of a queue calls Engine.Begin and Engine.Finish.
//
// # Guarantees
//
//   - The claim of a key, the handler's writes through Execution.Tx and the stored response commit together or not at all.
//   - Nothing reaches the client before that commit.
//   - A returned response is an outcome: below 400 with its writes, from 400 on without them unless the handler says KeepWrites.
//     An error, a panic, runtime.Goexit and an excepted status are none: everything is rolled back and the key is free again.
//   - When the store fails, nothing runs: 503, never an unprotected run.
//   - The decision table of what a second request gets is data (Decide); nothing else decides.
//   - Keys stand in no error, event or answer; events carry a short hash.
//   - With Options.Sealer nobody reads a stored response, phase or command in the database, or moves one to another record; one that
//     cannot be opened is answered with 503 and never leads to a second run.
//
// # Not included
//
// Authentication, which stands before it; leased execution; waiting for a request in flight.
//
// The invisible invariant: this package starts no goroutine, and every claim that it takes is settled in the request that took
// it, whatever the handler does.
package idem
