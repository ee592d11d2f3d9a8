package model

import "github.com/idemgen/idemgen/runtime/idem"

// run is the handler: it writes, and ends in one of three ways.
func (b *tSteps) run(i int, say sayer) {
	s := &b.from
	if b.Flaw == ReadThenWrite {
		b.add(say("commits its writes"), func(n *tState) {
			n.commitEffect(n.requests[i].token)
			n.requests[i].place, n.requests[i].ending = tRecord2, succeeds
		})
		return
	}
	if s.tx.token != s.requests[i].token {
		b.add(say("finds its transaction gone"), func(n *tState) { n.sayNothing(i) })
		return
	}
	for e, name := range map[ending]string{succeeds: "writes and completes", refuses: "refuses"} {
		if s.last && e == refuses {
			continue
		}
		b.add(say("%s", name), func(n *tState) { n.send(b.Flaw, i, e) })
	}
	if !s.last {
		b.add(say("fails and rolls back"), func(n *tState) {
			n.writeOutside(b.Flaw, n.requests[i].token)
			n.tx = tTransaction{}
			n.requests[i].place = tOver
		})
	}
}

// writeOutside is the flaw of a handler that does not write through its transaction.
func (s *tState) writeOutside(flaw Flaw, t token) {
	if flaw == EffectOutside {
		s.commitEffect(t)
	}
}

// send puts completion and commit on their way.
func (s *tState) send(flaw Flaw, i int, e ending) {
	r := &s.requests[i]
	s.tx.sent = e
	r.place, r.ending = tComplete, e
	if e == succeeds {
		s.writeOutside(flaw, r.token)
	}
	if flaw == AnswerFirst {
		s.tell(r.token, s.life, e)
	}
}

// complete is the last round trip: it commits, or the transaction is gone, or nobody knows.
func (b *tSteps) complete(i int, say sayer) {
	s := &b.from
	if s.tx.token == s.requests[i].token {
		b.add(say("commits"), func(n *tState) {
			n.commit(b.Flaw)
			n.requests[i].place, n.requests[i].life = tCommitted, n.life
		})
		b.loses(i, say)
		return
	}
	b.add(say("hears nothing of its commit"), func(n *tState) { n.inDoubt(i) })
}

// loses breaks the connection before the answer is there.
func (b *tSteps) loses(i int, say sayer) {
	if b.from.troubles == 0 || b.from.last {
		return
	}
	b.add(say("loses its connection"), func(n *tState) {
		n.troubles--
		n.disconnect(i)
		n.inDoubt(i)
	})
}

// inDoubt claims again with the same token.
func (s *tState) inDoubt(i int) {
	s.requests[i].place, s.requests[i].doubt, s.requests[i].ending = tInsert, true, open
}

func (b *tSteps) committed(i int, say sayer) {
	b.add(say("is answered"), func(n *tState) {
		r := &n.requests[i]
		n.tell(r.token, r.life, r.ending)
		r.place = tOver
	})
	b.loses(i, say)
}

// recordAfterwards is the second half of ReadThenWrite.
func (b *tSteps) recordAfterwards(i int, say sayer) {
	b.add(say("writes the record if there is none"), func(n *tState) {
		r := &n.requests[i]
		if n.record.condition() == idem.ConditionExpired {
			n.expire()
			n.inLife = 1
			n.record = tRecord{}
		}
		if n.record.state == idem.StateAbsent {
			n.record = tRecord{state: idem.StateCompleted, token: r.token, command: b.command(i), ending: succeeds}
		}
		n.tell(r.token, n.life, succeeds)
		r.place = tOver
	})
}
