package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
)

// writers are the transactions of this process that want to write to a database which has one writer at a time. They come in the order
// in which they asked, and wait here, where waiting costs nothing, instead of asking the database again and again. Between processes
// the database's own lock stands.
type writers struct {
	mu     sync.Mutex
	holder *turn // who writes; nil: nobody
	queue  []*turn
}

// turn is one writer's. A nil turn is that of a database that needs none.
type turn struct {
	writers *writers
	claim   *idem.Claim   // nil when it claims nothing
	ready   chan struct{} // closed when it has come
	gone    chan struct{} // closed when it is over
}

// errInFlight: a transaction of this process runs under the claim's key.
var errInFlight = errors.New("the key is in flight in this process")

// overlapPause is how often a claim that waits looks whether it waits for one like itself.
const overlapPause = 10 * time.Millisecond

// take waits for the turn. A claim that meets one of its own keys waits as long as it asks to, and then gets errInFlight. Who waits for
// others waits up to bound; then the database is unavailable. c is nil for what claims nothing.
func (w *writers) take(ctx context.Context, c *idem.Claim, bound time.Duration) (*turn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var patience time.Duration
	if c != nil {
		patience = c.LockTimeout
	}
	t := w.join(c)
	asked := time.Now()
	look := time.NewTimer(max(patience, 0))
	defer look.Stop()
	for {
		select {
		case <-t.ready:
			return t, nil
		case <-ctx.Done():
			t.leave()
			return nil, ctx.Err()
		case <-look.C:
		}
		if err := t.tired(time.Since(asked), max(bound, patience)); err != nil {
			t.leave()
			return nil, err
		}
		look.Reset(overlapPause)
	}
}

// tired says why a turn should not be waited for any longer. One that has come meanwhile is no reason.
func (t *turn) tired(waited, bound time.Duration) error {
	w := t.writers
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !slices.Contains(w.queue, t):
		return nil
	case overlap(w.holder.claim, t.claim):
		return errInFlight
	case waited >= bound:
		return fmt.Errorf("%w: %w, for %v", idem.ErrStoreUnavailable, errBusy, bound)
	}
	return nil
}

// join takes the last place.
func (w *writers) join(c *idem.Claim) *turn {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &turn{writers: w, claim: c, ready: make(chan struct{}), gone: make(chan struct{})}
	w.queue = append(w.queue, t)
	if w.holder == nil {
		w.next()
	}
	return t
}

// next lets the first one in. Its caller has the lock.
func (w *writers) next() {
	w.holder = nil
	if len(w.queue) > 0 {
		w.holder, w.queue = w.queue[0], w.queue[1:]
		close(w.holder.ready)
	}
}

// leave ends the turn, or the waiting for it. Leaving again is nothing.
func (t *turn) leave() {
	if t == nil {
		return
	}
	w := t.writers
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-t.gone:
		return
	default:
	}
	close(t.gone)
	if w.holder == t {
		w.next()
		return
	}
	w.queue = slices.DeleteFunc(w.queue, func(other *turn) bool { return other == t })
}

// await waits while somebody writes who claims one of c's keys, as long as c is patient.
func (w *writers) await(ctx context.Context, c *idem.Claim) error {
	patience := time.NewTimer(max(c.LockTimeout, 0))
	defer patience.Stop()
	for {
		w.mu.Lock()
		holder := w.holder
		w.mu.Unlock()
		if holder == nil || !overlap(holder.claim, c) {
			return nil
		}
		select {
		case <-holder.gone:
		case <-ctx.Done():
			return ctx.Err()
		case <-patience.C:
			return errInFlight
		}
	}
}

// overlap reports whether two claims ask for a row in common.
func overlap(a, b *idem.Claim) bool {
	if a == nil || b == nil || a.Keyspace != b.Keyspace {
		return false
	}
	for _, scope := range columns.ScopesOf(a) {
		if slices.Contains(columns.ScopesOf(b), scope) && (a.Key == b.Key || a.Business != nil && string(a.Business) == string(b.Business)) {
			return true
		}
	}
	return false
}
