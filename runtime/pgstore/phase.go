package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// heldPhase is the transaction of a phase. It begins with the first statement.
type heldPhase struct {
	open
	lazy  *lazyTx
	lease idem.LeaseRef
}

// BeginPhase takes a connection for a phase. Nothing is sent: BEGIN rides with the first statement.
func (s *Store) BeginPhase(ctx context.Context, l idem.LeaseRef, o idem.BeginOptions) (idem.HeldPhase[pgx.Tx], error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("pgstore: begin phase: %w: %w", idem.ErrStoreUnavailable, err)
	}
	lazy := newLazyTx(conn.Conn(), o.IdleTimeout, s.busy, l.Token)
	return &heldPhase{open: open{store: s, conn: conn, tx: newHandlerTx(lazy)}, lazy: lazy, lease: l}, nil
}

// Commit records the phase and commits, in one round trip. Like every settling it does not end with ctx. A transaction that the
// handler left aborted, ended, or with results or nested transactions open is refused, as in a transactional completion; one that
// it ended itself makes the record's outcome unknown, since its writes stay and no later attempt could know of them.
func (h *heldPhase) Commit(ctx context.Context, p idem.PhaseRecord, outcome *idem.Completion) error {
	defer h.store.busy.Leave(h.lease.Token)
	if err := h.seize(ctx); err != nil {
		return fmt.Errorf("pgstore: commit phase %s: %w", p.Name, err)
	}
	ctx, cancel := settling(ctx)
	defer cancel()
	defer h.conn.Release()
	err := h.check(outcome)
	if err == nil {
		err = h.commit(ctx, p, outcome)
	}
	rollBack(ctx, h.conn)
	switch {
	case errors.Is(err, idem.ErrFenced):
		err = h.doubt(ctx, err)
	case errors.Is(err, idem.ErrPhaseTwice), errors.Is(err, idem.ErrSerialization):
		err = h.fencedOr(ctx, err)
	}
	if err != nil {
		return fmt.Errorf("pgstore: commit phase %s: %w", p.Name, err)
	}
	return nil
}

// Release rolls back.
func (h *heldPhase) Release(ctx context.Context) error {
	defer h.store.busy.Leave(h.lease.Token)
	if err := h.seize(ctx); err != nil {
		return fmt.Errorf("pgstore: release phase: %w", err)
	}
	ctx, cancel := settling(ctx)
	defer cancel()
	defer h.conn.Release()
	ended := h.lazy.ended()
	rollBack(ctx, h.conn)
	switch {
	case h.conn.Conn().IsClosed():
		return fmt.Errorf("pgstore: release phase: %w: the connection was lost", idem.ErrStoreUnavailable)
	case ended:
		return fmt.Errorf("pgstore: release phase: %w", h.doubt(ctx, errEnded))
	}
	return nil
}

// check says whether the phase was left in a state in which its result would be true.
func (h *heldPhase) check(outcome *idem.Completion) error {
	switch {
	case outcome != nil && !columns.IsOutcome(outcome.State):
		return fmt.Errorf("%w: %d", errNoOutcome, outcome.State)
	case h.conn.Conn().IsClosed():
		return fmt.Errorf("%w: the connection was lost", idem.ErrStoreUnavailable)
	case h.lazy.failed() != nil:
		return startError(h.lazy.failed())
	case h.status() == txAborted:
		return errAborted
	case h.lazy.ended():
		return errEnded
	case len(h.tx.guard.open) > 0:
		return errNested
	}
	return nil
}

// commit sends the phase's row, the fence and COMMIT.
func (h *heldPhase) commit(ctx context.Context, p idem.PhaseRecord, outcome *idem.Completion) error {
	b := &pgx.Batch{}
	if !h.lazy.begun() {
		h.lazy.queueBegin(b)
	}
	row := b.Len()
	b.Queue(pgsql.Phase, h.lease.RecordID.String(), p.Name, columns.NotNull(p.Result), h.store.clock())
	fence := b.Len()
	if outcome == nil {
		b.Queue(pgsql.KeepPhase, columns.AddressOf(h.lease)...)
	} else {
		args := append(columns.AddressOf(h.lease), int16(outcome.State))
		args = append(args, columns.OutcomeArgs(outcome)...)
		b.Queue(pgsql.CompletePhase, append(args, columns.RetentionMillis(outcome.Retention), h.store.clock())...)
	}
	b.Queue(pgsql.Commit)
	tags, err := results(h.conn.SendBatch(ctx, b), b.Len())
	switch {
	case err != nil && len(tags) == row && violatesPhaseName(err):
		return idem.ErrPhaseTwice
	case err != nil && len(tags) == fence && sqlstate(err) == pgsql.DivisionByZero:
		return fmt.Errorf("%w: %w", idem.ErrFenced, err)
	case stoodStill(sqlstate(err)):
		return fmt.Errorf("%w: %w", errStoodStill, err) // the lease may go on: its fence did not refuse
	case err != nil:
		return commitError(err, h.conn.Conn().IsClosed())
	case tags[len(tags)-1].String() != pgsql.CommitTag:
		return fmt.Errorf("%w: %w", idem.ErrFenced, errRolledBack)
	}
	return nil
}

// violatesPhaseName recognises the primary key of the phases. A handler's table may have any constraint, but not this statement.
func violatesPhaseName(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505" && pg.TableName == "idempotency_phases"
}

// doubt finds out why the fence refused. A record that is still held was refused because the handler had ended the transaction:
// its outcome becomes unknown. cause is given back, with what went wrong meanwhile.
func (h *heldPhase) doubt(ctx context.Context, cause error) error {
	tag, err := h.conn.Exec(ctx, pgsql.Doubt, append(columns.AddressOf(h.lease), h.store.clock())...)
	switch {
	case err != nil:
		return fmt.Errorf("%w; %w", cause, err)
	case tag.RowsAffected() > 0 && !errors.Is(cause, errEnded):
		return fmt.Errorf("%w: %w", errEnded, cause)
	}
	return cause
}

// fencedOr gives ErrFenced if the record is held no longer, else cause: the name may be a later attempt's, and what a transaction
// of the stricter isolation levels cannot see of a takeover is a failure to serialise.
func (h *heldPhase) fencedOr(ctx context.Context, cause error) error {
	var held bool
	err := h.conn.QueryRow(ctx, pgsql.Held, columns.AddressOf(h.lease)...).Scan(&held)
	switch {
	case err != nil:
		return fmt.Errorf("%w; %w", cause, err)
	case !held:
		return idem.ErrFenced // alone: cause is not what went wrong
	}
	return cause
}
