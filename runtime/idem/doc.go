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
// A body that counts through a view (XML, a signed token) is given to a function of the program, which NewEngine of such a package takes in
// its Views; see [View] for what is asked of it.
//
// A framework that renders its response after its handler has returned is wrapped as a whole by Engine.Middleware; its bindings
// call Begin and Execution.End. A consumer of a queue calls Engine.Begin and Engine.Finish.
//
// A leased operation calls other systems. Its claim is committed before its handler runs, which gets a Lease and works in phases:
//
//	go engine.Run(ctx) // keeps leases alive, recovers, sweeps
//
//	created, err := idem.Phase(ctx, l, "create", func(tx pgx.Tx) (Payment, error) { … })
//	charge, err := psp.Charge(ctx, created.ID, l.DownstreamKey("psp"))
//	_, err = idem.LastPhase(ctx, l, "confirm", func(tx pgx.Tx) (any, error) { … })
//	return idem.Response{Status: 201, Body: body}, err
//
// A tool that asks what a request would get, and changes nothing, has an Inspector.
//
// An attempt that ends without an outcome is followed by another one, as the operation's takeover policy says: by the program's
// RecoverFunc, by the handler with the next request, or by nobody. Whichever it is gets the results of recorded phases.
//
// # Guarantees
//
//   - The claim of a key, the handler's writes through Execution.Tx and the stored response commit together or not at all.
//   - Nothing reaches the client before that commit.
//   - A returned response is an outcome: below 400 with its writes, from 400 on without them unless the handler says KeepWrites.
//     An error, a panic, runtime.Goexit and an excepted status are none: everything is rolled back and the key is free again.
//   - A phase's writes, its result and the attempt's hold of the record commit together or not at all: an attempt that has lost its
//     record to another one changes nothing in the store, and its client never gets its result.
//   - When the store fails, nothing runs: 503, never an unprotected run.
//   - The decision table of what a second request gets is data (Decide); nothing else decides.
//   - Who waits for a running request holds no connection meanwhile. When that one ends without an outcome, exactly one of those
//     that wait runs.
//   - Keys stand in no error, event or answer; events carry a short hash.
//   - With Options.Sealer nobody reads a stored response, phase or command in the database, or moves one to another record; one that
//     cannot be opened is answered with 503 and never leads to a second run.
//
// # Not included
//
// Authentication, which stands before it.
//
// The invisible invariant: this package starts no goroutine outside of Engine.Run, and every claim that it takes is settled in the request
// that took it, or in the recovery, whatever the handler does. Run leaves no goroutine behind.
package idem
