package memstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/idemgen/idemgen/runtime/idem"
)

// heldPhase is an open transaction of a phase.
type heldPhase struct {
	store *Store
	tx    *Tx
	lease idem.LeaseRef
}

// BeginPhase opens a transaction for a phase.
func (s *Store) BeginPhase(ctx context.Context, l idem.LeaseRef, _ idem.BeginOptions) (idem.HeldPhase[*Tx], error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("memstore: begin phase: %w", err)
	}
	return &heldPhase{store: s, tx: &Tx{}, lease: l}, nil
}

// Tx gives the phase's transaction.
func (h *heldPhase) Tx() *Tx { return h.tx }

// Commit runs the effects and records the phase. A caller that has gone does not undo it.
func (h *heldPhase) Commit(_ context.Context, p idem.PhaseRecord, outcome *idem.Completion) error {
	effects, err := h.tx.settle()
	if err != nil {
		return fmt.Errorf("memstore: commit phase %s: %w", p.Name, err)
	}
	if outcome != nil && !isOutcome(outcome.State) {
		return fmt.Errorf("memstore: commit phase %s: state %d is not an outcome", p.Name, outcome.State)
	}
	h.store.commits.Lock() // until the end: nobody takes the record over between the fence and the last effect
	defer h.store.commits.Unlock()
	r, err := h.fenced(p.Name)
	if err != nil {
		return fmt.Errorf("memstore: commit phase %s: %w", p.Name, err)
	}
	// Deferred: after an effect that panics some have happened, so the phase must not run again.
	defer h.publish(r, p, outcome)
	run(effects)
	return nil
}

// fenced gives the record, if the attempt still holds it and the phase is new to it.
func (h *heldPhase) fenced(name string) (*record, error) {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	r := h.store.records[addressOf(h.lease)]
	switch {
	case !r.holds(h.lease.Token):
		return nil, idem.ErrFenced
	case slices.ContainsFunc(r.phases, func(p idem.PhaseRecord) bool { return p.Name == name }):
		return nil, idem.ErrPhaseTwice
	}
	return r, nil
}

// publish records the phase, and the outcome if there is one.
func (h *heldPhase) publish(r *record, p idem.PhaseRecord, outcome *idem.Completion) {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	p.Result = bytes.Clone(p.Result)
	r.phases = append(r.phases, p)
	if outcome != nil {
		h.store.settle(r, outcome)
	}
}

// Release drops the effects: the phase has not happened.
func (h *heldPhase) Release(context.Context) error {
	if _, err := h.tx.settle(); err != nil {
		return fmt.Errorf("memstore: release phase: %w", err)
	}
	return nil
}
