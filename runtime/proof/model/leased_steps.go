package model

import (
	"errors"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Leased is the protocol in which the claim commits alone and the handler works in phases, call by call as the engine asks a store:
// a first phase, a provider, and a last phase with the outcome.
func Leased(set Setting) System[lState] {
	return System[lState]{
		Initial:   lState{troubles: max(set.Troubles, 1), leases: 2, expiries: 1, returns: 1},
		Canonical: func(s lState) lState { return s.canonical(set) },
		Steps: func(s lState) []Step[lState] {
			b := lSteps{Setting: set, from: s}
			b.database()
			for i := range s.requests {
				b.request(i)
			}
			if len(b.all) == 0 && !s.last {
				b.add("all is quiet, and one more request comes", func(n *lState) {
					n.leases = 0
					n.last, n.requests[0] = true, lRequest{place: lClaim, token: n.issue(), command: set.command(0)}
				})
			}
			return b.all
		},
		Check: func(s lState) error { return s.check() },
		CheckEnd: func(s lState) error {
			if r := s.requests[0]; r.place != lOver || r.ending == open {
				return errors.New("stuck: the last request has no answer")
			}
			return nil
		},
	}
}

// lSteps collects what can happen in a state.
type lSteps struct {
	Setting
	from lState
	all  []Step[lState]
}

func (b *lSteps) add(name string, change func(*lState)) {
	next := b.from
	change(&next)
	if next.check() == nil { // else the check shall see what was done
		next.normalise()
	}
	b.all = append(b.all, Step[lState]{name, next})
}

// database is what happens without a request: time, the sweeper, and a message that was under way.
func (b *lSteps) database() {
	s := &b.from
	if s.record.state == idem.StateInFlight && !s.record.leaseOver {
		switch {
		case !s.held(): // time passes anyway
			b.add("the lease runs out", func(n *lState) { n.record.leaseOver = true })
		case s.leases > 0:
			b.add("the lease runs out under its holder", func(n *lState) { n.record.leaseOver = true; n.leases-- })
		}
	}
	if s.record.state != idem.StateAbsent && !s.record.past && s.expiries > 0 {
		b.add("the retention passes", func(n *lState) { n.record.past = true; n.expiries-- })
	}
	if s.record.condition(b.Setting) == idem.ConditionExpired && s.record.state != idem.StateInFlight {
		b.add("the sweeper deletes the record", func(n *lState) { n.record = lRecord{}; n.expire() })
	}
	if s.late.open {
		b.add("the server commits a phase whose client is gone", func(n *lState) { n.commitFinal(b.Setting, n.late.request); n.late = lLate{} })
		b.add("the server drops a phase whose client is gone", func(n *lState) { n.late = lLate{} })
	}
}

// held: the attempt that holds the record is alive.
func (s *lState) held() bool {
	for _, r := range s.requests {
		if r.token == s.record.token && r.place != lOver && r.place != lDead {
			return true
		}
	}
	return false
}

// request is what request i may do next.
func (b *lSteps) request(i int) {
	r, say := &b.from.requests[i], newSayer(i)
	if r.place != lIdle && r.place != lOver && r.place != lDead && b.trouble() {
		b.add(say("crashes"), func(n *lState) { n.troubles--; n.requests[i].place = lDead })
	}
	if r.place >= lReserve && r.place <= lFinal && b.from.record.leaseOver && b.from.holds(Setting{}, r) {
		b.add(say("extends its lease"), func(n *lState) { n.record.leaseOver = false })
	}
	switch r.place {
	case lIdle:
		b.comes(i, say)
	case lClaim:
		b.claim(i, say)
	case lTakeOver:
		b.takeOver(i, say)
	case lUnclaim:
		b.add(say("gives back what it may have"), func(n *lState) { n.handBack(b.Setting, i, lOver) })
	case lReserve:
		b.reserve(i, say)
	case lRecorded:
		b.add(say("records its phase"), func(n *lState) {
			n.record.phase = n.record.phase || n.record.id == n.requests[i].id
			n.requests[i].place = lCharge
		})
	case lCharge:
		b.charge(i, say)
	case lFinal:
		b.final(i, say)
	case lDoubt:
		b.add(say("gives the record back, to see whether its commit was first"), func(n *lState) { n.resolve(b.Setting, i) })
	case lCommitted:
		b.committed(i, say)
	case lHandBack:
		b.add(say("gives the record back"), func(n *lState) { n.handBack(b.Setting, i, lLost) })
	case lRetry:
		b.add(say("says that nothing was done"), func(n *lState) { n.retry(b.Setting, i) })
	case lLost:
		b.lost(i, say)
	case lOver, lDead:
		if b.from.returns > 0 && !b.from.last && !b.worker(i) && r.ending == open {
			b.add(say("comes again"), func(n *lState) {
				n.returns--
				n.requests[i] = lRequest{place: lClaim, token: n.issue(), command: b.command(i)}
			})
		}
	}
}

// trouble: something may still go wrong.
func (b *lSteps) trouble() bool { return b.from.troubles > 0 && !b.from.last }

// comes begins a request, or the worker's turn.
func (b *lSteps) comes(i int, say sayer) {
	s := &b.from
	switch {
	case b.worker(i):
		if s.record.state == idem.StateInFlight && s.record.leaseOver {
			b.add(say("takes what is due"), func(n *lState) {
				n.requests[i] = lRequest{token: n.issue(), from: n.record.token}
				n.take(b.Setting, i)
			})
		}
	case i > 0 && s.requests[i-1].place == lIdle && b.equal(i, i-1): // equal requests come in one order
	default:
		b.add(say("comes"), func(n *lState) { n.requests[i] = lRequest{place: lClaim, token: n.issue(), command: b.command(i)} })
	}
}

// claim is where the table decides. The answer may be lost: then the request claims again, and the store knows its token.
func (b *lSteps) claim(i int, say sayer) {
	s, r := &b.from, &b.from.requests[i]
	condition, action := s.record.condition(b.Setting), idem.ActClaim
	if own := s.record.state == idem.StateInFlight && s.record.token == r.token; !own {
		action = idem.Decide(condition, compare(s.record.command, r.command), idem.Leased)
	}
	if b.Flaw == TakesAnything && s.record.state != idem.StateAbsent && s.record.token != r.token {
		action = idem.ActTakeOver
	}
	switch action {
	case idem.ActClaim:
		b.add(say("claims"), func(n *lState) { n.claim(i, condition); n.begin(b.Setting, i) })
		if b.trouble() {
			b.add(say("claims, and the answer is lost"), func(n *lState) { n.troubles--; n.claim(i, condition) })
		}
	case idem.ActTakeOver, idem.ActNextAttempt:
		b.add(say("finds an attempt that is over"), func(n *lState) {
			n.requests[i].from, n.requests[i].place = n.record.token, lTakeOver
		})
	case idem.ActReplay:
		b.add(say("reads the outcome of %d", s.record.token), func(n *lState) { n.replay(i) })
	case idem.ActMismatch:
		b.add(say("finds another command's record"), func(n *lState) { n.requests[i].place, n.requests[i].ending = lOver, refuses })
	case idem.ActUnknown:
		b.add(say("finds that the outcome is unknown"), func(n *lState) { n.requests[i].place, n.requests[i].ending = lOver, refuses })
	case idem.ActInFlight:
		if !s.last { // the last one comes again until it has an answer
			b.add(say("finds an attempt under way"), func(n *lState) { n.requests[i].place = lOver })
		}
	case idem.ActIncomparable:
		b.add(say("cannot compare, although there is one version"), func(n *lState) { n.foreign = true })
	}
}

// claim makes a record, or finds that the request's own claim was there before.
func (s *lState) claim(i int, found idem.Condition) {
	r := &s.requests[i]
	if s.record.state == idem.StateInFlight && s.record.token == r.token {
		return
	}
	if found == idem.ConditionExpired && s.record.state != idem.StateInFlight {
		s.expire()
	}
	s.record = lRecord{state: idem.StateInFlight, id: r.token, token: r.token, attempt: 1, command: r.command}
}

// begin gives the record to request i, which goes on after what is recorded.
func (s *lState) begin(set Setting, i int) {
	r := &s.requests[i]
	r.id, r.command, r.attempt, r.from = s.record.id, s.record.command, s.record.attempt, none
	r.place = lReserve
	if s.record.phase && set.Flaw != RunsPhasesAgain {
		r.place = lCharge
	}
}

// takeOver is guarded: the token is still the one that was found, and the attempt is over.
func (b *lSteps) takeOver(i int, say sayer) {
	s, r := &b.from, &b.from.requests[i]
	over := s.record.state == idem.StateInFlight && (s.record.leaseOver || b.Flaw == TakesLive) ||
		s.record.state == idem.StateFailedRetryable && !s.record.past || b.Flaw == TakesAnything
	if s.record.token != r.from || !over {
		b.add(say("finds that somebody else was first"), func(n *lState) { n.requests[i].from, n.requests[i].place = none, lClaim })
		return
	}
	b.add(say("takes the record over"), func(n *lState) { n.take(b.Setting, i) })
	if b.trouble() {
		b.add(say("takes the record over, and the answer is lost"), func(n *lState) {
			n.troubles--
			n.take(b.Setting, i)
			n.requests[i].place = lUnclaim
		})
	}
}

// take begins the next attempt.
func (s *lState) take(set Setting, i int) {
	retryable := s.record.state == idem.StateFailedRetryable
	s.stolen = s.stolen || s.record.state == idem.StateInFlight && !s.record.leaseOver
	s.record.state, s.record.token, s.record.leaseOver = idem.StateInFlight, s.requests[i].token, false
	if set.Flaw == FenceByAttempt {
		s.record.attempt++
	}
	if set.Hold && !retryable {
		s.record.state = idem.StateUnknown
		s.requests[i].place, s.requests[i].ending = lOver, refuses
		return
	}
	s.begin(set, i)
}
