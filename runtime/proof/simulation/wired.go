package simulation

import (
	"context"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// wired is a transaction at the other end of a wire.
type wired struct{ wire *wire }

// commit sends the last message of a transaction. On its way the connection may be lost: then it is carried out later, or never.
func (w wired) commit(ctx context.Context, do, release func(context.Context) error) error {
	ctx = context.WithoutCancel(ctx) // a message under way is not called back
	if err := w.wire.travel(); err != nil {
		w.wire.noticeLater(ctx, release)
		return err
	}
	if w.wire.happens(w.wire.now().lost) {
		w.late(ctx, do, release)
		return idem.ErrCommitUnknown
	}
	err := do(ctx)
	if errWay := w.wire.travel(); errWay != nil {
		return errWay // committed, and nobody hears of it
	}
	if err == nil && w.wire.happens(w.wire.now().lost) {
		return idem.ErrCommitUnknown
	}
	return err
}

// late lets the store find the message, or only that the client is gone.
func (w wired) late(ctx context.Context, do, release func(context.Context) error) {
	d, found := w.wire.upTo(lease), w.wire.happens(500)
	go func() {
		time.Sleep(d)
		if found {
			_ = do(ctx) // nobody is left to be told
			return
		}
		_ = release(ctx)
	}()
}

// release rolls back, at once or when the store notices.
func (w wired) release(ctx context.Context, do func(context.Context) error) error {
	if err := w.wire.travel(); err != nil {
		w.wire.noticeLater(ctx, do)
		return err
	}
	return do(ctx)
}

// wiredHeld is a transaction with a claim.
type wiredHeld struct {
	wired
	inner idem.Held[*memstore.Tx]
}

func (h *wiredHeld) Tx() *memstore.Tx { return h.inner.Tx() }

func (h *wiredHeld) Complete(ctx context.Context, c idem.Completion) error {
	return h.commit(ctx, func(ctx context.Context) error { return h.inner.Complete(ctx, c) }, h.inner.Release)
}

func (h *wiredHeld) Release(ctx context.Context) error { return h.release(ctx, h.inner.Release) }

// wiredPhase is a transaction of a phase.
type wiredPhase struct {
	wired
	inner idem.HeldPhase[*memstore.Tx]
}

func (p *wiredPhase) Tx() *memstore.Tx { return p.inner.Tx() }

func (p *wiredPhase) Commit(ctx context.Context, r idem.PhaseRecord, outcome *idem.Completion) error {
	return p.commit(ctx, func(ctx context.Context) error { return p.inner.Commit(ctx, r, outcome) }, p.inner.Release)
}

func (p *wiredPhase) Release(ctx context.Context) error { return p.release(ctx, p.inner.Release) }
