package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idem"
)

// attempt is one call of Claim on its connection.
type attempt struct {
	store *Store
	conn  *pgxpool.Conn
	claim idem.Claim
}

// run claims, or reads what stands there, and decides anew as long as the record changes between the two.
func (a *attempt) run(ctx context.Context) (*held, idem.Prior, error) {
	for range claimRounds {
		h, err := a.take(ctx, claimSQL)
		if err != nil || h != nil {
			return h, a.won(), err
		}
		found, err := a.read(ctx)
		switch {
		case err != nil:
			return nil, idem.Prior{}, err
		case found.action() != idem.ActClaim:
			return nil, found.prior, nil
		case found.prior.State == idem.StateAbsent: // the sweeper came between insert and select
			continue
		}
		h, err = a.take(ctx, takeOverSQL)
		if err != nil || h != nil {
			return h, a.won(), err
		}
		rollBack(ctx, a.conn)
	}
	return nil, idem.Prior{}, fmt.Errorf("%w: the record changed %d times while it was read", idem.ErrSerialization, claimRounds)
}

// won is what a successful claim reports.
func (a *attempt) won() idem.Prior {
	return idem.Prior{
		State: idem.StateAbsent, Operation: a.claim.Operation, RecordID: a.claim.RecordID, Token: a.claim.Token, Attempt: 1,
	}
}

// take begins a transaction, claims by sql and sets the savepoint, in one round trip. No held and no error: the statement found
// nothing to claim.
func (a *attempt) take(ctx context.Context, sql string) (*held, error) {
	c := &a.claim
	b := &pgx.Batch{}
	b.BeginTx(pgx.TxOptions{})
	b.Queue(sql, c.Scope, c.Keyspace, c.Key, c.Operation, c.RecordID.String(), c.Token.String(),
		notNull(c.Fingerprints), c.Fields, retentionMillis(c.Retention), lockMillis(c.LockTimeout), timeoutMillis(c.IdleTimeout),
		a.store.clock())
	b.Queue(savepointSQL)
	br := a.conn.SendBatch(ctx, b)
	tags, err := results(br, b.Len())
	if err != nil {
		return nil, err
	}
	if tags[1].RowsAffected() == 0 {
		return nil, nil
	}
	return &held{store: a.store, conn: a.conn, tx: newHandlerTx(br.Tx()), claim: c}, nil
}

// read gives the record that a claim ran into and ends the transaction, in one round trip. Nearly always it is an outcome, and
// done with; an expired one is taken over in a transaction of its own, whose guard decides.
func (a *attempt) read(ctx context.Context) (record, error) {
	b := &pgx.Batch{}
	b.Queue(selectSQL, a.claim.Scope, a.claim.Keyspace, a.claim.Key, a.store.clock())
	b.Queue(rollbackSQL)
	br := a.conn.SendBatch(ctx, b)
	r, errScan := scanRecord(br.QueryRow())
	r.prior.Scope, r.prior.Keyspace, r.prior.Key = a.claim.Scope, a.claim.Keyspace, a.claim.Key
	return r, errors.Join(errScan, br.Close())
}

// results reads the tags of n statements and closes the batch. With an error come the tags of the statements before it.
func results(br pgx.BatchResults, n int) ([]pgconn.CommandTag, error) {
	tags := make([]pgconn.CommandTag, n)
	for i := range tags {
		tag, err := br.Exec()
		if err != nil {
			_ = br.Close() // gives the same error
			return tags[:i], err
		}
		tags[i] = tag
	}
	return tags, br.Close()
}

// notNull keeps a column that may be empty from being null.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
