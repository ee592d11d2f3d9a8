package idem

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Answer is what a request gets. Problem, Err and Response exclude each other.
type Answer struct {
	// Response is the handler's, or the stored one when Replayed is set.
	Response Response
	Replayed bool
	// NotKept: the response is the stored one and had a body that was too large to be stored.
	NotKept bool
	// Problem is idemgen's own answer.
	Problem *Problem
	// Err is the handler's or Options.Authorize's error: the program's to render, never an outcome.
	Err error

	op *Operation
}

// Begin takes the request's key and gives the execution to run the handler with, or the answer that the request gets without
// one; exactly one of them is nil. An execution must be given to Finish. The execution's context is detached from ctx.
//
// Begin knows no HTTP: Handle, Middleware and consumers of queues stand on it.
func (e *Engine[Tx]) Begin(ctx context.Context, op *Operation, r *canon.Request) (*Execution[Tx], *Answer) {
	return enter(ctx, e.newAttempt(op), transactional[Tx](), incoming{request: r})
}

// shadowed reports whether the handler runs in spite of the answer. What is wrong with the program itself stays wrong.
func (a *Answer) shadowed(shadow bool) bool {
	return shadow && a.Err == nil && (a.Replayed || a.Problem.Code != CodeNotBound)
}

// attempt is one request on its way through Begin.
type attempt[Tx any] struct {
	engine  *Engine[Tx]
	op      *Operation
	plan    *plan
	started time.Time
	at      address
	before  string // a second scope; empty: none
	// business is the digest of the request's business key; nil: it has none.
	business []byte
	keyHash  string // empty: no key
	request  *canon.Request
	command  command
	asked    Claim // what the store was asked for
	turn     *turn // of a leased operation, until a lease has it
	// client is closed when the client is gone, caller when whoever called Begin is; nil never is.
	client, caller <-chan struct{}
}

func (e *Engine[Tx]) newAttempt(op *Operation) *attempt[Tx] {
	if op == nil {
		op = &Operation{}
	}
	return &attempt[Tx]{engine: e, op: op, plan: e.plans[op], started: time.Now()}
}

// notBound answers a mistake in how the program mounts its operations.
func (a *attempt[Tx]) notBound(ctx context.Context, reason string) *Answer {
	err := fmt.Errorf("%w: operation %q: %s", ErrNotBound, a.op.Name, reason)
	return a.refuse(ctx, EventNotBound, problem(a.op, CodeNotBound, err))
}

// prepare goes through the order of STATE section 1 up to the claim: key, fingerprint, Authorize. keyed says whether the request
// has a key to claim.
func (a *attempt[Tx]) prepare(ctx context.Context, in incoming) (keyed bool, answer *Answer) {
	if in.unread != nil {
		return false, a.refuse(ctx, EventRefused, requestProblem(a.op, a.plan.discreet(in.unread)))
	}
	r := in.request
	a.request = r
	if len(r.Path) != len(a.plan.template.names) {
		return false, a.notBound(ctx, fmt.Sprintf("%d path values for %s", len(r.Path), a.op.Path))
	}
	key, err := a.plan.key(r)
	if err != nil && (a.op.Key.Required || !errors.Is(err, ErrKeyMissing)) {
		return false, a.refuse(ctx, EventRefused, requestProblem(a.op, a.plan.discreet(err)))
	}
	a.business = a.plan.business(r)
	if key == "" && a.business != nil {
		key = keyOfBusiness(a.business)
	}
	keyed = key != ""
	versions := 1 // without a key only today's contract is asked, so that a key decides nothing about what is accepted
	if keyed {
		versions = len(a.op.Versions)
		if answer := a.locate(ctx, key, r); answer != nil {
			return true, answer
		}
	}
	a.command = a.plan.command(ctx, r, versions)
	if authorize := a.engine.options.Authorize; authorize != nil {
		if err := authorize(ctx, a.op); err != nil {
			err = fmt.Errorf("%w: %w", ErrNotAuthorized, err)
			a.observe(ctx, Event{Kind: EventNotAuthorized, Err: err})
			return keyed, &Answer{Err: err, op: a.op}
		}
	}
	refusal := a.command.refusal()
	if refusal == nil && in.check != nil {
		refusal = in.check(r)
	}
	switch {
	case refusal != nil && keyed:
		return true, a.lookUp(ctx, refusal)
	case refusal != nil:
		return false, a.refuse(ctx, EventRefused, requestProblem(a.op, a.plan.discreet(refusal)))
	case !keyed:
		a.observe(ctx, Event{Kind: EventUnkeyed})
	}
	return keyed, nil
}

// locate finds out which record the key stands for.
func (a *attempt[Tx]) locate(ctx context.Context, key string, r *canon.Request) *Answer {
	scope, before, err := a.plan.scopes(ctx, a.engine.resolve, r)
	if errors.Is(err, errScope) {
		return a.refuse(ctx, EventScopeUnresolved, problem(a.op, CodeScopeUnresolved, err))
	}
	if err != nil {
		return a.refuse(ctx, EventRefused, requestProblem(a.op, a.plan.discreet(err)))
	}
	a.at, a.before = address{scope, a.op.Keyspace, key}, before
	a.keyHash = hashOfKey(a.at)
	return nil
}

// lookUp judges a request that today's contract refuses. Its first attempt may have come when an earlier version accepted
// it, and that version still knows it.
func (a *attempt[Tx]) lookUp(ctx context.Context, refusal error) *Answer {
	prior, err := a.engine.store.Lookup(ctx, a.at.scope, a.at.keyspace, a.at.key)
	if err == nil && prior.State == StateAbsent && a.before != "" {
		prior, err = a.engine.store.Lookup(ctx, a.before, a.at.keyspace, a.at.key)
	}
	if err != nil {
		return a.refuse(ctx, EventStoreFailed, claimProblem(a.op, err))
	}
	if prior.State != StateAbsent {
		if v := a.plan.compare(&a.command, &prior); !v.refused {
			if answer := a.judgeUnrunnable(ctx, &prior, v); answer != nil {
				return answer
			}
		}
	}
	return a.refuse(ctx, EventRefused, requestProblem(a.op, a.plan.discreet(refusal)))
}

// judgeUnrunnable is judge for a request that cannot run; nil where the record waits for one that can. An attempt that is over may be
// brought to its end without the request: it is still in flight then.
func (a *attempt[Tx]) judgeUnrunnable(ctx context.Context, prior *Prior, v verdict) *Answer {
	switch a.decide(prior, v) {
	case ActTakeOver:
		if a.op.Takeover != Retake {
			return a.refuse(ctx, EventInFlight, problem(a.op, CodeInFlight, nil))
		}
		return nil
	case ActNextAttempt:
		return nil
	case ActClaim, ActInFlight, ActMismatch, ActIncomparable, ActReplay, ActUnknown:
	}
	return a.judge(ctx, prior, v)
}

// claim asks the store for the key. Requests whose key runs in this process never get there.
func (a *attempt[Tx]) claim(ctx context.Context) (*Execution[Tx], *Answer) {
	w := a.waiter()
	defer w.end()
	turn, running := a.engine.running.enter(ctx, a.places(), w)
	if turn == nil {
		return nil, a.judge(ctx, &running, a.plan.compare(&a.command, &running))
	}
	var claimed Held[Tx]
	handedOver := false
	defer func() { // also when the store or the observer panics
		if handedOver {
			return
		}
		if claimed != nil {
			_ = claimed.Release(context.WithoutCancel(ctx)) // the panic is what counts
		}
		a.engine.running.leave(turn)
	}()
	held, prior, err := a.askStore(ctx, lockTimeout)
	for err == nil && prior.State == StateInFlight {
		a.engine.running.elsewhere(turn, prior)
		if !w.asksAgain(&prior) {
			break
		}
		held, prior, err = a.askStore(ctx, askAgainLockTimeout)
	}
	if err != nil {
		return nil, a.refuse(ctx, EventStoreFailed, claimProblem(a.op, err))
	}
	if prior.State != StateAbsent {
		return nil, a.judge(ctx, &prior, a.plan.compare(&a.command, &prior))
	}
	claimed = held
	a.engine.running.claimed(turn, Prior{State: StateInFlight})
	ex := a.execution(held)
	ex.turn, ex.attempt, ex.recordID = turn, prior.Attempt, prior.RecordID
	ex.place, ex.by = a.place(prior.RecordID), a
	a.observe(ctx, Event{Kind: EventClaimed, Attempt: prior.Attempt})
	handedOver = true
	return ex, nil
}

// askStore claims, again when the store could not serialise it: nothing has run yet.
func (a *attempt[Tx]) askStore(ctx context.Context, patience time.Duration) (held Held[Tx], prior Prior, err error) {
	c := a.newClaim()
	c.LockTimeout = patience
	a.asked = c
	for range claimAttempts {
		held, prior, err = a.engine.store.Claim(ctx, c)
		if !errors.Is(err, ErrSerialization) {
			break
		}
	}
	if err == nil && prior.State == StateAbsent && held == nil {
		err = fmt.Errorf("%w: a claim gave neither a transaction nor a record", ErrStoreUnavailable)
	}
	return held, prior, err
}

// newClaim is what the store is asked for, in every execution mode.
func (a *attempt[Tx]) newClaim() Claim {
	fingerprints, fields := a.command.encode(a.plan)
	return Claim{
		Scope: a.at.scope, Keyspace: a.at.keyspace, Key: a.at.key, Operation: a.op.Name,
		Token: NewUUID(), RecordID: NewUUID(), Before: a.before, Business: a.business,
		Fingerprints: fingerprints, Fields: fields,
		Retention: a.op.Retention, LockTimeout: lockTimeout, IdleTimeout: a.deadline() + idleMargin,
	}
}

// deadline is how long a run may take, with what it may wait before.
func (a *attempt[Tx]) deadline() time.Duration { return a.engine.options.Deadline + a.op.Wait }

// places are the addresses that the attempt works on: the key's and the business key's, under each scope.
func (a *attempt[Tx]) places() []address {
	keys := []string{a.at.key}
	if a.business != nil {
		keys = append(keys, keyOfBusiness(a.business))
	}
	var places []address
	for _, key := range keys {
		places = append(places, address{a.at.scope, a.at.keyspace, key})
		if a.before != "" {
			places = append(places, address{a.before, a.at.keyspace, key})
		}
	}
	return places
}

// decide asks the decision table. A record in flight that shows nothing of itself has not been committed: it is judged as
// transactional ones are, with which nothing is compared.
func (a *attempt[Tx]) decide(prior *Prior, v verdict) Action {
	mode := a.op.Execution
	if prior.State == StateInFlight && prior.Operation == "" {
		mode = Transactional
	}
	return Decide(ConditionOf(prior.State, false, prior.LeaseOver), v.comparison, mode)
}

// judge answers a request whose key has a record, as the decision table says.
func (a *attempt[Tx]) judge(ctx context.Context, prior *Prior, v verdict) *Answer {
	switch a.decide(prior, v) {
	case ActReplay:
		return a.replay(ctx, prior)
	case ActMismatch:
		code := CodeMismatch
		if prior.Business || clientKey(a.at.key) == "" {
			code = CodeDuplicateDiffers
		}
		p := problem(a.op, code, nil)
		p.Fields = v.fields
		return a.refuse(ctx, EventMismatch, p)
	case ActIncomparable:
		return a.refuse(ctx, EventContractUnknown, problem(a.op, CodeContractUnknown, nil))
	case ActInFlight:
		p := problem(a.op, CodeInFlight, nil)
		p.RetryAfter = max(p.RetryAfter, prior.LeaseLeft)
		return a.refuse(ctx, EventInFlight, p)
	case ActUnknown:
		return a.refuse(ctx, EventUnknown, problem(a.op, CodeOutcomeUnknown, nil))
	case ActClaim, ActTakeOver, ActNextAttempt: // none that comes here: a store takes expired records itself, tryLease the others
	}
	return a.refuse(ctx, EventStoreFailed, problem(a.op, CodeTryAgain, fmt.Errorf("idem: a record in state %d cannot be answered", prior.State)))
}

// replay answers with the stored response. One that cannot be opened is answered like a record that cannot be compared: its
// operation was carried out, and never is again.
func (a *attempt[Tx]) replay(ctx context.Context, prior *Prior) *Answer {
	at := a.place(prior.RecordID)
	if prior.Business {
		at.key = prior.Key
	}
	response, err := a.engine.seals.openResponse(ctx, at, prior)
	if err != nil {
		return a.refuse(ctx, EventContractUnknown, problem(a.op, CodeContractUnknown, err))
	}
	a.observe(ctx, Event{Kind: EventReplayed, Attempt: prior.Attempt, Status: response.Status})
	return &Answer{Response: response, Replayed: true, NotKept: prior.NotKept, op: a.op}
}

// place is what the sealed parts of the attempt's record are bound to.
func (a *attempt[Tx]) place(id UUID) place {
	return place{scope: a.at.scope, before: a.before, keyspace: a.at.keyspace, key: a.at.key, recordID: id}
}

// plain gives an execution without a claim.
func (a *attempt[Tx]) plain(ctx context.Context) (*Execution[Tx], *Answer) {
	held, err := a.engine.store.Begin(ctx, BeginOptions{IdleTimeout: a.deadline() + idleMargin})
	if err != nil {
		return nil, a.refuse(ctx, EventStoreFailed, claimProblem(a.op, err))
	}
	a.at, a.before, a.business = address{}, "", nil
	a.keyHash = ""
	return a.execution(held), nil
}

func (a *attempt[Tx]) execution(held Held[Tx]) *Execution[Tx] {
	return &Execution[Tx]{engine: a.engine, held: held, op: a.op, key: clientKey(a.at.key), keyHash: a.keyHash, started: a.started}
}

func (a *attempt[Tx]) refuse(ctx context.Context, kind EventKind, p *Problem) *Answer {
	a.observe(ctx, Event{Kind: kind, Status: p.Status, Code: p.Code, Fields: p.Fields, Err: p.Err})
	return &Answer{Problem: p, op: a.op}
}

func (a *attempt[Tx]) observe(ctx context.Context, ev Event) {
	ev.Operation, ev.KeyHash, ev.Duration = a.op.Name, a.keyHash, time.Since(a.started)
	ev.Shadow = a.engine.options.Shadow
	a.engine.options.Observer.Observe(ctx, ev)
}
