package idem

import (
	"context"

	"github.com/idemgen/idemgen/runtime/canon"
)

// work is what business code runs under: an Execution or a Lease. Begin and the sessions of frameworks need no more of it.
type work interface {
	// under gives it the context of the whole run, and what ends that.
	under(ctx context.Context, cancel context.CancelFunc)
	// bind makes it report to the session of a framework.
	bind(b binding)
	// interrupt ends the context of business code.
	interrupt()
	finish(ctx context.Context, o Outcome) Answer
	observe(ctx context.Context, ev Event)
}

// binding is what a session wants to be told by the work that it began.
type binding struct {
	end  func(error) // business code ended
	lost func()      // it must end: the record is, or may soon be, somebody else's
}

// way is how operations of one execution mode get from a request to their work.
type way[Tx any, W work] struct {
	mode ExecutionMode
	// ready gives the answer where the program does not run what the mode needs; nil: it needs nothing.
	ready func(context.Context, *attempt[Tx]) *Answer
	claim func(context.Context, *attempt[Tx]) (W, *Answer) // takes the request's key
	plain func(context.Context, *attempt[Tx]) (W, *Answer) // runs without a key
}

func transactional[Tx any]() way[Tx, *Execution[Tx]] {
	return way[Tx, *Execution[Tx]]{
		mode:  Transactional,
		claim: func(ctx context.Context, a *attempt[Tx]) (*Execution[Tx], *Answer) { return a.claim(ctx) },
		plain: func(ctx context.Context, a *attempt[Tx]) (*Execution[Tx], *Answer) { return a.plain(ctx) },
	}
}

// incoming is a request on its way into Begin.
type incoming struct {
	request *canon.Request
	// unread says why the request's body cannot be read; then only Shadow lets it run.
	unread error
	// gone is closed when the client is gone; nil where the caller's context says it.
	gone <-chan struct{}
	// check is a further demand on a request. One that it refuses claims nothing, and is looked up like one that today's
	// contract refuses. Nil: none.
	check func(*canon.Request) error
}

// enter is Begin for every execution mode: it gives the work under the context of its run, or the answer without one.
func enter[Tx any, W work](ctx context.Context, a *attempt[Tx], w way[Tx, W], in incoming) (W, *Answer) {
	var none W
	switch {
	case a.plan == nil:
		return none, a.notBound(ctx, "it is not in the engine's contract")
	case a.op.Execution != w.mode:
		return none, a.notBound(ctx, "it has another execution mode than what serves it")
	}
	a.client, a.caller = in.gone, ctx.Done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.deadline())
	begun, answer := begin(ctx, a, w, in)
	if answer != nil && answer.shadowed(a.engine.options.Shadow) {
		begun, answer = w.plain(ctx, a)
	}
	if answer != nil {
		cancel()
		return none, answer
	}
	begun.under(ctx, cancel)
	return begun, nil
}

func begin[Tx any, W work](ctx context.Context, a *attempt[Tx], w way[Tx, W], in incoming) (W, *Answer) {
	var none W
	if w.ready != nil {
		if answer := w.ready(ctx, a); answer != nil {
			return none, answer
		}
	}
	keyed, answer := a.prepare(ctx, in)
	if answer != nil {
		return none, answer
	}
	if !keyed {
		return w.plain(ctx, a)
	}
	return w.claim(ctx, a)
}
