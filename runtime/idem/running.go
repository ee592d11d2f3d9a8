package idem

import (
	"context"
	"sync"
	"time"
)

// address is where a record stands: the primary key.
type address struct{ scope, keyspace, key string }

// running knows the keys that this process is working on, so that a storm of duplicates takes no connection: it has cut
// unrelated traffic to a thirtieth where every duplicate held one while it waited.
type running struct {
	mu   sync.Mutex
	keys map[address]*turn
}

// turn is one request's work on a key: first it asks the store, then it either runs or leaves.
type turn struct {
	at      address
	decided chan struct{} // closed when the store has answered
	found   found         // guarded by running.mu
	prior   Prior         // what others find, once it is known that the key runs
}

// found is what the store answered to a turn.
type found uint8

const (
	foundNothing   found = iota // not yet, or a record, or an error: others ask by themselves
	foundOurs                   // the key is ours and runs
	foundElsewhere              // another process runs the key: others need not ask
)

func newRunning() *running { return &running{keys: map[address]*turn{}} }

// enter gives a turn, or nil and what stands there when the key is in flight. While the first request still asks the store, others wait for its
// answer, at most for patience: if the key runs, here or elsewhere, they are in flight, and if it does not a record stands
// there, which all of them read side by side.
func (m *running) enter(ctx context.Context, at address, patience time.Duration) (*turn, Prior) {
	mine := &turn{at: at, decided: make(chan struct{})}
	first := m.list(mine)
	if first == nil {
		return mine, Prior{}
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-first.decided:
	case <-timer.C:
		return nil, Prior{State: StateInFlight}
	case <-ctx.Done():
		return nil, Prior{State: StateInFlight}
	}
	if running := m.inFlight(first); running != nil {
		return nil, running.prior
	}
	return mine, Prior{}
}

// list enters mine, or gives the turn that came first.
func (m *running) list(mine *turn) (first *turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first = m.keys[mine.at]; first == nil {
		m.keys[mine.at] = mine
	}
	return first
}

// inFlight looks at what came of the first turn, and at one that was not listed and won since. Nil: the key does not run.
func (m *running) inFlight(first *turn) *turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first.found != foundNothing {
		return first
	}
	if now := m.keys[first.at]; now != nil && now.found == foundOurs {
		return now
	}
	return nil
}

// claimed says that the store gave t the key: it runs until leave, and others find prior.
func (m *running) claimed(t *turn, prior Prior) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.found, t.prior = foundOurs, prior
	m.keys[t.at] = t // also for a turn that was not listed because it came second
	close(t.decided)
}

// elsewhere says that the store found the key in flight; leave follows.
func (m *running) elsewhere(t *turn, prior Prior) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.found, t.prior = foundElsewhere, prior
}

// leave ends a turn, whether it ran or not.
func (m *running) leave(t *turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys[t.at] == t {
		delete(m.keys, t.at)
	}
	if t.found != foundOurs {
		close(t.decided)
	}
}
