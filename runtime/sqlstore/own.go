package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// serializeRounds and serializePause bound how often a whole transaction of the store's own is repeated.
const (
	serializeRounds = 10
	serializePause  = 5 * time.Millisecond
)

// inOwn runs work in one transaction of the store's own. Its isolation is read committed, whatever the pool's default is: it decides on
// locked rows and needs no snapshot; in the stricter levels it would make the handlers' transactions fail.
func (s *Store) inOwn(ctx context.Context, work func(*sql.Tx) error) error {
	return s.again(ctx, func() error {
		o, err := s.begin(ctx, nil, s.dialect.ownIsolation())
		if err != nil {
			return err
		}
		if err = work(o.tx); err == nil {
			err = o.commit(ctx)
		}
		_ = o.close()
		return err
	})
}

// change runs one statement that commits by itself, and says how many rows it touched. c is the claim that it belongs to, or nil.
func (s *Store) change(ctx context.Context, c *idem.Claim, text string, args ...any) (n int64, err error) {
	if s.dialect.single() {
		o, err := s.begin(ctx, c, sql.LevelDefault)
		if err != nil {
			return 0, err
		}
		if n, err = exec(ctx, o.tx, text, args...); err == nil {
			err = o.commit(ctx)
		}
		_ = o.close()
		return n, err
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", idem.ErrStoreUnavailable, err)
	}
	o := &open{store: s, conn: conn}
	defer func() { _ = conn.Close() }()
	if n, err = exec(ctx, conn, text, args...); err == nil {
		return n, nil
	}
	if f := s.failure(err); (f == failureNone || f == failureUnavailable) && !o.alive(ctx) {
		return 0, fmt.Errorf("%w: %w", idem.ErrCommitUnknown, err) // it commits by itself: it may have happened
	}
	return 0, err
}

// again repeats a transaction of the store's own that could not be serialised: nothing of it has happened.
func (s *Store) again(ctx context.Context, f func() error) (err error) {
	for round := range serializeRounds {
		err = f()
		if !errors.Is(err, idem.ErrSerialization) && (err == nil || s.failure(err) != failureSerialization) {
			return err
		}
		if sleep(ctx, time.Duration(round)*serializePause) != nil {
			return err
		}
	}
	return err
}

// settling gives what settles its time. A caller that has gone does not end it, but one that is to say when does.
func settling(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add(settleTimeout)
	if deadline, given := ctx.Deadline(); given && ctx.Err() == nil && deadline.Before(end) {
		end = deadline
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
}
