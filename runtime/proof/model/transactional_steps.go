package model

import (
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Transactional is the protocol in which claim, writes and outcome commit together, statement by statement as pgstore sends it.
func Transactional(set Setting) System[tState] {
	return System[tState]{
		Initial:   tState{troubles: max(set.Troubles, 1), expiries: 1, returns: 1},
		Canonical: func(s tState) tState { return s.canonical(set) },
		Steps: func(s tState) []Step[tState] {
			b := tSteps{Setting: set, from: s}
			b.database()
			for i := range s.requests {
				b.request(i)
			}
			if len(b.all) == 0 && !s.last {
				b.add("all is quiet, and one more request comes", func(n *tState) {
					n.last, n.requests[0] = true, tRequest{place: tInsert, token: n.issue()}
				})
			}
			return b.all
		},
		Check: func(s tState) error { return s.check() },
		CheckEnd: func(s tState) error {
			if s.tx.token != 0 || s.requests[0].place != tOver {
				return errors.New("stuck: the last request has no answer")
			}
			return nil
		},
	}
}

// tSteps collects what can happen in a state.
type tSteps struct {
	Setting
	from tState
	all  []Step[tState]
}

func (b *tSteps) add(name string, change func(*tState)) {
	next := b.from
	change(&next)
	if next.check() == nil { // else the check shall see what was done
		next.normalise()
	}
	b.all = append(b.all, Step[tState]{name, next})
}

// database is what happens without a request: time, the sweeper, connections that break.
func (b *tSteps) database() {
	s := &b.from
	if s.record.state != idem.StateAbsent && !s.record.past && s.expiries > 0 {
		b.add("the record expires", func(n *tState) { n.record.past = true; n.expiries-- })
	}
	if s.tx.token != 0 && !s.tx.past && s.expiries > 0 {
		b.add("the retention of a running claim passes", func(n *tState) { n.tx.past = true; n.expiries-- })
	}
	if s.record.condition() == idem.ConditionExpired && s.tx.token == 0 {
		b.add("the sweeper deletes the record", func(n *tState) { n.record = tRecord{}; n.expire() })
	}
	if s.tx.token == 0 {
		return
	}
	if s.tx.connected && s.troubles > 0 {
		b.add(fmt.Sprintf("the server ends transaction %d", s.tx.token), func(n *tState) { n.tx = tTransaction{}; n.troubles-- })
	}
	if !s.tx.connected {
		b.add(fmt.Sprintf("the server notices that the client of transaction %d is gone", s.tx.token), func(n *tState) { n.tx = tTransaction{} })
		if s.tx.sent != open {
			b.add(fmt.Sprintf("transaction %d commits all the same", s.tx.token), func(n *tState) { n.commit(b.Flaw) })
		}
	}
}

// commit is the server's: the record with its outcome, and the writes unless they are rolled back.
func (s *tState) commit(flaw Flaw) {
	if !s.tx.fresh && s.record.past {
		s.expire() // a record that had expired is replaced
	}
	state := idem.StateCompleted
	if s.tx.sent == refuses {
		state = idem.StateFailedReplayable
	} else if flaw != EffectOutside {
		s.commitEffect(s.tx.token)
	}
	s.record = tRecord{state: state, token: s.tx.token, command: s.tx.command, ending: s.tx.sent, past: s.tx.past}
	s.tx = tTransaction{}
}

// request is what request i may do next.
func (b *tSteps) request(i int) {
	r := &b.from.requests[i]
	say := func(format string, args ...any) string {
		return fmt.Sprintf("request %d ", i+1) + fmt.Sprintf(format, args...)
	}
	if r.place != tIdle && r.place != tOver && r.place != tDead && b.from.troubles > 0 && !b.from.last {
		b.add(say("crashes"), func(n *tState) { n.disconnect(i); n.troubles--; n.requests[i].place = tDead })
	}
	switch r.place {
	case tIdle:
		if i > 0 && b.from.requests[i-1].place == tIdle && b.equal(i, i-1) {
			return // equal requests come in one order, since they could change names
		}
		b.add(say("comes"), func(n *tState) { n.requests[i] = tRequest{place: tInsert, token: n.issue()} })
	case tInsert:
		b.insert(i, say)
	case tRead:
		b.read(i, say)
	case tTakeOver:
		b.takeOver(i, say)
	case tRun:
		b.run(i, say)
	case tComplete:
		b.complete(i, say)
	case tCommitted:
		b.committed(i, say)
	case tRecord2:
		b.recordAfterwards(i, say)
	case tDead, tOver:
		if b.from.returns > 0 && !b.from.last && r.ending == open {
			b.add(say("comes again"), func(n *tState) { n.returns--; n.requests[i] = tRequest{place: tInsert, token: n.issue()} })
		}
	}
}

// disconnect takes the client away from its transaction.
func (s *tState) disconnect(i int) {
	if s.tx.token == s.requests[i].token {
		s.tx.connected = false
	}
}

// sayer puts a request's name before what it does.
type sayer = func(format string, args ...any) string

func newSayer(i int) sayer {
	return func(format string, args ...any) string {
		return fmt.Sprintf("request %d ", i+1) + fmt.Sprintf(format, args...)
	}
}

// blocked: somebody else's transaction holds the row.
func (b *tSteps) blocked(i int, say sayer) {
	b.add(say("waits for the row until its lock timeout"), func(n *tState) {
		if b.Flaw == TimeoutIsDone {
			n.tell(n.tx.token, n.life, succeeds)
		}
		n.requests[i].place = tOver // in flight: come again
	})
}

func (b *tSteps) insert(i int, say sayer) {
	s := &b.from
	switch {
	case b.Flaw == ReadThenWrite, b.Flaw == ReadInDoubt && s.requests[i].doubt:
		b.read(i, say)
	case s.tx.token != 0:
		b.blocked(i, say)
	case s.record.state != idem.StateAbsent:
		b.add(say("finds a row"), func(n *tState) { n.requests[i].place = tRead })
	default:
		b.add(say("claims"), func(n *tState) { n.hold(b.Setting, i, true) })
	}
}

// hold gives the row to request i. One that claims again to find out what became of its commit now knows that there was none.
func (s *tState) hold(set Setting, i int, fresh bool) {
	r := &s.requests[i]
	if r.doubt {
		s.sayNothing(i)
		return
	}
	s.tx = tTransaction{token: r.token, command: set.command(i), fresh: fresh, connected: true}
	r.place, r.life = tRun, s.life
}

// sayNothing answers that nothing is left of request i. It is no statement about a life that is over.
func (s *tState) sayNothing(i int) {
	r := &s.requests[i]
	if r.life == s.life && !s.record.past {
		s.nothing = s.nothing.with(r.token)
	}
	r.place = tOver
}

// read is where the table decides.
func (b *tSteps) read(i int, say sayer) {
	s, mine := &b.from, b.command(i)
	condition := s.record.condition()
	switch idem.Decide(condition, compare(s.record.command, mine), idem.Transactional) {
	case idem.ActClaim:
		b.readFree(i, condition, say)
	case idem.ActReplay:
		b.add(say("reads the outcome of %d", s.record.token), func(n *tState) {
			n.tell(n.record.token, n.life, n.record.ending)
			n.foreign = n.foreign || n.record.command != mine
			n.requests[i].place, n.requests[i].ending = tOver, n.record.ending
		})
	case idem.ActMismatch:
		b.add(say("reads another command's record"), func(n *tState) { n.requests[i].place, n.requests[i].ending = tOver, refuses })
	case idem.ActInFlight, idem.ActIncomparable, idem.ActTakeOver, idem.ActNextAttempt, idem.ActUnknown:
		b.add(say("finds what a transactional record never is"), func(n *tState) { n.conflict = true })
	}
}

func (b *tSteps) readFree(i int, condition idem.Condition, say sayer) {
	switch {
	case b.Flaw == ReadInDoubt && b.from.requests[i].doubt:
		b.add(say("reads no outcome of its own, and says that there is none"), func(n *tState) { n.sayNothing(i) })
	case b.Flaw == ReadThenWrite:
		b.add(say("reads that the key is free, and runs"), func(n *tState) { n.requests[i].place = tRun })
	case condition == idem.ConditionExpired:
		b.add(say("reads an expired record"), func(n *tState) { n.requests[i].place = tTakeOver })
	default:
		b.add(say("reads that the row is gone"), func(n *tState) { n.requests[i].place = tInsert })
	}
}

// takeOver is guarded: whether the record has expired is decided again, on the row.
func (b *tSteps) takeOver(i int, say sayer) {
	s := &b.from
	switch {
	case s.tx.token != 0:
		b.blocked(i, say)
	case s.record.condition() == idem.ConditionExpired, b.Flaw == UnguardedTakeover && s.record.state != idem.StateAbsent:
		b.add(say("takes the expired record over"), func(n *tState) { n.hold(b.Setting, i, false) })
	default:
		b.add(say("finds the record changed"), func(n *tState) { n.requests[i].place = tInsert })
	}
}
