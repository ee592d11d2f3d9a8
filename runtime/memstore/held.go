package memstore

import (
	"context"
	"fmt"
	"sync"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Tx is what a handler works with in place of a database transaction: it collects effects that happen when it commits.
type Tx struct {
	mu      sync.Mutex
	effects []func()
	settled bool
}

// OnCommit makes effect part of the transaction. Effects run when it commits, in the order in which they were given; they must
// not panic and must not settle a transaction of the same store. It panics with idem.ErrSettled when the transaction is over:
// such an effect would belong to nothing.
func (t *Tx) OnCommit(effect func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.settled {
		panic(fmt.Errorf("memstore: OnCommit: %w", idem.ErrSettled))
	}
	t.effects = append(t.effects, effect)
}

// settle ends the transaction for everybody but its caller, who gets the effects.
func (t *Tx) settle() ([]func(), error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.settled {
		return nil, idem.ErrSettled
	}
	t.settled = true
	return t.effects, nil
}

// held is an open transaction; mine is nil when it has no claim.
type held struct {
	store *Store
	tx    *Tx
	at    address
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
	if c.State != idem.StateCompleted && c.State != idem.StateFailedReplayable {
		h.forget()
		return fmt.Errorf("memstore: complete: state %d is not an outcome", c.State)
	}
	if c.RollBackWrites {
		effects = nil
	}
	// Deferred: after an effect that panics some have happened, so the key must not become free.
	defer h.publish(c)
	h.store.commits.Lock()
	defer h.store.commits.Unlock()
	for _, effect := range effects {
		effect()
	}
	return nil
}

// publish turns the claim into an outcome that others see.
func (h *held) publish(c idem.Completion) {
	if h.mine == nil {
		return
	}
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.mine.state = c.State
	h.mine.response = copyResponse(c.Response)
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

// forget takes the claim out of the map. An expired record that the claim replaced does not come back: it was absent.
func (h *held) forget() {
	if h.mine == nil {
		return
	}
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	delete(h.store.records, h.at)
	close(h.mine.settled)
}
