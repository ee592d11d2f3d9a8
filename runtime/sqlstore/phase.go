package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
)

// heldPhase is the transaction of a phase.
type heldPhase struct {
	*open
	lease idem.LeaseRef
}

var _ idem.HeldPhase[*sql.Tx] = (*heldPhase)(nil)

// BeginPhase opens a transaction for a phase.
func (s *Store) BeginPhase(ctx context.Context, l idem.LeaseRef, b idem.BeginOptions) (idem.HeldPhase[*sql.Tx], error) {
	s.busy.Enter(l.Token) // until its isolation is known: a heartbeat that came between would be too early to be told
	o, err := s.begin(ctx, nil, sql.LevelDefault)
	if err == nil {
		var busy bool
		if busy, err = s.dialect.begin(ctx, o.tx, b.IdleTimeout, true); err != nil {
			_ = o.close()
		} else {
			err = o.keep(ctx)
		}
		if !busy {
			s.busy.Leave(l.Token)
		}
	}
	if err != nil {
		s.busy.Leave(l.Token)
		return nil, fmt.Errorf("sqlstore: begin phase: %w", s.startError(err))
	}
	return &heldPhase{open: o, lease: l}, nil
}

// Commit records the phase and commits. Like every settling it does not end with ctx. A transaction that the handler left aborted or
// ended is refused, as in a transactional completion; one that it ended itself makes the record's outcome unknown, since its writes stay
// and no later attempt could know of them.
func (h *heldPhase) Commit(ctx context.Context, p idem.PhaseRecord, outcome *idem.Completion) error {
	defer h.store.busy.Leave(h.lease.Token)
	if err := h.seize(); err != nil {
		return fmt.Errorf("sqlstore: commit phase %s: %w", p.Name, err)
	}
	ctx, cancel := settling(ctx)
	defer cancel()
	err := h.record(ctx, p, outcome)
	if err == nil {
		err = h.commit(ctx)
	}
	_ = h.close()
	switch {
	case errors.Is(err, errStoodStill): // the lease may go on: its fence did not refuse
	case errors.Is(err, idem.ErrFenced):
		err = h.doubt(ctx, err)
	case errors.Is(err, idem.ErrSerialization):
		err = h.fencedOr(ctx, err)
	}
	if err != nil {
		return fmt.Errorf("sqlstore: commit phase %s: %w", p.Name, err)
	}
	return nil
}

// Release rolls back.
func (h *heldPhase) Release(ctx context.Context) error {
	defer h.store.busy.Leave(h.lease.Token)
	if err := h.seize(); err != nil {
		return fmt.Errorf("sqlstore: release phase: %w", err)
	}
	err := h.store.sort(atRelease, h.close())
	if errors.Is(err, errEnded) {
		ctx, cancel := settling(ctx)
		defer cancel()
		err = h.doubt(ctx, err)
	}
	if err != nil {
		return fmt.Errorf("sqlstore: release phase: %w", err)
	}
	return nil
}

// record writes that the phase has happened, after the fence: where the handler has ended its transaction that must not be written either.
func (h *heldPhase) record(ctx context.Context, p idem.PhaseRecord, outcome *idem.Completion) error {
	if outcome != nil && !columns.IsOutcome(outcome.State) {
		return fmt.Errorf("%w: %d", errNoOutcome, outcome.State)
	}
	t, s := h.store.dialect.texts(), h.store
	text, args := t.keepPhase, columns.AddressOf(h.lease)
	if outcome != nil {
		text, args = t.completePhase, append(append(args, int16(outcome.State)), columns.OutcomeArgs(outcome)...)
		args = append(args, columns.RetentionMillis(outcome.Retention), s.clock())
	}
	err := h.fence(ctx, text, args...)
	if s.failure(err) == failureStoodStill {
		return fmt.Errorf("%w: %w", errStoodStill, err)
	}
	if err != nil {
		return s.workError(h.open, err)
	}
	n, err := exec(ctx, h.tx, t.phase, h.lease.RecordID.String(), p.Name, columns.NotNull(p.Result), s.clock())
	switch {
	case s.failure(err) == failureDuplicate, err == nil && n == 0:
		return idem.ErrPhaseTwice
	case err != nil:
		return s.workError(h.open, err)
	}
	return nil
}

// doubt finds out why the fence refused. A record that is still held was refused because the handler had ended the transaction:
// its outcome becomes unknown. cause is given back, with what went wrong meanwhile.
func (h *heldPhase) doubt(ctx context.Context, cause error) error {
	s := h.store
	n, err := s.change(ctx, nil, s.dialect.texts().doubt, append(columns.AddressOf(h.lease), s.clock())...)
	switch {
	case err != nil:
		return fmt.Errorf("%w; %w", cause, err)
	case n > 0 && !errors.Is(cause, errEnded):
		return fmt.Errorf("%w: %w", errEnded, cause)
	}
	return cause
}

// fencedOr gives ErrFenced if the record is held no longer, else cause: what a transaction of the stricter isolation levels cannot see
// of a takeover is a failure to serialise.
func (h *heldPhase) fencedOr(ctx context.Context, cause error) error {
	var held bool
	err := h.store.db.QueryRowContext(ctx, h.store.dialect.texts().held, columns.AddressOf(h.lease)...).Scan(&held)
	switch {
	case err != nil:
		return fmt.Errorf("%w; %w", cause, err)
	case !held:
		return idem.ErrFenced // alone: cause is not what went wrong
	}
	return cause
}
