// Package shop is the business that the proofs run: one kind of order, its contract written as the generator writes it, a
// receipt, and a client.
//
// # Usage
//
//	op := shop.Operation("order", func(op *idem.Operation) { op.Retention = 2 * time.Second })
//	engine, err := idem.NewEngine(store, shop.Contract(op), shop.Scope, idem.Options{})
//	mux.Handle("POST "+op.Path, idem.Handle(engine, op, shop.Decode, handler))
//
//	answer, err := client.Send(ctx, shop.Order{Path: op.Path, Key: "k", Command: shop.Command{Amount: "10", Call: "c1"}})
//
// # Guarantees
//
// Two orders are the same command exactly when their amounts are equal. Call is ignored by the fingerprint, so every request has
// one of its own and a receipt names the request whose handler made it: that is how a history knows which run was answered.
//
// # Not included
//
// Handlers: each proof has its own.
//
// The invariant that is otherwise invisible: nothing here knows a store, so all of them run the same business.
package shop
