package idem

import (
	"context"
	"time"
)

const (
	// maxWaiting bounds the requests of an engine that wait for others. Each holds its body and no connection; more are in flight
	// at once.
	maxWaiting = 256
	// Between attempts at a key that another process holds no connection is held, and in each only a short wait for its row.
	askAgainPause, askAgainMostPause = 20 * time.Millisecond, 250 * time.Millisecond
	askAgainLockTimeout              = 10 * time.Millisecond
)

// waiter is a request's patience with whoever has its key. The zero patience is none.
type waiter struct {
	running *running
	ask     time.Duration   // for the store's answer to an equal request
	until   time.Time       // for its end
	client  <-chan struct{} // closed when the client is gone
	caller  <-chan struct{} // closed when the caller of Begin does not want its answer any more
	worth   func(*Prior) bool
	pause   pause
	counted bool
}

// waiter gives the patience of the attempt. It must be ended.
func (a *attempt[Tx]) waiter() *waiter {
	w := &waiter{
		running: a.engine.running, ask: askPatience, client: a.client, caller: a.caller,
		worth: func(prior *Prior) bool {
			v := a.plan.compare(&a.command, prior)
			return a.decide(prior, v) == ActInFlight
		},
		pause: pause{askAgainPause, askAgainMostPause},
	}
	if !a.engine.options.Shadow { // which holds nobody up
		w.until = a.started.Add(a.op.Wait)
	}
	return w
}

// end gives the request's place among those that wait to another one.
func (w *waiter) end() {
	if w.counted {
		w.counted = false
		w.running.dismiss()
	}
}

// hears waits for the store's answer to another request.
func (w *waiter) hears(ctx context.Context, answer <-chan struct{}) bool {
	timer := time.NewTimer(max(w.ask, timeLeft(w.until)))
	defer timer.Stop()
	select {
	case <-answer:
		return true
	case <-timer.C:
	case <-ctx.Done():
	case <-w.client:
	case <-w.caller:
	}
	return false
}

// outlasts waits for the end of another request, of which prior is known. False: it takes too long, or its answer would not be this
// request's.
func (w *waiter) outlasts(holder *turn, prior *Prior) bool {
	if !w.begins(prior) {
		return false
	}
	timer := time.NewTimer(timeLeft(w.until))
	defer timer.Stop()
	select {
	case <-holder.over:
		return true
	case <-timer.C:
	case <-w.client:
	case <-w.caller:
	}
	return false
}

// asksAgain waits before the next attempt at a key that another process has. False as in outlasts.
func (w *waiter) asksAgain(prior *Prior) bool {
	if !w.begins(prior) {
		return false
	}
	if left := timeLeft(w.until); left < w.pause.next {
		w.pause.next = left // one attempt at the very end
	}
	return w.pause.take(w.client, w.caller)
}

// begins reports whether there is time to wait for what runs, and a place among those that do.
func (w *waiter) begins(prior *Prior) bool {
	if timeLeft(w.until) == 0 || !w.worth(prior) {
		return false
	}
	w.counted = w.counted || w.running.admit()
	return w.counted
}
