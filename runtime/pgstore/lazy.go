package pgstore

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// lazyTx is a transaction that begins with its first statement, in the same round trip. Where pgx's batches cannot carry that
// statement as it is, BEGIN goes before it. The transaction that was begun is embedded; it is nil before.
type lazyTx struct {
	pgx.Tx
	conn  *pgx.Conn
	idle  int64 // milliseconds that it may stand still
	busy  *columns.Busy
	token idem.UUID

	mu    sync.Mutex // held while it is being begun
	began bool       // the server said so
	err   error      // why it could not be begun
}

var _ pgx.Tx = (*lazyTx)(nil)

func newLazyTx(conn *pgx.Conn, idle time.Duration, b *columns.Busy, token idem.UUID) *lazyTx {
	return &lazyTx{conn: conn, idle: columns.TimeoutMillis(idle), busy: b, token: token}
}

// begun reports whether anything was sent.
func (t *lazyTx) begun() bool { return t.Tx != nil }

// failed is why the transaction could not be begun.
func (t *lazyTx) failed() error { return t.err }

// ended reports whether the transaction began and is over: the handler ended it with SQL of its own.
func (t *lazyTx) ended() bool {
	return t.began && !t.conn.IsClosed() && t.conn.PgConn().TxStatus() == txIdle
}

// queueBegin makes b begin the transaction. Its first two results belong to that.
func (t *lazyTx) queueBegin(b *pgx.Batch) {
	b.BeginTx(pgx.TxOptions{})
	b.Queue(pgsql.BeginPhase, t.idle)
}

// first gives the caller the lock if nothing was sent yet.
func (t *lazyTx) first() bool {
	t.mu.Lock()
	if t.Tx == nil {
		return true
	}
	t.mu.Unlock()
	return false
}

// ensure begins the transaction by itself if nothing was sent yet.
func (t *lazyTx) ensure(ctx context.Context) error {
	if !t.first() {
		return t.err
	}
	defer t.mu.Unlock()
	return t.begin(ctx)
}

func (t *lazyTx) begin(ctx context.Context) error {
	b := &pgx.Batch{}
	t.queueBegin(b)
	br := t.send(ctx, b)
	t.err = closeBatch(br, t.readBegin(br))
	t.Tx, t.began = br.Tx(), t.err == nil
	return t.err
}

// send sends what begins the transaction. Until its isolation is known the attempt counts as busy: a heartbeat that came between
// would be too early to be told.
func (t *lazyTx) send(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	t.busy.Enter(t.token)
	return t.conn.SendBatch(ctx, b)
}

// readBegin reads the results of what queueBegin queued.
func (t *lazyTx) readBegin(br pgx.BatchResults) error {
	if _, err := br.Exec(); err != nil {
		return err
	}
	var isolation string
	if err := br.QueryRow().Scan(nil, nil, &isolation); err != nil {
		return err
	}
	if isolation == string(pgx.ReadCommitted) {
		t.busy.Leave(t.token)
	}
	return nil
}

// fold sends statements together with BEGIN and gives their results. An error that came before the transaction began (a statement
// that cannot be prepared) has changed nothing: then there are no results, and the transaction was begun by itself, so that the
// same error comes again inside it, where the handler expects it. An argument that cannot be encoded costs the connection, as in
// any batch.
func (t *lazyTx) fold(ctx context.Context, statements *pgx.Batch) pgx.BatchResults {
	b := &pgx.Batch{}
	t.queueBegin(b)
	for _, q := range statements.QueuedQueries { // as copies: a query can be sent once
		b.QueuedQueries = append(b.QueuedQueries, &pgx.QueuedQuery{SQL: q.SQL, Arguments: q.Arguments, Fn: q.Fn})
	}
	br := t.send(ctx, b)
	err := t.readBegin(br)
	if err == nil {
		t.Tx, t.began = br.Tx(), true
		return foldedResults{br}
	}
	_ = br.Close() // gives the same error
	if t.conn.IsClosed() || t.conn.PgConn().TxStatus() != txIdle {
		t.Tx, t.err = br.Tx(), err
		return foldedResults{br}
	}
	if t.begin(ctx) != nil {
		return pgx.FailedBatchResults(statements, t.err)
	}
	return nil
}

// foldOne is fold for one statement; nil when it must be sent by itself.
func (t *lazyTx) foldOne(ctx context.Context, sql string, args []any) pgx.BatchResults {
	if !foldable(sql, args) {
		if t.begin(ctx) != nil {
			return pgx.FailedBatchResults(&pgx.Batch{}, t.err)
		}
		return nil
	}
	b := &pgx.Batch{}
	b.Queue(sql, args...)
	return t.fold(ctx, b)
}

// foldable reports whether a batch treats a statement as Exec and Query do. Without arguments those take several statements in one
// text, and their first arguments may be options that batches do not know.
func foldable(sql string, args []any) bool {
	if len(args) == 0 {
		sql = strings.TrimRight(sql, "; \t\r\n")
		return sql != "" && !strings.Contains(sql, ";")
	}
	switch args[0].(type) {
	case pgx.QueryExecMode, pgx.QueryResultFormats, pgx.QueryResultFormatsByOID:
		return false
	}
	return true
}

// Exec runs a statement.
func (t *lazyTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if t.first() {
		defer t.mu.Unlock()
		if br := t.foldOne(ctx, sql, args); br != nil {
			tag, err := br.Exec()
			return tag, closeBatch(br, err)
		}
	}
	return t.Tx.Exec(ctx, sql, args...)
}

// Query runs a query.
func (t *lazyTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if t.first() {
		defer t.mu.Unlock()
		if br := t.foldOne(ctx, sql, args); br != nil {
			rows, err := br.Query()
			folded := &foldedRows{Rows: rows, br: br}
			if err != nil {
				folded.finish()
			}
			return folded, err
		}
	}
	return t.Tx.Query(ctx, sql, args...)
}

// QueryRow runs a query of one row.
func (t *lazyTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if t.first() {
		defer t.mu.Unlock()
		if br := t.foldOne(ctx, sql, args); br != nil {
			return foldedRow{br.QueryRow(), br}
		}
	}
	return t.Tx.QueryRow(ctx, sql, args...)
}

// SendBatch sends a batch.
func (t *lazyTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if b.Len() > 0 && t.first() {
		defer t.mu.Unlock()
		if beginsTx(b) { // which pgx refuses inside a transaction
			if err := t.begin(ctx); err != nil {
				return pgx.FailedBatchResults(b, err)
			}
		} else if br := t.fold(ctx, b); br != nil {
			return br
		}
	}
	if t.Tx == nil {
		return t.conn.SendBatch(ctx, b) // an empty batch: nothing is sent
	}
	return t.Tx.SendBatch(ctx, b)
}

// beginsTx reports whether Batch.BeginTx was called, which pgx tells by the results alone.
func beginsTx(b *pgx.Batch) bool { return pgx.FailedBatchResults(b, errSettled).Tx() != nil }

// Begin starts a nested transaction.
func (t *lazyTx) Begin(ctx context.Context) (pgx.Tx, error) {
	if err := t.ensure(ctx); err != nil {
		return nil, err
	}
	return t.Tx.Begin(ctx)
}

// Commit and Rollback are the store's.
func (t *lazyTx) Commit(context.Context) error   { return ErrManaged }
func (t *lazyTx) Rollback(context.Context) error { return ErrManaged }

// CopyFrom copies rows into a table.
func (t *lazyTx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error) {
	if err := t.ensure(ctx); err != nil {
		return 0, err
	}
	return t.Tx.CopyFrom(ctx, table, columns, src)
}

// Prepare makes a prepared statement.
func (t *lazyTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if err := t.ensure(ctx); err != nil {
		return nil, err
	}
	return t.Tx.Prepare(ctx, name, sql)
}

// LargeObjects is never reached: the handler's wrapper refuses them.
func (t *lazyTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn gives the connection, inside the transaction: what is run on it directly must not commit by itself. It is closed when the
// transaction cannot be begun.
func (t *lazyTx) Conn() *pgx.Conn {
	ctx, cancel := context.WithTimeout(context.Background(), settleTimeout)
	defer cancel()
	if t.ensure(ctx) != nil {
		_ = t.conn.Close(ctx)
	}
	return t.conn
}
