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
	runs    bool          // guarded by running.mu
}

func newRunning() *running { return &running{keys: map[address]*turn{}} }

// enter gives a turn, or nil when the key runs here. While the first request still asks the store, others wait for its
// answer, at most for patience: if it gets the key they are in flight, and if it does not a record stands there, which all of
// them read side by side.
func (m *running) enter(ctx context.Context, at address, patience time.Duration) *turn {
	mine := &turn{at: at, decided: make(chan struct{})}
	first, inFlight := m.list(mine)
	if inFlight {
		return nil
	}
	if first == nil {
		return mine
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-first.decided:
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return nil
	}
	if m.runsNow(at) {
		return nil
	}
	return mine
}

// list enters mine when nobody else works on the key; otherwise it gives the other turn and whether that one runs.
func (m *running) list(mine *turn) (first *turn, inFlight bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first = m.keys[mine.at]; first != nil {
		return first, first.runs
	}
	m.keys[mine.at] = mine
	return nil, false
}

func (m *running) runsNow(at address) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.keys[at]
	return found != nil && found.runs
}

// claimed says that the store gave t the key: it runs until leave.
func (m *running) claimed(t *turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.runs = true
	m.keys[t.at] = t // also for a turn that was not listed because it came second
	close(t.decided)
}

// leave ends a turn, whether it ran or not.
func (m *running) leave(t *turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys[t.at] == t {
		delete(m.keys, t.at)
	}
	if !t.runs {
		close(t.decided)
	}
	t.runs = false
}
