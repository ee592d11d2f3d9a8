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
		return s.beginOn(ctx, isolation)
	}
	turn, err := s.writers.take(ctx, c, s.lockWait)
	if err != nil {
		return nil, err
	}
	o, err := s.beginLocked(ctx, isolation)
	if err != nil {
		turn.leave()
		return nil, err
	}
	o.turn = turn
	return o, nil
}

// beginLocked opens a transaction that has the write lock, for which it waits as long as other processes have it, up to the bound.
func (s *Store) beginLocked(ctx context.Context, isolation sql.IsolationLevel) (*open, error) {
	bounded, cancel := context.WithTimeout(ctx, s.lockWait)
	defer cancel()
	for round := 0; ; round++ {
		o, err := s.beginOn(ctx, isolation)
		if err == nil {
			if _, err = o.tx.ExecContext(bounded, s.dialect.texts().lock); err == nil {
				return o, nil
			}
			_ = o.close()
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case bounded.Err() == nil && s.failure(err) != failureSerialization:
			return nil, err
		case sleep(bounded, lockPause(round)) != nil:
			return nil, fmt.Errorf("%w: %w, for %v", idem.ErrStoreUnavailable, errBusy, s.lockWait)
		}
	}
}

// beginOn opens a transaction on a connection of the pool.
func (s *Store) beginOn(ctx context.Context, isolation sql.IsolationLevel) (*open, error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", idem.ErrStoreUnavailable, err)
	}
	o := &open{store: s, conn: conn}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	o.cancel = cancel
	o.stay = context.AfterFunc(ctx, o.cancel)
	if o.tx, err = conn.BeginTx(life, &sql.TxOptions{Isolation: isolation}); err != nil {
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
		if o.store.dialect.single() { // SQLite leaves a transaction open whose commit it refuses, and so do some drivers
			o.spoil()
		}
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
