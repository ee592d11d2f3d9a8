package idem

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Run does what happens beside requests: it keeps the leases of this process alive, recovers attempts that ended without an outcome,
// and deletes what has expired. Leased operations are refused while it does not run; nothing else depends on it. A program runs it
// once for each engine, beside its server:
//
//	go func() { errs <- engine.Run(ctx) }()
//
// When ctx is done nothing new begins: leased operations are answered with IDEMPOTENCY_TRY_AGAIN. Leases that are held are kept alive
// until their handlers and recoveries end, which Options.Deadline bounds; then Run returns nil, and nothing that it started is left.
// An error says that it runs already.
func (e *Engine[Tx]) Run(ctx context.Context) error {
	if err := e.runner.start(); err != nil {
		return err
	}
	defer e.runner.stop()
	var loops, beats sync.WaitGroup
	beating, stopBeats := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBeats()
	if e.heart != nil {
		beats.Go(func() { e.heart.run(beating) })
		if e.options.Recover > 0 && !e.options.Shadow {
			loops.Go(func() { e.recoverDue(ctx) })
		}
	}
	if sweeper, ok := e.store.(Sweeper); ok && e.options.Sweep > 0 {
		loops.Go(func() { e.sweepExpired(ctx, sweeper) })
	}
	<-ctx.Done()
	e.runner.drain()
	loops.Wait()
	if e.heart != nil {
		e.heart.drained()
	}
	stopBeats()
	beats.Wait()
	return nil
}

// runner knows whether Run runs.
type runner struct {
	mu      sync.Mutex
	stage   runStage
	started chan struct{} // closed when Run has begun for the first time
}

type runStage uint8

const (
	runNever runStage = iota
	runRunning
	runDraining
	runOver
)

var (
	errRunning    = errors.New("idem: Engine.Run runs already")
	errNotRunning = errors.New("Engine.Run is not running: start it beside the server, `go engine.Run(ctx)`")
	errDraining   = errors.New("idem: Engine.Run is ending")
)

func newRunner() *runner { return &runner{started: make(chan struct{})} }

func (r *runner) start() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch r.stage {
	case runRunning, runDraining:
		return errRunning
	case runNever:
		close(r.started)
	case runOver:
	}
	r.stage = runRunning
	return nil
}

func (r *runner) drain() { r.set(runDraining) }

func (r *runner) stop() { r.set(runOver) }

func (r *runner) set(s runStage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stage = s
}

func (r *runner) now() runStage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stage
}

// ready says why a lease cannot be kept; nil: it can. A program starts its server and Run at the same time: a request that is faster
// than Run waits for it, for as long as patience.
func (r *runner) ready(ctx context.Context, patience time.Duration) error {
	if r.now() == runNever && patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-r.started:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	switch r.now() {
	case runRunning:
		return nil
	case runDraining:
		return errDraining
	case runNever, runOver:
	}
	return errNotRunning
}

// readyForLeases refuses a leased operation that nobody would keep alive or recover.
func (a *attempt[Tx]) readyForLeases(ctx context.Context) *Answer {
	e := a.engine
	err := e.runner.ready(ctx, startPatience-time.Since(e.made))
	switch {
	case errors.Is(err, errDraining):
		return a.refuse(ctx, EventRefused, problem(a.op, CodeTryAgain, err))
	case err != nil:
		return a.notBound(ctx, err.Error())
	case a.op.Takeover == Recover && e.recoveries.get(a.op) == nil:
		return a.notBound(ctx, "its recovery is not registered: mount it by HandleLeased or call RegisterRecovery")
	}
	return nil
}

// rest waits for about a time: processes that were started together do not stay together. It is false when ctx is done.
func rest(ctx context.Context, about time.Duration) bool {
	timer := time.NewTimer(about*3/4 + time.Duration(rand.Int64N(int64(about)/2+1)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// failedInBackground observes what Run could not do. There is no request that could be answered.
func (e *Engine[Tx]) failedInBackground(ctx context.Context, kind EventKind, what string, err error) {
	e.options.Observer.Observe(ctx, Event{Kind: kind, Err: fmt.Errorf("idem: %s: %w", what, err)})
}
