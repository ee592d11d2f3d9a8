package idem

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// ErrLeaseOver is the cause of a lease's context when the lease ran out by this process's clock, because it could not be extended.
var ErrLeaseOver = errors.New("idem: the lease has run out")

// Lease is one attempt of a leased handler. Its claim is committed already: the handler works in phases (see Phase), each a
// transaction of its own, and may call other systems between them. Its methods are safe for concurrent use.
type Lease[Tx any] struct {
	attempt *attempt[Tx] // the request, or what the recovery worker made in its place
	keeper  phaseKeeper[Tx]
	ref     LeaseRef // a zero Token: there is no record
	place   place
	number  int
	// guarded: phases are recorded and fenced. Without it nothing is protected: there is no key, or the engine runs in shadow.
	guarded  bool
	recovery bool // the program's recovery function runs in the handler's place
	unasked  bool // by no request: nobody waits for an answer
	turn     *turn

	ctx    context.Context
	cancel context.CancelCauseFunc
	stop   context.CancelFunc // ends the run that the lease belongs to; nil where there is none
	bound  binding

	mu      sync.Mutex
	term    *time.Timer // runs when the lease is over by this process's clock; nil without a record
	settled bool
	lost    bool
	spoiled error // why nobody can say what a recorded phase did
	phases  phaseLog[Tx]

	handedBack bool // belongs to whoever settles
}

// Context is the context of the attempt, and authoritative where a framework has one of its own. The client does not cancel it.
// Options.Deadline ends it, and settling; losing the lease ends it with the cause ErrFenced, its running out with ErrLeaseOver.
func (l *Lease[Tx]) Context() context.Context { return l.ctx }

// Key is the idempotency key; empty when the request came without one, where the operation allows that.
func (l *Lease[Tx]) Key() string { return clientKey(l.ref.Key) }

// Attempt counts the runs under this record, recoveries included, from 1; 0 without a record.
func (l *Lease[Tx]) Attempt() int { return l.number }

// RecordID names the record; it stays the same in every attempt. Without a key it is a random one that nothing else has.
func (l *Lease[Tx]) RecordID() UUID { return l.ref.RecordID }

// Scope gives the values of the record's scope, in the contract's order; nil without a key. A recovery by Engine.Run finds its
// tenant here, since its context has no caller.
func (l *Lease[Tx]) Scope() []string {
	var values []string
	if json.Unmarshal([]byte(l.ref.Scope), &values) != nil {
		return nil
	}
	return values
}

// DownstreamKey gives the idempotency key to send to another system: the same in every attempt, different for every record and
// system, and never the client's own, which another tenant may choose as well. It has the form of a UUID, since some systems take
// no other. What it depends on never changes.
func (l *Lease[Tx]) DownstreamKey(system string) string { return DownstreamKey(l.ref.RecordID, system) }

// DownstreamKey is Lease.DownstreamKey of a record, for people who look into what became of one.
func DownstreamKey(record UUID, system string) string {
	h := sha256.New()
	h.Write([]byte("idemgen downstream key 1\x00"))
	h.Write(record[:])
	h.Write([]byte(system))
	u := UUID(h.Sum(nil)[:16])
	u[6] = u[6]&0x0f | 0x40 // RFC 9562 section 5.4: of random or pseudorandom numbers
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}

// End tells how business code ended. A binding calls it as it calls Execution.End.
func (l *Lease[Tx]) End(err *error) {
	if l.bound.end != nil {
		l.bound.end(*err)
	}
}

// start starts the clock of a lease whose time was asked for at from.
func (l *Lease[Tx]) start(ctx context.Context, from time.Time) {
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	if l.ref.Token.IsZero() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.term = time.AfterFunc(time.Until(from.Add(l.ref.Lease)), l.expire)
	l.attempt.engine.heart.join(l)
}

// prolong restarts the clock after an extension that was asked for at from: what the store gave cannot end earlier.
func (l *Lease[Tx]) prolong(from time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.settled && l.ctx.Err() == nil {
		l.term.Reset(time.Until(from.Add(l.ref.Lease)))
	}
}

// expire ends the handler's context because somebody else may take the record over from now on. The fence decides whether an
// outcome that comes all the same is stored.
func (l *Lease[Tx]) expire() { l.giveWay(ErrLeaseOver) }

// lose is what happens when the record's token is known to be another one. A lease that is being settled learns it from the store.
func (l *Lease[Tx]) lose(ctx context.Context, cause error) {
	l.mu.Lock()
	settled := l.settled
	l.mu.Unlock()
	if !settled {
		l.markLost(ctx, cause)
		l.giveWay(ErrFenced)
	}
}

// markLost reports the loss once.
func (l *Lease[Tx]) markLost(ctx context.Context, cause error) {
	l.mu.Lock()
	first := !l.lost
	l.lost = true
	l.mu.Unlock()
	if first {
		l.observe(ctx, Event{Kind: EventLostLease, Err: cause})
	}
}

// giveWay ends the contexts of business code, and lets equal requests in this process ask the store again.
func (l *Lease[Tx]) giveWay(cause error) {
	l.mu.Lock()
	over := l.settled || !l.guarded
	lost := l.bound.lost
	l.mu.Unlock()
	if over {
		return
	}
	l.leave()
	l.cancel(cause)
	if lost != nil {
		lost()
	}
}

// leave gives the key's turn back, once.
func (l *Lease[Tx]) leave() {
	l.mu.Lock()
	turn := l.turn
	l.turn = nil
	l.mu.Unlock()
	if turn != nil {
		l.attempt.engine.running.leave(turn)
	}
}

// alive reports whether the attempt wants its lease extended.
func (l *Lease[Tx]) alive() bool { return l.ctx.Err() == nil }

// over ends everything that the lease holds in this process.
func (l *Lease[Tx]) over() {
	if l.term != nil {
		l.term.Stop()
		l.attempt.engine.heart.leave(l)
	}
	l.cancel(context.Canceled)
	if l.stop != nil {
		l.stop()
	}
	l.leave()
}

func (l *Lease[Tx]) under(_ context.Context, cancel context.CancelFunc) { l.stop = cancel }

func (l *Lease[Tx]) bind(b binding) {
	l.mu.Lock()
	l.bound = b
	l.mu.Unlock()
	if l.ctx.Err() != nil && b.lost != nil {
		b.lost() // before the session knew the lease
	}
}

func (l *Lease[Tx]) interrupt() { l.cancel(context.Canceled) }

func (l *Lease[Tx]) finish(ctx context.Context, o Outcome) Answer {
	return l.attempt.engine.FinishLeased(ctx, l, o)
}

func (l *Lease[Tx]) observe(ctx context.Context, ev Event) {
	ev.Attempt = l.number
	l.attempt.observe(ctx, ev)
}
