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
	mu      sync.Mutex
	keys    map[address]*turn
	waiting int // requests that wait for the end of another one
}

// turn is one request's work on a key: first it asks the store, then it either runs or leaves. It has all its places or none.
type turn struct {
	places  []address     // the first one is its key's
	decided chan struct{} // closed when the store has answered
	over    chan struct{} // closed when the turn is left
	told    bool          // decided is closed; guarded by running.mu, like the rest
	found   found
	prior   Prior // what others find, once it is known that the key runs
}

// found is what the store answered to a turn.
type found uint8

const (
	foundNothing   found = iota // not yet, or a record, or an error: others ask by themselves
	foundOurs                   // the key is ours and runs
	foundElsewhere              // another process runs the key: others need not ask
)

func newRunning() *running { return &running{keys: map[address]*turn{}} }

// enter gives a turn, or nil and what stands there when the key is in flight. While the first request still asks the store, others
// wait for its answer, within a bound: if the key runs, here or elsewhere, they are in flight, and if it does not a record stands
// there, which all of them read side by side. One that is in flight waits for the end as w says, and then all begin anew: exactly
// one of them asks, and the others have its answer to go by.
func (m *running) enter(ctx context.Context, places []address, w *waiter) (*turn, Prior) {
	for {
		mine := &turn{places: places, decided: make(chan struct{}), over: make(chan struct{})}
		first := m.list(mine)
		if first == nil {
			return mine, Prior{}
		}
		if !w.hears(ctx, first.decided) {
			return nil, Prior{State: StateInFlight}
		}
		holder, prior := m.holder(first, mine)
		if holder == nil {
			return mine, Prior{}
		}
		if !w.outlasts(holder, &prior) {
			return nil, prior
		}
	}
}

// list enters mine, or gives the turn that came first at one of its places.
func (m *running) list(mine *turn) (first *turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range mine.places {
		if first = m.keys[at]; first != nil {
			return first
		}
	}
	m.set(mine)
	return nil
}

// set enters a turn at all its places, also at those of one that was listed before.
func (m *running) set(t *turn) {
	for _, at := range t.places {
		m.keys[at] = t
	}
}

// holder looks at what came of the first turn, and at one that was not listed and won since, and gives what mine finds there now: a
// turn that asks again changes that. Nil: the key does not run.
func (m *running) holder(first, mine *turn) (*turn, Prior) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first.found != foundNothing {
		return first, first.as(mine)
	}
	for _, at := range mine.places {
		if now := m.keys[at]; now != nil && now.found == foundOurs {
			return now, now.as(mine)
		}
	}
	return nil, Prior{}
}

// as is what a turn that shares a place with t finds there: by its key, or by its business key.
func (t *turn) as(finder *turn) Prior {
	prior := t.prior
	key := prior.Key
	if key == "" {
		key = t.places[0].key
	}
	prior.Business = key != finder.places[0].key
	return prior
}

// claimed says that the store gave t the key: it runs until leave, and others find prior.
func (m *running) claimed(t *turn, prior Prior) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.found, t.prior = foundOurs, prior
	m.set(t) // also for a turn that was not listed because it came second
	t.tell()
}

// elsewhere says that the store found the key in flight. The turn may ask again, and others then need not.
func (m *running) elsewhere(t *turn, prior Prior) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.found, t.prior = foundElsewhere, prior
	t.tell()
}

// leave ends a turn, whether it ran or not.
func (m *running) leave(t *turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range t.places {
		if m.keys[at] == t {
			delete(m.keys, at)
		}
	}
	t.tell()
	close(t.over)
}

func (t *turn) tell() {
	if !t.told {
		t.told = true
		close(t.decided)
	}
}

// admit counts one more request that waits, unless there are too many.
func (m *running) admit() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting >= maxWaiting {
		return false
	}
	m.waiting++
	return true
}

func (m *running) dismiss() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting--
}

// timeLeft is what remains until t; never negative.
func timeLeft(t time.Time) time.Duration { return max(time.Until(t), 0) }
