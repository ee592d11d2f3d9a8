package idem

import (
	"context"
	"maps"
	"sync"
	"time"
)

// heart keeps the leases of a process alive: one statement for all of them, at a third of the shortest lease.
type heart[Tx any] struct {
	store LeaseStore[Tx]
	every time.Duration
	// failed is told of an extension that failed.
	failed func(ctx context.Context, leases int, err error)

	mu   sync.Mutex
	live map[UUID]*Lease[Tx] // by token
	beat *beat[Tx]           // the extension that is under way; nil: none
}

// beat is one extension. It is not changed once it has begun.
type beat[Tx any] struct {
	leases map[UUID]*Lease[Tx]
	done   chan struct{}
}

func newHeart[Tx any](store LeaseStore[Tx], every time.Duration, failed func(context.Context, int, error)) *heart[Tx] {
	return &heart[Tx]{store: store, every: every, failed: failed, live: map[UUID]*Lease[Tx]{}}
}

func (h *heart[Tx]) join(l *Lease[Tx]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live[l.ref.Token] = l
}

// leave takes a lease out of every later beat. done is closed when the present one, if it has the lease, is over: a lease that is
// handed back would be extended by it.
func (h *heart[Tx]) leave(l *Lease[Tx]) (done <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.live, l.ref.Token)
	if h.beat != nil && h.beat.leases[l.ref.Token] == l {
		return h.beat.done
	}
	return nil
}

// run beats until ctx is done.
func (h *heart[Tx]) run(ctx context.Context) {
	ticker := time.NewTicker(h.every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			h.extend(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// extend is one beat. It may take as long as the next one is away; leases whose time ends meanwhile end by their own clock.
func (h *heart[Tx]) extend(ctx context.Context) {
	b := h.begin()
	if b == nil {
		return
	}
	defer h.end(b)
	refs := make([]LeaseRef, 0, len(b.leases))
	for _, l := range b.leases {
		refs = append(refs, l.ref)
	}
	from := time.Now()
	bounded, cancel := context.WithTimeout(ctx, h.every)
	defer cancel()
	lost, passed, err := h.store.Extend(bounded, refs)
	if err != nil {
		h.failed(ctx, len(refs), err)
		return
	}
	for _, ref := range lost {
		if l := b.leases[ref.Token]; l != nil {
			l.lose(ctx, ErrFenced)
		}
	}
	extended := maps.Clone(b.leases)
	for _, ref := range passed {
		delete(extended, ref.Token) // its own clock goes on
	}
	for _, l := range extended {
		l.prolong(from)
	}
}

// begin takes the leases that want to be extended; nil when there is none. One whose context is over is not: a handler that ignores
// that must not keep its key.
func (h *heart[Tx]) begin() *beat[Tx] {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := &beat[Tx]{leases: map[UUID]*Lease[Tx]{}, done: make(chan struct{})}
	for token, l := range h.live {
		if l.alive() {
			b.leases[token] = l
		}
	}
	if len(b.leases) == 0 {
		return nil
	}
	h.beat = b
	return b
}

func (h *heart[Tx]) end(b *beat[Tx]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.beat = nil
	close(b.done)
}

// drained returns when no lease is left that wants to be extended.
func (h *heart[Tx]) drained() {
	for l := h.any(); l != nil; l = h.any() {
		<-l.ctx.Done()
	}
}

func (h *heart[Tx]) any() *Lease[Tx] {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.live {
		if l.alive() {
			return l
		}
	}
	return nil
}
