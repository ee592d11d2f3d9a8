package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
)

// held is the transaction of a transactional claim, or one without a claim.
type held struct {
	*open
	claim  *idem.Claim // nil without a claim
	queued []statement
}

var (
	_ idem.Held[*sql.Tx] = (*held)(nil)
	_ idem.Queuer        = (*held)(nil)
)

// Queue keeps a statement for the completion. It saves no round trip here: database/sql sends one statement at a time.
func (h *held) Queue(text string, args ...any) {
	h.queued = append(h.queued, statement{sql: text, args: args})
}

// Complete stores the outcome and commits. It does not end with ctx: the work is done, and a caller that went away must not undo it. An
// outcome is refused, and everything rolled back, when the handler left its transaction in a state in which the outcome would not be
// true: aborted, ended, or with a statement that still runs.
func (h *held) Complete(ctx context.Context, c idem.Completion) error {
	if err := h.seize(); err != nil {
		return fmt.Errorf("sqlstore: complete: %w", err)
	}
	ctx, cancel := settling(ctx)
	defer cancel()
	err := h.complete(ctx, c)
	_ = h.close()
	if err != nil {
		return fmt.Errorf("sqlstore: complete: %w", err)
	}
	return nil
}

// Release rolls back. The database does so by itself when the connection is lost.
func (h *held) Release(context.Context) error {
	if err := h.seize(); err != nil {
		return fmt.Errorf("sqlstore: release: %w", err)
	}
	if err := h.store.sort(atRelease, h.close()); err != nil {
		return fmt.Errorf("sqlstore: release: %w", err)
	}
	return nil
}

func (h *held) complete(ctx context.Context, c idem.Completion) error {
	if !columns.IsOutcome(c.State) {
		return fmt.Errorf("%w: %d", errNoOutcome, c.State)
	}
	if h.claim == nil {
		return h.endUnclaimed(ctx, c)
	}
	undo := c.RollBackWrites
	err := h.settle(ctx, c, undo)
	if h.store.failure(err) == failureAborted && !undo && c.State != idem.StateCompleted {
		undo = true
		err = h.settle(ctx, c, undo)
	}
	if err != nil {
		return h.store.workError(h.open, err)
	}
	if !undo {
		if err := h.sendQueued(ctx); err != nil {
			return err
		}
	}
	if err := h.commit(ctx); err != nil {
		return err
	}
	h.store.recent.Remember(h.claim)
	return nil
}

// settle writes the outcome under the claim. It comes before the statements that are queued: where the handler has ended its transaction
// they must not happen either.
func (h *held) settle(ctx context.Context, c idem.Completion, undo bool) error {
	t := h.store.dialect.texts()
	if undo {
		if err := h.atMark(ctx, t.rollBackToMark); err != nil {
			return err
		}
	}
	args := []any{columns.ScopesOf(h.claim)[0], h.claim.Keyspace, h.claim.Key, h.claim.Token.String(), int16(c.State)}
	args = append(append(args, columns.OutcomeArgs(&c)...), h.store.clock())
	return h.fence(ctx, t.complete, args...)
}

// atMark runs a statement about the mark that was set before the handler began. Where that is gone, so is the transaction.
func (o *open) atMark(ctx context.Context, text string) error {
	_, err := o.tx.ExecContext(ctx, text)
	if err != nil && o.store.failure(err) == failureOther {
		return fmt.Errorf("%w: %w", errEnded, err)
	}
	return err
}

// fence runs a statement that must touch a row, in the transaction that the handler was given.
func (o *open) fence(ctx context.Context, text string, args ...any) error {
	if unmark := o.store.dialect.texts().unmark; unmark != "" {
		if err := o.atMark(ctx, unmark); err != nil {
			return err
		}
	}
	n, err := exec(ctx, o.tx, text, args...)
	if err == nil && n != 1 {
		return idem.ErrFenced
	}
	return err
}

// endUnclaimed ends a transaction that stores nothing.
func (h *held) endUnclaimed(ctx context.Context, c idem.Completion) error {
	undo := c.RollBackWrites
	if !undo {
		err := h.probe(ctx)
		undo = h.store.failure(err) == failureAborted && c.State != idem.StateCompleted
		if err != nil && !undo {
			return h.store.workError(h.open, err)
		}
	}
	if undo {
		return h.store.sort(atRelease, h.rollBack())
	}
	if err := h.sendQueued(ctx); err != nil {
		return err
	}
	return h.commit(ctx)
}

// probe fails where the transaction was ended or aborted.
func (h *held) probe(ctx context.Context) error {
	t := h.store.dialect.texts()
	if t.unmark != "" {
		return h.atMark(ctx, t.unmark)
	}
	return h.atMark(ctx, t.mark)
}

func (h *held) sendQueued(ctx context.Context) error {
	for _, st := range h.queued {
		if _, err := h.tx.ExecContext(ctx, st.sql, st.args...); err != nil {
			return h.store.workError(h.open, err)
		}
	}
	return nil
}
