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
//   - First request: three round trips with one business statement, one commit. Replay: two round trips, no transaction id, no
//     WAL. All five query modes of pgx and every isolation level work.
//   - Of any number of simultaneous claims one wins. The others wait at most Claim.LockTimeout; the handler's own statements keep
//     the lock_timeout of the pool.
//   - A holder that freezes loses its transaction, and with it the key, after Claim.IdleTimeout.
//   - A lease is claimed in one round trip and one commit; a phase's BEGIN rides with its first statement, and its record and outcome
//     with its COMMIT. Nothing of an attempt whose lease was taken over is ever committed.
//   - An outcome is stored under the fence, in the transaction that claimed. A handler that ends this transaction with SQL of its
//     own ("commit", "rollback") gets nothing stored: the completion fails with idem.ErrFenced. What it committed itself stays,
//     and the key then answers idem.StateUnknown until a person resolves it, because nobody can say what had been done.
//   - A connection whose state is not known is closed, never given back to the pool.
//   - Records, phases, business keys and second scopes of a record go together, in batches, and no sweep waits for anybody.
//
// # Not included
//
// Tables in a schema of their own are found by the search_path alone. Stuck, Inspect, Resolve and Free, which people call, read the
// whole table of records.
//
// The invariant that is otherwise invisible: a transactional claim is never committed in flight, so whoever sees a record without a
// lease sees an outcome. All else follows from the primary key, on which a second claim waits until the first transaction has ended,
// and from the token of an attempt, which every change of its record names.
package pgstore
