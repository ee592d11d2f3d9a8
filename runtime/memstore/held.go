package memstore

import (
	"context"
	"fmt"
	"maps"

	"github.com/idemgen/idemgen/runtime/idem"
)

// held is an open transaction; mine is nil when it has no claim.
type held struct {
	store *Store
	tx    *Tx
	mine  *record
}

// Tx gives the handler's transaction.
func (h *held) Tx() *Tx { return h.tx }

// Complete runs the effects and stores the outcome. A caller that has gone does not undo it.
func (h *held) Complete(_ context.Context, c idem.Completion) error {
	effects, err := h.tx.settle()
	if err != nil {
		return fmt.Errorf("memstore: complete: %w", err)
	}
	if !isOutcome(c.State) {
		h.forget()
		return fmt.Errorf("memstore: complete: state %d is not an outcome", c.State)
	}
	if c.RollBackWrites {
		effects = nil
	}
	c.Retention = 0 // it counts from the claim
	// Deferred: after an effect that panics some have happened, so the key must not become free.
	defer h.publish(&c)
	h.store.commits.Lock()
	defer h.store.commits.Unlock()
	run(effects)
	return nil
}

// publish turns the claim into an outcome that others see.
func (h *held) publish(c *idem.Completion) {
	if h.mine == nil {
		return
	}
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.store.settle(h.mine, c)
	h.mine.replaced = nil
	close(h.mine.settled)
}

// Release drops the effects and frees the key.
func (h *held) Release(context.Context) error {
	if _, err := h.tx.settle(); err != nil {
		return fmt.Errorf("memstore: release: %w", err)
	}
	h.forget()
	return nil
}

// forget takes the claim back.
func (h *held) forget() {
	if h.mine == nil {
		return
	}
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.store.remove(h.mine)
	maps.Copy(h.store.records, h.mine.replaced)
	close(h.mine.settled)
}
