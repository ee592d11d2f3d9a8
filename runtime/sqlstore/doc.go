// Package sqlstore keeps records in a database of database/sql: PostgreSQL through any driver, and SQLite. Claim, business writes and
// stored response commit together.
//
// # Usage
//
//	db, err := sql.Open("sqlite", "file:payments.db?_pragma=busy_timeout(5000)")
//	…
//	store := sqlstore.NewSQLite(db) // or NewPostgreSQL
//	err = store.Migrate(ctx)        // or run what `idemgen migrate --dialect sqlite` prints
//	engine, err := paymentsidem.NewEngine(store, scope, idem.Options{})
//
// Handlers write through ex.Tx(), which is the *sql.Tx itself, so that sqlc's WithTx and everything else that takes one work with it. Being
// that, it cannot refuse Commit and Rollback:
//
//   - a handler that ends its transaction, by these methods or by SQL of its own, gets nothing stored: the completion fails with
//     idem.ErrFenced. What it committed itself stays, and the key then answers idem.StateUnknown until a person resolves it, because nobody
//     can say what had been done; what it rolled back has not happened, and the key is free;
//   - after settling everything gives sql.ErrTxDone;
//   - a statement that still runs when the handler has returned is waited for a second; then the completion fails, and the transaction
//     ends without an outcome when that statement does;
//   - savepoints of the handler's own may have any name but idemgen_claim.
//
// # PostgreSQL
//
// Where you have pgx, use pgstore: its requests take half as many round trips, because pgx can send statements together. Both have the
// same tables and statements, and a record that one has stored is replayed by the other. Driver errors have to give their SQLSTATE by a
// method of that name, as those of pgx and lib/pq do. Round trips here, with one business statement, prepared: 6 for a first request (BEGIN,
// claim, savepoint, business, completion, COMMIT), 1 for a replay where this store stored or found the outcome not long ago, else 4; a
// lease is claimed in 1, and a phase with one statement takes 6. Drivers that prepare each time take two for each statement with parameters.
//
// # SQLite
//
// SQLite 3.37 or newer, with a driver whose errors have a method Code() int, as modernc.org/sqlite has; for others there is WithErrorCode. A
// database has one writer at a time, and a claim's transaction is it from the claim to the commit; so is a phase. Therefore
//
//   - other requests of the process wait in turn, up to WithLockWait (5 seconds), and then get idem.ErrStoreUnavailable. Handlers that call
//     other systems belong into leased operations, which hold no transaction meanwhile;
//   - a duplicate of what runs in this process waits Claim.LockTimeout and then is told that it is in flight. What another process is doing
//     nobody can see: its duplicates wait as the other requests do, and get its outcome, or that the store is unavailable;
//   - replays read, and wait for nobody: Migrate puts the database into WAL mode;
//   - a heartbeat that waits longer than that lets the leases be; a phase must be shorter than its lease;
//   - a frozen process keeps the database locked until it ends: Claim.IdleTimeout is for PostgreSQL;
//   - a process that dies leaves nothing of its transaction. What was committed survives the loss of power too unless the connections say
//     "pragma synchronous = normal" or less;
//   - the time is that of the process, in milliseconds;
//   - the pool should have several connections, since replays need one beside the writer's, and a file behind them: ":memory:" is another
//     database for each connection;
//   - a handler's statement that failed and was not reported has changed nothing, and does not abort its transaction as in PostgreSQL.
//
// # Guarantees
//
//   - Of any number of simultaneous claims one wins.
//   - An outcome is stored under the fence, in the transaction that claimed, and never after that transaction is over.
//   - A lease's claim commits alone. Nothing of an attempt whose lease was taken over is ever committed.
//   - A connection whose state is not known is closed, never given back to the pool.
//   - Records, phases, business keys and second scopes of a record go together.
//
// # Not included
//
// Queue (idem.Queuer) sends statements with the completion, as it should, and saves no round trip. Stuck, Inspect, Resolve, Retry and Free,
// which people call, read the whole table of records. Nobody sweeps unless Engine.Run, or the program, calls Sweep.
//
// The invariant that is otherwise invisible: at completion the fence comes first of all statements. In a transaction that the handler has
// ended, whatever came before the fence would commit by itself.
package sqlstore
