package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/storetest/trace"
)

// action does what a verb says and gives the result in the trace's words.
type action[Tx any] func(*teller[Tx], *actor[Tx], *trace.Step) (string, error)

func actions[Tx any]() map[string]action[Tx] {
	return map[string]action[Tx]{
		"claims": claims[Tx], "writes": writes[Tx], "completes": completes[Tx], "releases": releases[Tx],
		"leases": leases[Tx], "looks": looks[Tx], "takes": takes[Tx],
		"opens": opens[Tx], "commits": commits[Tx], "undoes": undoes[Tx],
		"settles": settles[Tx], "extends": extends[Tx], "recovers": recovers[Tx],
		"sweeps": sweeps[Tx], "erases": erases[Tx],
		"lists": lists[Tx], "inspects": inspects[Tx], "resolves": resolves[Tx], "frees": frees[Tx],
		"counts": counts[Tx],
	}
}

const okText = "ok"

func okay(err error) (string, error) { return okText, err }

// claim gives the step's claim, the last one again if it says so.
func (a *actor[Tx]) claim(r *teller[Tx], s *trace.Step) idem.Claim {
	if s.Has("again") {
		return recall(r.t, s, a.claimed, s.Verb.Name()+" "+s.Key(), "claim").Claim
	}
	c := claimOf(s, a.name)
	c.LockTimeout = r.lockTimeout
	a.claimed[s.Verb.Name()+" "+s.Key()] = claimed{c, r.clock.now()}
	return c
}

// meets remembers what was found.
func (r *teller[Tx]) meets(a *actor[Tx], key string, p idem.Prior) {
	if p.RecordID.IsZero() {
		return
	}
	a.seen[key] = p
	if !p.Business {
		r.ids[key] = p.RecordID
	}
}

func claims[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	c := a.claim(r, s)
	held, p, err := r.try(r.ctx, c)
	if err != nil {
		return "", err
	}
	r.meets(a, s.Key(), p)
	if held != nil {
		a.held[s.Key()] = &transaction[Tx]{Held: held}
	}
	return showFound(p, c) + showAction(p, c, idem.Transactional), nil
}

func leases[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	c := a.claim(r, s)
	p, err := r.tryLease(r.ctx, c)
	if err != nil {
		return "", err
	}
	r.meets(a, s.Key(), p)
	if p.State == idem.StateAbsent {
		a.lease[s.Key()] = leaseOf(c)
	}
	return showFound(p, c) + showAction(p, c, idem.Leased), nil
}

func looks[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	c := claimOf(s, a.name)
	p, err := r.store.Lookup(r.ctx, c.Scope, c.Keyspace, c.Key)
	if err != nil {
		return "", err
	}
	r.meets(a, s.Key(), p)
	if p.State == idem.StateAbsent || p.RecordID.IsZero() {
		return "absent", nil // a transaction in flight is not visible to every store
	}
	return showFound(p, c), nil
}

func writes[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	if phase, open := a.phase[s.Key()]; open {
		return okay(r.effects.Write(r.ctx, phase.Tx(), s.Arg(1)))
	}
	return okay(r.effects.Write(r.ctx, recall(r.t, s, a.held, s.Key(), "transaction").Tx(), s.Arg(1)))
}

func completes[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	held := recall(r.t, s, a.held, s.Key(), "transaction")
	held.settled = true
	return okay(held.Complete(r.ctx, outcomeOf(s, s.Number(1), s.Arg(2))))
}

func releases[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	held := recall(r.t, s, a.held, s.Key(), "transaction")
	held.settled = true
	return okay(held.Release(r.ctx))
}

func takes[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	l := leaseOn(recall(r.t, s, a.seen, s.Key(), "record seen"))
	l.Lease = s.DurationOption("lease", leaseTime)
	p, err := r.tryTakeOver(r.ctx, next(l))
	if err != nil {
		return "", err
	}
	r.begins(a, s.Key(), p, l.Lease)
	return showAttempt(p), nil
}

// begins remembers an attempt that was taken over.
func (r *teller[Tx]) begins(a *actor[Tx], key string, p idem.Prior, lease time.Duration) {
	r.meets(a, key, p)
	l := leaseOn(p)
	l.Lease = lease
	a.lease[key] = l
}

func opens[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	held, err := r.leases().BeginPhase(r.ctx, recall(r.t, s, a.lease, s.Key(), "lease"), idem.BeginOptions{IdleTimeout: idleTimeout})
	if err == nil {
		a.phase[s.Key()] = held
	}
	return okay(err)
}

func commits[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	held := recall(r.t, s, a.phase, s.Key(), "phase")
	delete(a.phase, s.Key())
	p := idem.PhaseRecord{Name: s.Arg(1), Result: []byte(s.Arg(2))}
	if !s.Has("ending") {
		return okay(held.Commit(r.ctx, p, nil))
	}
	end := outcomeOf(s, s.NumberOption("ending"), s.Option("body", ""))
	return okay(held.Commit(r.ctx, p, &end))
}

func undoes[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	held := recall(r.t, s, a.phase, s.Key(), "phase")
	delete(a.phase, s.Key())
	return okay(held.Release(r.ctx))
}

func settles[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	c := outcomeOf(s, s.Number(2), s.Arg(3))
	c.State, c.Delay = s.State(1), s.DurationOption("after", 0)
	return okay(r.trySettle(recall(r.t, s, a.lease, s.Key(), "lease"), c))
}

func extends[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	var all []idem.LeaseRef
	for _, key := range s.Args() {
		all = append(all, recall(r.t, s, a.lease, key, "lease"))
	}
	lost, passed, err := r.leases().Extend(r.ctx, all)
	switch {
	case len(passed) > 0:
		return fmt.Sprint("passed ", len(passed)), err
	case err != nil || len(lost) == 0:
		return okay(err)
	}
	var names []string
	for _, l := range lost {
		names = append(names, l.Key)
	}
	slices.Sort(names)
	return "lost " + strings.Join(names, " "), nil
}

func recovers[Tx any](r *teller[Tx], a *actor[Tx], s *trace.Step) (string, error) {
	taken, err := r.tryDue(s.Number(0), s.Option("operation", "pay"))
	if err != nil {
		return "", err
	}
	shown := list(taken, func(p idem.Prior) string { return p.Key + " " + showAttempt(p) })
	// Which one of two scopes with one key is remembered must not depend on the order of what is due at one time.
	slices.SortFunc(taken, func(a, b idem.Prior) int { return strings.Compare(a.Scope, b.Scope) })
	for _, p := range taken {
		r.begins(a, p.Key, p, leaseTime)
	}
	return shown, nil
}

func sweeps[Tx any](r *teller[Tx], _ *actor[Tx], s *trace.Step) (string, error) {
	n, err := r.trySweep(s.Number(0))
	return fmt.Sprint(n, " swept"), err
}

func erases[Tx any](r *teller[Tx], _ *actor[Tx], s *trace.Step) (string, error) {
	erased, kept, err := r.store.(idem.Eraser).Erase(r.ctx, s.Args()...)
	return fmt.Sprint(erased, " erased, ", kept, " kept"), err
}

func lists[Tx any](r *teller[Tx], _ *actor[Tx], s *trace.Step) (string, error) {
	stuck, err := r.resolver().Stuck(r.ctx, s.Number(0))
	if err != nil {
		return "", err
	}
	return list(stuck, func(r idem.StuckRecord) string { return r.Key + " " + showStuck(r) }), nil
}

func inspects[Tx any](r *teller[Tx], _ *actor[Tx], s *trace.Step) (string, error) {
	record, err := r.resolver().Inspect(r.ctx, recall(r.t, s, r.ids, s.Key(), "record"))
	if err != nil {
		return "", err
	}
	return showStuck(record), nil
}

func resolves[Tx any](r *teller[Tx], _ *actor[Tx], s *trace.Step) (string, error) {
	return okay(r.tryResolve(recall(r.t, s, r.ids, s.Key(), "record"), outcomeOf(s, s.Number(1), s.Arg(2))))
}

func frees[Tx any](r *teller[Tx], _ *actor[Tx], s *trace.Step) (string, error) {
	return okay(r.tryFree(recall(r.t, s, r.ids, s.Key(), "record")))
}

func counts[Tx any](r *teller[Tx], _ *actor[Tx], s *trace.Step) (string, error) {
	held, err := r.store.Begin(r.ctx, idem.BeginOptions{IdleTimeout: idleTimeout})
	if err != nil {
		return "", err
	}
	n, err := r.effects.Count(r.ctx, held.Tx(), s.Arg(0))
	r.release(r.t, held)
	return fmt.Sprint(n), err
}
