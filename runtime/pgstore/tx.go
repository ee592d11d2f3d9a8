package pgstore

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// guard stands between a handler and its connection. After settling the connection belongs to somebody else, and pgx does not
// notice: its transaction object would go on writing, without a transaction.
type guard struct {
	turn    chan struct{} // holds a value while a method runs
	settled atomic.Bool
	open    []*handlerTx // nested transactions that were not ended, outermost first; belongs to whoever has the turn
}

// handlerTx is the pgx.Tx that handlers get: the claim's transaction, or one nested in it. The inner one is embedded so that a
// method which a later pgx adds to the interface does not stop a team's build.
type handlerTx struct {
	pgx.Tx
	guard  *guard
	nested bool
}

var _ pgx.Tx = (*handlerTx)(nil)

func newHandlerTx(inner pgx.Tx) *handlerTx {
	return &handlerTx{Tx: inner, guard: &guard{turn: make(chan struct{}, 1)}}
}

// enter waits for the turn. After settling it fails.
func (g *guard) enter(ctx context.Context) error {
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if g.settled.Load() {
		g.leave()
		return errSettled
	}
	return nil
}

func (g *guard) leave() { <-g.turn }

// settle closes the guard for the handler. It waits up to bound for a statement that still runs; errRunning when it does not end.
func (g *guard) settle(bound time.Duration) error {
	if g.settled.Swap(true) {
		return errSettled
	}
	select {
	case g.turn <- struct{}{}:
		g.leave() // whoever comes next sees settled
		return nil
	default:
	}
	timer := time.NewTimer(bound)
	defer timer.Stop()
	select {
	case g.turn <- struct{}{}:
		g.leave()
		return nil
	case <-timer.C:
		return errRunning
	}
}

// Begin starts a nested transaction: a savepoint. The handler ends it itself; one that is left open is an error at completion.
func (tx *handlerTx) Begin(ctx context.Context) (pgx.Tx, error) {
	if err := tx.guard.enter(ctx); err != nil {
		return nil, err
	}
	defer tx.guard.leave()
	inner, err := tx.Tx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	nested := &handlerTx{Tx: inner, guard: tx.guard, nested: true}
	tx.guard.open = append(tx.guard.open, nested)
	return nested, nil
}

// Commit refuses with ErrManaged, except for a nested transaction.
func (tx *handlerTx) Commit(ctx context.Context) error { return tx.end(ctx, tx.Tx.Commit) }

// Rollback refuses with ErrManaged, except for a nested transaction.
func (tx *handlerTx) Rollback(ctx context.Context) error { return tx.end(ctx, tx.Tx.Rollback) }

func (tx *handlerTx) end(ctx context.Context, end func(context.Context) error) error {
	if err := tx.guard.enter(ctx); err != nil {
		return err
	}
	defer tx.guard.leave()
	if !tx.nested {
		return ErrManaged
	}
	if i := slices.Index(tx.guard.open, tx); i >= 0 {
		tx.guard.open = tx.guard.open[:i] // and with it all that are nested deeper
	}
	return end(ctx)
}

// Exec runs a statement in the transaction.
func (tx *handlerTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := tx.guard.enter(ctx); err != nil {
		return pgconn.CommandTag{}, err
	}
	defer tx.guard.leave()
	return tx.Tx.Exec(ctx, sql, args...)
}

// Query runs a query in the transaction. Its rows must be closed before the handler returns.
func (tx *handlerTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := tx.guard.enter(ctx); err != nil {
		return failed(err).Query()
	}
	defer tx.guard.leave()
	return tx.Tx.Query(ctx, sql, args...)
}

// QueryRow runs a query in the transaction. Its row must be scanned before the handler returns.
func (tx *handlerTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := tx.guard.enter(ctx); err != nil {
		return failed(err).QueryRow()
	}
	defer tx.guard.leave()
	return tx.Tx.QueryRow(ctx, sql, args...)
}

// SendBatch sends a batch in the transaction. Its results must be closed before the handler returns.
func (tx *handlerTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if err := tx.guard.enter(ctx); err != nil {
		return pgx.FailedBatchResults(b, err)
	}
	defer tx.guard.leave()
	return tx.Tx.SendBatch(ctx, b)
}

// CopyFrom copies rows into a table in the transaction.
func (tx *handlerTx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error) {
	if err := tx.guard.enter(ctx); err != nil {
		return 0, err
	}
	defer tx.guard.leave()
	return tx.Tx.CopyFrom(ctx, table, columns, src)
}

// Prepare makes a prepared statement on the connection.
func (tx *handlerTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if err := tx.guard.enter(ctx); err != nil {
		return nil, err
	}
	defer tx.guard.leave()
	return tx.Tx.Prepare(ctx, name, sql)
}

// LargeObjects gives objects that refuse everything with pgx.ErrTxClosed: pgx binds them to the bare transaction, out of reach of
// the guard. The server's lo_… functions do the same work through Exec and Query.
func (tx *handlerTx) LargeObjects() pgx.LargeObjects {
	b := &pgx.Batch{}
	b.BeginTx(pgx.TxOptions{})
	return pgx.FailedBatchResults(b, errSettled).Tx().LargeObjects()
}

// Conn gives the connection, for its type map; nil after settling. Whoever ends the transaction through it ends the claim: then
// nothing is stored, and the completion fails. It must not be kept after the handler has returned.
func (tx *handlerTx) Conn() *pgx.Conn {
	if tx.guard.settled.Load() {
		return nil
	}
	return tx.Tx.Conn()
}

// failed gives pgx's own rows that report err, as after any query that could not be sent.
func failed(err error) pgx.BatchResults { return pgx.FailedBatchResults(&pgx.Batch{}, err) }
