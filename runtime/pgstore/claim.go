package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// attempt is one call of Claim or ClaimLease on its connection.
type attempt struct {
	store *Store
	conn  *pgxpool.Conn
	claim *idem.Claim
	mode  idem.ExecutionMode
	tx    pgx.Tx // of a transactional claim that won
}

// run claims, or gives what stands there, and decides anew as long as that changes between the two.
func (a *attempt) run(ctx context.Context) (won bool, prior idem.Prior, err error) {
	var found columns.Sight
	if !a.store.recent.Knows(a.claim) {
		if won, err := a.take(ctx, &found); won || err != nil {
			return won, a.won(1), err
		}
	}
	for range claimRounds {
		if found, err = a.look(ctx); err != nil {
			return false, idem.Prior{}, err
		}
		if prior, stands := found.Standing(); stands {
			return a.meet(prior)
		}
		if found.Spent(a.claim) {
			return false, idem.Prior{}, errSpent
		}
		if won, err := a.take(ctx, &found); won || err != nil {
			return won, a.won(1), err
		}
	}
	return false, idem.Prior{}, fmt.Errorf("%w: the record changed %d times while it was read", idem.ErrSerialization, claimRounds)
}

// meet says what a record in the claim's way is to it.
func (a *attempt) meet(prior idem.Prior) (won bool, _ idem.Prior, err error) {
	if !prior.Business {
		a.store.recent.Remember(a.claim)
	}
	if a.mode == idem.Leased && prior.State == idem.StateInFlight && prior.Token == a.claim.Token {
		return true, a.won(prior.Attempt), nil // the answer of an earlier try was lost
	}
	return false, prior, nil
}

// won is what a successful claim reports.
func (a *attempt) won(attempt int) idem.Prior {
	return idem.Prior{
		State: idem.StateAbsent, Operation: a.claim.Operation, RecordID: a.claim.RecordID, Token: a.claim.Token, Attempt: attempt,
	}
}

// take asks for every row of the claim in one round trip: for each one that was found to be as good as absent by a takeover, for
// the others by an insert. A transactional claim that won leaves its transaction open, with the savepoint after it; a leased one
// is committed.
func (a *attempt) take(ctx context.Context, found *columns.Sight) (won bool, err error) {
	rows := a.rows(found)
	if a.mode == idem.Leased && len(rows) == 1 {
		tag, err := a.conn.Exec(ctx, rows[0].sql, rows[0].args...) // commits by itself
		return tag.RowsAffected() == 1, err
	}
	b := &pgx.Batch{}
	b.BeginTx(pgx.TxOptions{})
	for _, r := range rows {
		b.Queue(r.sql, r.args...)
	}
	if a.mode == idem.Leased {
		a.queueCommit(b)
	} else {
		b.Queue(pgsql.Savepoint)
	}
	br := a.conn.SendBatch(ctx, b)
	tags, err := results(br, b.Len())
	if a.mode == idem.Leased && sqlstate(err) == pgsql.DivisionByZero && len(tags) == len(rows)+1 {
		return false, nil // a row belongs to another record
	}
	if err != nil {
		return false, err
	}
	for i, r := range rows {
		if r.needed && tags[1+i].RowsAffected() != 1 {
			return false, nil
		}
	}
	a.tx = br.Tx()
	return true, nil
}

// queueCommit ends a leased claim of several rows.
func (a *attempt) queueCommit(b *pgx.Batch) {
	c := a.claim
	scopes := columns.ScopesOf(c)
	rows := len(scopes)
	if c.Business != nil {
		rows *= 2
	}
	b.Queue(pgsql.AllOrNothing, scopes, c.Keyspace, c.Key, c.Token.String(), c.Business, c.RecordID.String(), int64(rows))
	b.Queue(pgsql.Commit)
}

// look ends the transaction and reads everything that the claim could have run into, in one round trip where no row leads to
// another one. Nearly always there is an outcome, and the claim is done with.
func (a *attempt) look(ctx context.Context) (columns.Sight, error) {
	if a.conn.Conn().PgConn().TxStatus() == txAborted {
		rollBack(ctx, a.conn) // by itself: an aborted transaction refuses to prepare what follows
	}
	c, scopes := a.claim, columns.ScopesOf(a.claim)
	b := &pgx.Batch{}
	ends := a.conn.Conn().PgConn().TxStatus() != txIdle
	if ends {
		b.Queue(pgsql.Rollback) // first: rows that this claim did get must not be seen
	}
	for _, scope := range scopes {
		b.Queue(pgsql.Select, scope, c.Keyspace, c.Key, a.store.clock())
	}
	if c.Business != nil {
		for _, scope := range scopes {
			b.Queue(pgsql.SelectBusiness, scope, c.Keyspace, c.Business)
		}
	}
	br := a.conn.SendBatch(ctx, b)
	var err error
	if ends {
		_, err = br.Exec()
	}
	var found columns.Sight
	if err == nil {
		found, err = scanSight(br, c, scopes)
	}
	if err := closeBatch(br, err); err != nil {
		return columns.Sight{}, err
	}
	return found, a.store.follow(ctx, a.conn, &found, c.Keyspace)
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
