package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// readCommitted is the isolation of the store's own transactions, whatever the pool's default is. They decide on locked rows and
// need no snapshot; in the stricter levels they would make the handlers' transactions fail.
var readCommitted = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}

// inOwn runs statements in one transaction of the store's own, in one round trip, and lets read take their results.
func inOwn(ctx context.Context, pool *pgxpool.Pool, statements []statement, read func(pgx.BatchResults) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", idem.ErrStoreUnavailable, err)
	}
	defer conn.Release()
	b := &pgx.Batch{}
	b.BeginTx(readCommitted)
	for _, st := range statements {
		b.Queue(st.sql, st.args...)
	}
	b.Queue(pgsql.Commit)
	br := conn.SendBatch(ctx, b)
	_, err = br.Exec() // of BEGIN
	if err == nil {
		err = read(br)
	}
	err = closeBatch(br, err)
	rollBack(ctx, conn)
	return lostError(err, conn)
}

// settling gives the context of what settles. A caller that has gone does not end it; the time that a caller has left bounds it, and so
// does settleTimeout.
func settling(ctx context.Context) (context.Context, context.CancelFunc) {
	bound := settleTimeout
	if until, bounded := ctx.Deadline(); bounded && ctx.Err() == nil {
		bound = min(bound, time.Until(until))
	}
	return context.WithTimeout(context.WithoutCancel(ctx), bound)
}

// serializeRounds and serializePause bound how often a whole transaction of the store's own is repeated.
const (
	serializeRounds = 10
	serializePause  = 5 * time.Millisecond
)

// again repeats a transaction of the store's own that could not be serialised, which databases other than PostgreSQL may say at any
// isolation: nothing of it has happened.
func again(ctx context.Context, f func() error) (err error) {
	for round := range serializeRounds {
		if err = f(); !cannotSerialize(sqlstate(err)) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(round) * serializePause):
		}
	}
	return err
}
