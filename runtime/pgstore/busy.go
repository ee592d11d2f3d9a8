package pgstore

import (
	"sync"

	"github.com/idemgen/idemgen/runtime/idem"
)

// busy knows which attempts of this process have a phase open whose isolation is stricter than read committed. A heartbeat changes
// the record's row, and such a phase could not be serialised after it: heartbeats let these leases be as long as there is time.
type busy struct {
	mu     sync.Mutex
	tokens map[idem.UUID]bool
}

func newBusy() *busy { return &busy{tokens: map[idem.UUID]bool{}} }

func (b *busy) enter(token idem.UUID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens[token] = true
}

func (b *busy) leave(token idem.UUID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.tokens, token)
}

func (b *busy) is(token idem.UUID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tokens[token]
}
