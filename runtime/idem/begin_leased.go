package idem

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/runtime/canon"
)

// BeginLeased is what a binding calls in place of Begin where the operation is leased. It takes the same contexts and gives the same
// errors, and besides them what a recovery function returned that ran in business code's place.
func BeginLeased[Tx any](sessionCtx, callCtx context.Context, op *Operation) (*Lease[Tx], error) {
	s, err := sessionOf[Tx](sessionCtx, op)
	if err != nil {
		return nil, err
	}
	return beginIn(s, sessionCtx, callCtx, op, leased[Tx]())
}

// BeginLeased takes the request's key for a lease and commits that; it gives the lease to run the handler with, or the answer that the
// request gets without it; exactly one of them is nil. A lease must be given to FinishLeased. Its context is detached from ctx.
//
// An attempt that was left without an outcome is taken over as the operation's policy says; for Recover the recovery function runs
// here, and the answer is its outcome. Without Engine.Run every request is refused with IDEMPOTENCY_NOT_BOUND.
func (e *Engine[Tx]) BeginLeased(ctx context.Context, op *Operation, r *canon.Request) (*Lease[Tx], *Answer) {
	return enter(ctx, e.newAttempt(op), leased[Tx](), incoming{request: r})
}

func leased[Tx any]() way[Tx, *Lease[Tx]] {
	return way[Tx, *Lease[Tx]]{
		mode:  Leased,
		ready: func(ctx context.Context, a *attempt[Tx]) *Answer { return a.readyForLeases(ctx) },
		claim: func(ctx context.Context, a *attempt[Tx]) (*Lease[Tx], *Answer) { return a.claimLease(ctx) },
		plain: func(ctx context.Context, a *attempt[Tx]) (*Lease[Tx], *Answer) { return a.plainLease(ctx), nil },
	}
}

// claimLease takes the key, or the record that stands under it where its attempt is over.
func (a *attempt[Tx]) claimLease(ctx context.Context) (*Lease[Tx], *Answer) {
	w := a.waiter()
	defer w.end()
	turn, running := a.engine.running.enter(ctx, a.places(), w)
	if turn == nil {
		return nil, a.judge(ctx, &running, a.plan.compare(&a.command, &running))
	}
	a.turn = turn
	defer a.leaveTurn() // unless a lease has taken it over; also when the store or the observer panics
	claim, err := a.newLeaseClaim(ctx)
	if err != nil {
		return nil, a.refuse(ctx, EventStoreFailed, problem(a.op, CodeTryAgain, err))
	}
	for range claimAttempts {
		l, answer := a.tryLease(ctx, claim, w)
		if l != nil || answer != nil {
			return l, answer
		}
	}
	return nil, a.refuse(ctx, EventInFlight, problem(a.op, CodeInFlight, nil))
}

// tryLease gives neither a lease nor an answer when somebody else took the record over first: something new stands there then.
func (a *attempt[Tx]) tryLease(ctx context.Context, claim Claim, w *waiter) (*Lease[Tx], *Answer) {
	from := time.Now()
	prior, err := a.askLease(ctx, claim)
	for err == nil && w.worth(&prior) {
		a.engine.running.elsewhere(a.turn, prior)
		if !w.asksAgain(&prior) {
			break
		}
		from = time.Now()
		prior, err = a.askLease(ctx, claim)
	}
	if err != nil {
		return nil, a.refuse(ctx, EventStoreFailed, claimProblem(a.op, err))
	}
	v := a.plan.compare(&a.command, &prior)
	action := a.decide(&prior, v)
	switch action {
	case ActClaim:
		ref := LeaseRef{Scope: claim.Scope, Keyspace: claim.Keyspace, Key: claim.Key, Before: claim.Before,
			RecordID: prior.RecordID, Token: claim.Token, Lease: claim.Lease}
		l := a.hold(ctx, ref, prior.Attempt, from)
		l.orHandBack(ctx, NothingDone(ErrNotReturned), func() { l.observe(ctx, Event{Kind: EventClaimed}) })
		return l, nil
	case ActTakeOver, ActNextAttempt:
		return a.takeOver(ctx, &prior, action)
	case ActInFlight, ActMismatch, ActIncomparable, ActReplay, ActUnknown:
	}
	return nil, a.judge(ctx, &prior, v)
}

// newLeaseClaim is what the store is asked for, with the command if somebody may have to recover it.
func (a *attempt[Tx]) newLeaseClaim(ctx context.Context) (Claim, error) {
	c := a.newClaim()
	c.Lease = a.op.Lease
	if a.op.Takeover != Recover || a.engine.options.Shadow {
		return c, nil
	}
	var err error
	c.Request, err = a.engine.seals.seal(ctx, a.place(c.RecordID), partCommand, storeCommand(a.op, a.request))
	return c, err
}

// askLease claims, again with the same token when the answer was lost or the store could not serialise it: the store knows the
// token. What may be claimed and cannot be asked for is given back, as far as possible, since nothing has run.
func (a *attempt[Tx]) askLease(ctx context.Context, c Claim) (prior Prior, err error) {
	lost := 0 // answers: a connection that breaks leaves open whether the claim was committed
	began := time.Now()
	for range claimAttempts {
		prior, err = a.engine.leases.ClaimLease(ctx, c)
		if err == nil || errors.Is(err, ErrFenced) { // somebody has brought what it began to an end, and that has expired
			return prior, err
		}
		if errors.Is(err, ErrSerialization) {
			continue
		}
		if lost++; lost > 1 || ctx.Err() != nil || time.Since(began) >= c.Lease { // what was claimed may be another's by then, or gone
			break
		}
	}
	if lost > 0 {
		a.unclaim(ctx, LeaseRef{Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key, Before: c.Before, RecordID: c.RecordID,
			Token: c.Token, Lease: c.Lease}, StateFailedRetryable)
	}
	return prior, err
}

// unclaim gives back what may have been claimed. If that fails too, the record waits until its lease is over.
func (a *attempt[Tx]) unclaim(ctx context.Context, ref LeaseRef, s State) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unclaimTimeout)
	defer cancel()
	_ = a.engine.leases.Settle(ctx, ref, Completion{State: s}) // fenced, where nothing was claimed
}

// hold gives the lease of a record that is ours. from is when its time was asked for.
func (a *attempt[Tx]) hold(ctx context.Context, ref LeaseRef, number int, from time.Time) *Lease[Tx] {
	l := &Lease[Tx]{
		attempt: a, keeper: a.engine.leases, ref: ref, number: number, guarded: true,
		place: place{scope: ref.Scope, before: ref.Before, keyspace: ref.Keyspace, key: ref.Key, recordID: ref.RecordID},
	}
	l.phases.used = map[string]bool{}
	if a.engine.options.Shadow {
		l.keeper, l.guarded = unguarded[Tx]{a.engine.leases}, false
	}
	if a.turn != nil {
		a.engine.running.claimed(a.turn, a.found(&ref, number))
		l.turn, a.turn = a.turn, nil
	}
	l.start(ctx, from)
	return l
}

// found is what equal requests in this process find while the attempt runs.
func (a *attempt[Tx]) found(ref *LeaseRef, number int) Prior {
	fingerprints, fields := a.command.encode(a.plan)
	return Prior{State: StateInFlight, Operation: a.op.Name, RecordID: ref.RecordID, Attempt: number,
		Fingerprints: fingerprints, Fields: fields, LeaseLeft: ref.Lease}
}

// plainLease gives a lease without a record: nothing of it is recorded, fenced or taken over.
func (a *attempt[Tx]) plainLease(ctx context.Context) *Lease[Tx] {
	a.at, a.before, a.business = address{}, "", nil
	a.keyHash = ""
	l := &Lease[Tx]{attempt: a, keeper: unguarded[Tx]{a.engine.leases}, ref: LeaseRef{RecordID: NewUUID()}}
	l.phases.used = map[string]bool{}
	l.start(ctx, time.Now())
	return l
}

// leaveTurn gives the key's turn back, if no lease has it.
func (a *attempt[Tx]) leaveTurn() {
	if a.turn != nil {
		a.engine.running.leave(a.turn)
		a.turn = nil
	}
}

// phaseIdle ends the transaction of a phase whose process has frozen.
func (a *attempt[Tx]) phaseIdle() time.Duration {
	return min(a.engine.options.Deadline, a.op.Lease) + idleMargin
}
