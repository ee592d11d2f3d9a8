package pgstore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Transaction states as the server reports them with every answer.
const (
	txIdle    = 'I'
	txAborted = 'E'
)

// open is an open transaction of a handler on a connection of its own.
type open struct {
	store *Store
	conn  *pgxpool.Conn
	tx    *handlerTx
}

// Tx gives the handler's transaction.
func (o *open) Tx() pgx.Tx { return o.tx }

// seize takes the transaction out of the handler's hands. When the handler is still using the connection that one is given up,
// and the error says so.
func (o *open) seize(ctx context.Context) error {
	err := o.tx.guard.settle(runningBound)
	if err == nil && o.conn.Conn().PgConn().IsBusy() {
		err = errResults
	}
	if errors.Is(err, errRunning) || errors.Is(err, errResults) {
		o.abandon(ctx)
	}
	return err
}

// abandon closes a connection that somebody else may be reading from. It touches nothing of it but the socket, and asks the
// server to stop the statement, so that the key does not stay taken for as long as that would have run.
func (o *open) abandon(ctx context.Context) {
	ctx, cancel := settling(ctx)
	defer cancel()
	conn := o.conn.Hijack().PgConn()
	_ = conn.CancelRequest(ctx) // the transaction ends anyway, only later
	_ = conn.Conn().Close()
}

func (o *open) status() byte { return o.conn.Conn().PgConn().TxStatus() }
