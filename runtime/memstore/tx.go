package memstore

import (
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
// not panic and may call nothing of the same store but Claim and Lookup. It panics with idem.ErrSettled when the transaction is
// over: such an effect would belong to nothing.
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

func run(effects []func()) {
	for _, effect := range effects {
		effect()
	}
}
