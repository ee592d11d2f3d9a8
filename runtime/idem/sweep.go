package idem

import (
	"context"
	"time"
)

const (
	// sweepBatch is how many records one transaction deletes.
	sweepBatch = 1000
	// sweepRest is the time between two batches: a sweep that has much to do leaves room for requests.
	sweepRest = 50 * time.Millisecond
)

// sweepExpired deletes expired records until ctx is done. Correctness never waits for it.
func (e *Engine[Tx]) sweepExpired(ctx context.Context, s Sweeper) {
	for rest(ctx, e.options.Sweep) {
		swept, err := sweepAll(ctx, s)
		if swept > 0 {
			e.options.Observer.Observe(ctx, Event{Kind: EventSwept, Count: swept})
		}
		if err != nil && ctx.Err() == nil {
			e.failedInBackground(ctx, EventRunFailed, "sweep", err)
		}
	}
}

// sweepAll deletes what has expired, batch by batch.
func sweepAll(ctx context.Context, s Sweeper) (all int, err error) {
	for {
		swept, err := s.Sweep(ctx, sweepBatch)
		all += swept
		if err != nil || swept < sweepBatch || !rest(ctx, sweepRest) {
			return all, err
		}
	}
}
