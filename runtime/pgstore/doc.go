// Package pgstore keeps records in PostgreSQL, with pgx. Claim, business writes and stored response commit together, for no round
// trip and no commit more than the bare BEGIN; INSERT; COMMIT costs.
//
// # Usage
//
//	pool, err := pgxpool.New(ctx, url)
//	…
//	err = pgstore.Migrate(ctx, pool) // or run what `idemgen migrate` prints
//	engine, err := paymentsidem.NewEngine(pgstore.New(pool), scope, idem.Options{})
//
// Handlers write through ex.Tx(), a pgx.Tx: sqlc's WithTx, pgx.BeginFunc and everything else that takes one work with it. In it
//
//   - Commit and Rollback give ErrManaged; transactions begun in it are the handler's own, and must be ended;
//   - rows, batches and single rows must be read or closed before the handler returns;
//   - nothing works any more once the handler's response was stored: idem.ErrSettled, which also is pgx.ErrTxClosed;
//   - a role or search_path that is set there must be set back: the completion writes the record as the pool's user, and is refused
//     otherwise; savepoints of its own may have any name but idemgen_claim;
//   - Conn is for the connection's type map; LargeObjects refuses (the server's lo_… functions work).
//
// # Guarantees
//
//   - First request: three round trips with one business statement, one commit; statements given to Queue ride with the commit.
//     Replay: no transaction id, no WAL, and one round trip where this store stored or found the outcome not long ago, else two.
//     All five query modes of pgx and every isolation level work.
//   - Of any number of simultaneous claims one wins. The others wait at most Claim.LockTimeout; the handler's own statements keep
//     the lock_timeout of the pool.
//   - A holder that freezes loses its transaction, and with it the key, after Claim.IdleTimeout.
//   - A lease is claimed in one round trip and one commit; a phase's BEGIN rides with its first statement, and its record and outcome
//     with its COMMIT. Nothing of an attempt whose lease was taken over is ever committed. Heartbeats want a second connection, or a
//     pool of their own.
//   - An outcome is stored under the fence, in the transaction that claimed. A handler that ends this transaction, or a phase's, with
//     SQL of its own ("commit", "rollback") gets nothing stored: the completion fails with idem.ErrFenced. What it committed itself
//     stays, and the key then answers idem.StateUnknown until a person resolves it, because nobody can say what had been done.
//   - A connection whose state is not known is closed, never given back to the pool.
//   - Records, phases, business keys and second scopes of a record go together, in batches, and no sweep waits for anybody.
//   - Nothing that a request, a heartbeat, the recovery or a sweep sends reads a whole table.
//
// # Not included
//
// Tables in a schema of their own are found by the search_path alone. Stuck, Inspect, Resolve and Free, which people call, read the
// whole table of records. Nobody sweeps unless Engine.Run, or the program, calls Sweep.
//
// In a phase of repeatable read or serializable isolation that lasts longer than about half of its lease, a heartbeat comes first, and
// the commit fails with idem.ErrSerialization. Of a phase's first statement a tracer sees a batch.
//
// The invariant that is otherwise invisible: a transactional claim is never committed in flight, so whoever sees a record without a
// lease sees an outcome. All else follows from the primary key, on which a second claim waits until the first transaction has ended,
// and from the token of an attempt, which every change of its record names.
package pgstore
