package idem

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// workerSlots is how many recoveries run at the same time in a process.
const workerSlots = 4

// recoverDue takes over attempts that ended without an outcome, as operations' policies say, until ctx is done. A recovery that is
// under way then goes on to its end.
func (e *Engine[Tx]) recoverDue(ctx context.Context) {
	slots := make(chan struct{}, workerSlots)
	var all sync.WaitGroup
	defer all.Wait()
	for rest(ctx, e.options.Recover) {
		for ctx.Err() == nil {
			free := acquire(ctx, slots)
			taken := e.takeDue(ctx, free)
			for range free - len(taken) {
				<-slots
			}
			for _, start := range taken {
				all.Go(func() {
					defer func() { <-slots }()
					start()
				})
			}
			if len(taken) < free {
				break // nothing more is due
			}
		}
	}
}

// acquire waits for a slot and takes all that are free then.
func acquire(ctx context.Context, slots chan struct{}) (n int) {
	select {
	case slots <- struct{}{}:
		n++
	case <-ctx.Done():
		return 0
	}
	for {
		select {
		case slots <- struct{}{}:
			n++
		default:
			return n
		}
	}
}

// takeDue takes over up to limit records, and gives for each what has to be done with it. Their leases are kept alive from now on.
func (e *Engine[Tx]) takeDue(ctx context.Context, limit int) (work []func()) {
	operations, plans := e.recoverable()
	if limit == 0 || len(operations) == 0 {
		return nil
	}
	from := time.Now()
	taken, err := e.leases.Due(ctx, Due{Operations: operations, Limit: limit})
	if err != nil {
		if ctx.Err() == nil {
			e.failedInBackground(ctx, EventRunFailed, "take over what is due", err)
		}
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	for _, prior := range taken {
		p := plans[prior.Operation]
		if p == nil {
			continue // the store gave what nobody asked for: its lease runs out again
		}
		bounded, cancel := context.WithTimeout(ctx, e.options.Deadline)
		l := e.due(bounded, p, &prior, from)
		l.stop = cancel
		work = append(work, func() { e.recoverOne(bounded, l, &prior) })
	}
	return work
}

// recoverable gives the operations that do not wait for the next request, with the lease of an attempt. Recovery of one that is not
// mounted in this process is left to others.
func (e *Engine[Tx]) recoverable() (map[string]time.Duration, map[string]*plan) {
	operations, plans := map[string]time.Duration{}, map[string]*plan{}
	for op, p := range e.plans {
		if op.Execution == Leased && (op.Takeover == Hold || op.Takeover == Recover && e.recoveries.get(op) != nil) {
			operations[op.Name], plans[op.Name] = op.Lease, p
		}
	}
	return operations, plans
}

// due gives the lease of a record that was taken over without a request.
func (e *Engine[Tx]) due(ctx context.Context, p *plan, taken *Prior, from time.Time) *Lease[Tx] {
	a := e.newAttempt(p.op)
	a.at, a.before = address{taken.Scope, taken.Keyspace, taken.Key}, taken.Before
	a.keyHash = hashOfKey(a.at)
	l := a.hold(ctx, a.refOf(taken), taken.Attempt, from)
	l.unasked = true
	return l
}

// recoverOne does what the policy says. A panic of the program ends this recovery alone: another record would meet the same worker.
func (e *Engine[Tx]) recoverOne(ctx context.Context, l *Lease[Tx], taken *Prior) {
	defer func() {
		if cause := recover(); cause != nil {
			l.observe(ctx, Event{Kind: EventRunFailed, Err: fmt.Errorf("idem: panic in recovery: %v\n%s", cause, debug.Stack())})
		}
	}()
	l.orHandBack(ctx, ErrNotReturned, func() {
		l.observe(ctx, Event{Kind: EventTookOver})
		l.proceed(ctx, taken, ActTakeOver)
	})
}
