package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// open is a transaction on a connection of its own. The transaction does not end with the context of whoever began it.
type open struct {
	store   *Store
	conn    *sql.Conn
	tx      *sql.Tx
	life    context.Context
	cancel  context.CancelFunc // ends the transaction, and what still runs of it where the driver can
	stay    func() bool        // stops ending it with the caller's context
	turn    *turn              // among this process's writers; nil where they need none
	settled atomic.Bool

	undone  sync.Once
	undoing error // how the rolling back went
}

// begin opens a transaction. In a database with one writer it has the write lock when it is there.
func (s *Store) begin(ctx context.Context, c *idem.Claim, isolation sql.IsolationLevel) (*open, error) {
	if !s.dialect.single() {
		return s.beginOn(ctx, s.db, isolation)
	}
	turn, err := s.writers.take(ctx, c, s.lockWait)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(s.lockWait)
	for round := 0; ; round++ {
		o, err := s.beginOn(ctx, s.db, isolation)
		if err == nil {
			o.turn = turn
			return o, nil
		}
		if s.failure(err) != failureSerialization || time.Now().After(deadline) {
			turn.leave()
			if s.failure(err) == failureSerialization {
				return nil, fmt.Errorf("%w: %w: %w", idem.ErrStoreUnavailable, errBusy, err)
			}
			return nil, err
		}
		if err := sleep(ctx, lockPause(round)); err != nil {
			turn.leave()
			return nil, err
		}
	}
}

// beginOn opens a transaction and, where the dialect has one, takes its write lock.
func (s *Store) beginOn(ctx context.Context, db *sql.DB, isolation sql.IsolationLevel) (*open, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", idem.ErrStoreUnavailable, err)
	}
	o := &open{store: s, conn: conn}
	o.life, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	o.stay = context.AfterFunc(ctx, o.cancel)
	if o.tx, err = conn.BeginTx(o.life, &sql.TxOptions{Isolation: isolation}); err == nil && s.dialect.texts().lock != "" {
		_, err = o.tx.ExecContext(ctx, s.dialect.texts().lock)
	}
	if err != nil {
		_ = o.close()
		return nil, errors.Join(ctx.Err(), err)
	}
	return o, nil
}

// keep hands the transaction to a handler: from now on only settling ends it.
func (o *open) keep(ctx context.Context) error {
	if o.stay() {
		return nil
	}
	_ = o.close()
	return ctx.Err()
}

// Tx gives the handler's transaction.
func (o *open) Tx() *sql.Tx { return o.tx }

// seize takes the transaction out of the handler's hands. When the handler still runs a statement the transaction is given up, and
// ends with that statement.
func (o *open) seize() error {
	if o.settled.Swap(true) {
		return idem.ErrSettled
	}
	free := make(chan struct{})
	go func() { // a connection cannot be waited for with a bound
		_ = o.conn.Raw(func(any) error { return nil })
		close(free)
	}()
	timer := time.NewTimer(runningBound)
	defer timer.Stop()
	select {
	case <-free:
		return nil
	case <-timer.C:
		go func() { _ = o.close() }()
		return errRunning
	}
}

// commit sends the commit, which ends with ctx: database/sql gives it no context of its own.
func (o *open) commit(ctx context.Context) error {
	defer context.AfterFunc(ctx, o.cancel)()
	if err := o.tx.Commit(); err != nil {
		err = o.store.commitError(ctx, o, err)
		o.spoil()
		return err
	}
	return nil
}

// close ends whatever transaction the connection is in and gives it back, and says how the rolling back went. A connection that could
// not say how it stands is closed.
func (o *open) close() (err error) {
	if o.tx != nil {
		err = o.rollBack()
	}
	if o.tx == nil || err != nil && !errors.Is(err, sql.ErrTxDone) {
		o.spoil()
	}
	_ = o.conn.Close() // says that it is closed
	o.stay()
	o.cancel()
	o.turn.leave()
	return err
}

// spoil makes the connection one that is closed and not given back: a transaction may still be open on it.
func (o *open) spoil() { _ = o.conn.Raw(func(any) error { return driver.ErrBadConn }) }

// rollBack ends the transaction if nobody has ended it, and says how that went, again to who asks later.
func (o *open) rollBack() error {
	o.undone.Do(func() { o.undoing = o.tx.Rollback() })
	return o.undoing
}

// alive asks whether the connection still answers. The transaction has to be over: a connection that turns out to be lost is waited for
// by database/sql until it is.
func (o *open) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), aliveBound)
	defer cancel()
	return o.conn.PingContext(ctx) == nil
}

// sleep waits, unless ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
