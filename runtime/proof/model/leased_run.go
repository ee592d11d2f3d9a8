package model

import "github.com/idemgen/idemgen/runtime/idem"

// reserve is the first phase: its writes, its record and the fence commit together.
func (b *lSteps) reserve(i int, say sayer) {
	s, r := &b.from, &b.from.requests[i]
	if b.Flaw == PhaseApart {
		b.add(say("commits its first phase's writes"), func(n *lState) { n.reserved++; n.requests[i].place = lRecorded })
		return
	}
	if !s.holds(b.Setting, r) && b.Flaw != Unfenced {
		b.add(say("is refused by the fence"), func(n *lState) { n.requests[i].place = lLost })
		return
	}
	commit := func(n *lState) { n.reserved++; n.record.phase = true }
	b.add(say("commits its first phase"), func(n *lState) { commit(n); n.requests[i].place = lCharge })
	if b.trouble() {
		b.add(say("commits its first phase, and the answer is lost"), func(n *lState) { n.troubles--; commit(n); n.requests[i].place = lHandBack })
		b.add(say("cannot commit its first phase"), func(n *lState) { n.troubles--; n.requests[i].place = lHandBack })
	}
	if !s.last && !s.record.phase {
		b.add(say("finds that there is nothing to do yet"), func(n *lState) { n.requests[i].place = lRetry })
	}
}

// charge asks the provider, which nothing fences: its key is the same in every attempt.
func (b *lSteps) charge(i int, say sayer) {
	b.add(say("has the provider charge"), func(n *lState) {
		key := n.requests[i].id
		if b.Flaw == ChargesByAttempt {
			key = n.requests[i].token
		}
		n.pay(key)
		n.requests[i].place = lFinal
	})
	if b.trouble() {
		b.add(say("fails before the provider is asked"), func(n *lState) { n.troubles--; n.requests[i].place = lHandBack })
	}
}

// final is the last phase, with the outcome.
func (b *lSteps) final(i int, say sayer) {
	for _, e := range []ending{succeeds, refuses} {
		if b.from.last && e == refuses {
			continue
		}
		name := map[ending]string{succeeds: "a success", refuses: "a refusal"}[e]
		b.add(say("completes with %s", name), func(n *lState) {
			r := &n.requests[i]
			r.ending = e
			if !n.commitFinal(b.Setting, *r) {
				r.place = lLost
				return
			}
			r.place, r.life = lCommitted, n.life
		})
		if b.trouble() && !b.from.late.open {
			b.add(say("completes with %s, and its connection is lost", name), func(n *lState) {
				n.troubles--
				n.requests[i].ending = e
				n.late = lLate{n.requests[i], true}
				n.requests[i].place = lDoubt
			})
		}
	}
	if b.trouble() {
		b.add(say("fails"), func(n *lState) { n.troubles--; n.requests[i].place = lHandBack })
	}
}

// commitFinal is the server's: the phase's writes and the outcome, if the fence lets them.
func (s *lState) commitFinal(set Setting, r lRequest) (committed bool) {
	holds := s.holds(set, &r)
	if !holds && set.Flaw != Unfenced {
		return false
	}
	if r.ending == succeeds {
		s.commitEffect(r.token)
	}
	if !holds {
		return true // without a fence it does not even notice
	}
	s.unpaid = s.unpaid || !s.charged.has(r.id) && set.Flaw != ChargesByAttempt
	s.record.state, s.record.ending = idem.StateCompleted, r.ending
	if r.ending == refuses {
		s.record.state = idem.StateFailedReplayable
	}
	s.record.token, s.record.phase, s.record.past = r.token, false, false // it lives anew from its completion
	return true
}

// handBack ends the lease at once. Who is refused goes to instead.
func (s *lState) handBack(set Setting, i int, instead lPlace) {
	r := &s.requests[i]
	if !s.holds(set, r) {
		r.place = instead
		return
	}
	s.record.leaseOver = true
	r.place, r.ending = lOver, open
}

// retry frees the record for the next attempt, as long as no phase is recorded.
func (s *lState) retry(set Setting, i int) {
	r := &s.requests[i]
	if !s.holds(set, r) {
		r.place = lLost
		return
	}
	s.record.state = idem.StateFailedRetryable
	r.place, r.ending = lOver, open
}

// resolve finds out what became of the last commit: if the record can be given back, it had not been committed.
func (s *lState) resolve(set Setting, i int) {
	r := &s.requests[i]
	switch outcome := s.record.state == idem.StateCompleted || s.record.state == idem.StateFailedReplayable; {
	case outcome && s.record.token == r.token:
		s.tell(r.token, s.life, r.ending)
		r.place = lOver
	default:
		s.handBack(set, i, lLost)
	}
}

func (b *lSteps) committed(i int, say sayer) {
	b.add(say("is answered"), func(n *lState) {
		r := &n.requests[i]
		if !b.worker(i) {
			n.tell(r.token, r.life, r.ending)
		}
		r.place = lOver
	})
	if b.trouble() {
		b.add(say("loses its client"), func(n *lState) { n.troubles--; n.requests[i].place, n.requests[i].ending = lOver, open })
	}
}

// lost answers with what is recorded by now, if that is an outcome.
func (b *lSteps) lost(i int, say sayer) {
	s, r := &b.from, &b.from.requests[i]
	switch {
	case b.Flaw == OwnResult && r.ending != open:
		b.add(say("answers with its own result all the same"), func(n *lState) {
			n.tell(n.requests[i].token, n.life, n.requests[i].ending)
			n.requests[i].place = lOver
		})
	case idem.Decide(s.record.condition(b.Setting), compare(s.record.command, r.command), idem.Leased) == idem.ActReplay && !b.worker(i):
		b.add(say("finds the outcome of %d in place of its own", s.record.token), func(n *lState) { n.replay(i) })
	default:
		b.add(say("finds no outcome"), func(n *lState) { n.requests[i].place, n.requests[i].ending = lOver, open })
	}
}

// replay answers with what is recorded.
func (s *lState) replay(i int) {
	r := &s.requests[i]
	s.tell(s.record.token, s.life, s.record.ending)
	s.foreign = s.foreign || s.record.command != r.command
	r.place, r.ending = lOver, s.record.ending
}
