package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// held is the transaction of a transactional claim, or one without a claim.
type held struct {
	open
	claim  *idem.Claim // nil without a claim
	queued []statement
}

var _ idem.Queuer = (*held)(nil)

// Queue keeps a statement for the round trip of the completion. Its text is one statement, and of pgx's options it may have a
// QueryRewriter (pgx.NamedArgs).
func (h *held) Queue(sql string, args ...any) {
	h.queued = append(h.queued, statement{sql: sql, args: args})
}

// Complete stores the outcome and commits. It does not end with ctx: the work is done, and a caller that went away must not undo
// it. An outcome is refused, and everything rolled back, when the handler left its transaction in a state in which the outcome
// would not be true: aborted, ended, with results or nested transactions open.
func (h *held) Complete(ctx context.Context, c idem.Completion) error {
	if err := h.seize(ctx); err != nil {
		return fmt.Errorf("pgstore: complete: %w", err)
	}
	ctx, cancel := settling(ctx)
	defer cancel()
	err := h.complete(ctx, c)
	rollBack(ctx, h.conn)
	h.conn.Release()
	if err != nil {
		return fmt.Errorf("pgstore: complete: %w", err)
	}
	return nil
}

// Release rolls back. The server does so by itself when the connection is lost.
func (h *held) Release(ctx context.Context) error {
	if err := h.seize(ctx); err != nil {
		return fmt.Errorf("pgstore: release: %w", err)
	}
	ended := h.status() == txIdle
	rollBack(ctx, h.conn)
	closed := h.conn.Conn().IsClosed()
	h.conn.Release()
	switch {
	case ended:
		return fmt.Errorf("pgstore: release: %w", errEnded)
	case closed:
		return fmt.Errorf("pgstore: release: %w: the connection was lost", idem.ErrStoreUnavailable)
	}
	return nil
}

func (h *held) complete(ctx context.Context, c idem.Completion) error {
	if !columns.IsOutcome(c.State) {
		return fmt.Errorf("%w: %d", errNoOutcome, c.State)
	}
	rollBackWrites := c.RollBackWrites
	switch status := h.status(); {
	case status == txIdle:
		return errEnded
	case status == txAborted && !rollBackWrites && c.State == idem.StateCompleted:
		return errAborted // its writes are lost, so it has not succeeded
	case status == txAborted:
		return h.completeAborted(ctx, c)
	case len(h.tx.guard.open) > 0 && !rollBackWrites:
		return errNested
	}
	if h.claim == nil {
		return h.endUnclaimed(ctx, rollBackWrites)
	}
	return h.settle(ctx, c, rollBackWrites)
}

// completeAborted stores a failure without the writes. Going back to the savepoint is a round trip of its own: an aborted
// transaction refuses to prepare the statements that follow.
func (h *held) completeAborted(ctx context.Context, c idem.Completion) error {
	if h.claim == nil {
		return h.endUnclaimed(ctx, true)
	}
	if _, err := h.conn.Exec(ctx, pgsql.RollBackToClaim); err != nil {
		return startError(err)
	}
	h.queued = nil // writes like those that were rolled back
	return h.settle(ctx, c, false)
}

// endUnclaimed ends a transaction that stores nothing.
func (h *held) endUnclaimed(ctx context.Context, undo bool) error {
	if undo {
		if _, err := h.conn.Exec(ctx, pgsql.Rollback); err != nil {
			return startError(err)
		}
		return nil
	}
	b := &pgx.Batch{}
	h.queue(b)
	b.Queue(pgsql.Commit)
	tags, err := results(h.conn.SendBatch(ctx, b), b.Len())
	switch {
	case err != nil:
		return commitError(err, h.conn.Conn().IsClosed())
	case tags[len(tags)-1].String() != pgsql.CommitTag:
		return errRolledBack
	}
	return nil
}

// settle writes the outcome under the claim and commits, in one round trip.
func (h *held) settle(ctx context.Context, c idem.Completion, undo bool) error {
	b := &pgx.Batch{}
	if undo {
		b.Queue(pgsql.RollBackToClaim)
	} else {
		h.queue(b)
	}
	fence := b.Len()
	b.Queue(pgsql.Complete, columns.ScopesOf(h.claim)[0], h.claim.Keyspace, h.claim.Key, h.claim.Token.String(), int16(c.State),
		int32(c.Response.Status), columns.EncodeHeaders(c.Response.Header), columns.BodyOf(&c), h.store.clock())
	b.Queue(pgsql.Commit)
	tags, err := results(h.conn.SendBatch(ctx, b), b.Len())
	switch {
	case err != nil && sqlstate(err) == pgsql.DivisionByZero && len(tags) == fence:
		return fmt.Errorf("%w: %w", idem.ErrFenced, err)
	case err != nil:
		return commitError(err, h.conn.Conn().IsClosed())
	case tags[len(tags)-1].String() != pgsql.CommitTag:
		return fmt.Errorf("%w: %w", idem.ErrFenced, errRolledBack)
	}
	h.store.recent.Remember(h.claim)
	return nil
}

func (h *held) queue(b *pgx.Batch) {
	for _, st := range h.queued {
		b.Queue(st.sql, st.args...)
	}
}
