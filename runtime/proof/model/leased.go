package model

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/idem"
)

// lRecord is the committed row of a leased operation.
type lRecord struct {
	state     idem.State
	id        token // the claim that made it: the record's id
	token     token // the attempt that holds it
	attempt   uint8 // counted only where a flaw looks at it
	command   uint8
	phase     bool // the first phase is recorded
	ending    ending
	leaseOver bool
	past      bool // its retention is over
}

func (r lRecord) condition(set Setting) idem.Condition {
	if set.Flaw == ExpiresInFlight && r.state == idem.StateInFlight && r.past {
		return idem.ConditionExpired
	}
	return idem.ConditionOf(r.state, r.past, r.leaseOver)
}

// lPlace is how far a request has come.
type lPlace uint8

const (
	lIdle      lPlace = iota
	lClaim            // about to claim
	lTakeOver         // it read a record that may be taken over, and is about to
	lUnclaim          // the answer to its takeover was lost: about to give back what it may have
	lReserve          // the first phase is open
	lRecorded         // a flaw: the phase has committed, its record has not
	lCharge           // about to ask the provider
	lFinal            // the last phase is open
	lDoubt            // the answer to the last commit was lost: about to give the record back
	lCommitted        // committed, the answer is under way
	lHandBack         // no outcome: about to give the record back
	lRetry            // nothing was done: about to free the record for the next attempt
	lLost             // the fence refused: about to look what stands there
	lOver             // answered
	lDead             // its process has crashed
)

// lRequest is a request under way, with the attempt that it believes to hold.
type lRequest struct {
	place   lPlace
	token   token
	id      token // of the record
	from    token // the attempt that it found
	attempt uint8
	command uint8 // the record's, once it has one: a recovery has the first attempt's
	ending  ending
	life    uint8
}

// lLate is a last phase whose client is gone: the server may still read and commit it.
type lLate struct {
	request lRequest
	open    bool
}

// lState is everything.
type lState struct {
	world
	record   lRecord
	requests [requests]lRequest
	late     lLate
	last     bool
	// What may still happen: crashes and lost connections, leases that run out under a living holder, records that expire,
	// requests that come again.
	troubles, leases, expiries, returns uint8
}

// holds: the record is still the attempt's. This is the fence.
func (s *lState) holds(set Setting, r *lRequest) bool {
	same := s.record.token == r.token
	if set.Flaw == FenceByAttempt {
		same = s.record.attempt == r.attempt
	}
	return s.record.state == idem.StateInFlight && (same || set.Flaw == Unfenced)
}

// issue gives a token that nobody uses.
func (s *lState) issue() token {
	s.normalise()
	most := slices.Max(s.outcome[:])
	for _, t := range s.tokens() {
		most = max(most, *t)
	}
	return most + 1
}

// normalise forgets what does not matter any more.
func (s *lState) normalise() {
	for i := range s.requests {
		r := &s.requests[i]
		switch r.place {
		case lDead:
			*r = lRequest{place: lOver}
		case lOver:
			*r = lRequest{place: lOver, ending: min(r.ending, succeeds)}
		case lIdle, lClaim, lTakeOver, lUnclaim, lReserve, lRecorded, lCharge, lFinal, lDoubt, lCommitted, lHandBack, lRetry, lLost:
		}
	}
	s.renumber(s.tokens()...)
}

// canonical puts requests that could change names into an order.
func (s lState) canonical(set Setting) lState {
	for i := range s.requests {
		for j := i; j > 0 && set.equal(j, j-1) && s.rank(j) < s.rank(j-1); j-- {
			s.requests[j], s.requests[j-1] = s.requests[j-1], s.requests[j]
		}
	}
	s.normalise()
	return s
}

// rank tells requests apart by everything but the numbers of their tokens. The last request keeps its place.
func (s *lState) rank(i int) (rank uint32) {
	r := &s.requests[i]
	if s.last && i == 0 {
		return 0
	}
	rank = uint32(r.place)<<16 | uint32(r.ending)<<12 | uint32(r.life)<<10 | uint32(r.command)<<8 | uint32(r.attempt)
	for bit, is := range []bool{
		r.token == s.record.token, r.id == s.record.id, r.from == s.record.token, s.effects.has(r.token), s.charged.has(r.id),
		r.token == s.late.request.token, s.told.has(r.token),
	} {
		if is {
			rank |= 1 << (24 + bit)
		}
	}
	return rank
}

// tokens are all that are in use, besides those that were told.
func (s *lState) tokens() []*token {
	all := []*token{&s.record.id, &s.record.token, &s.late.request.token, &s.late.request.id}
	for i := range s.requests {
		all = append(all, &s.requests[i].token, &s.requests[i].id, &s.requests[i].from)
	}
	return all
}
