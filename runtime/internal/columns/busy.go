package columns

import (
	"sync"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Busy knows which attempts of this process have a phase open whose isolation is stricter than read committed. A heartbeat changes
// the record's row, and such a phase could not be serialised after it: heartbeats let these leases be as long as there is time.
type Busy struct {
	mu     sync.Mutex
	tokens map[idem.UUID]bool
}

// NewBusy gives one that knows none.
func NewBusy() *Busy { return &Busy{tokens: map[idem.UUID]bool{}} }

// Enter is told that a phase of an attempt is open.
func (b *Busy) Enter(token idem.UUID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens[token] = true
}

// Leave is told that it is not any more, or that it is not strict.
func (b *Busy) Leave(token idem.UUID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.tokens, token)
}

// Is reports whether an attempt has such a phase.
func (b *Busy) Is(token idem.UUID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tokens[token]
}
