package model

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/idem"
)

// tRecord is the committed row.
type tRecord struct {
	state   idem.State
	token   token
	command uint8
	ending  ending
	past    bool // its retention is over
}

func (r tRecord) condition() idem.Condition { return idem.ConditionOf(r.state, r.past, false) }

// tTransaction is the one that holds the row: others wait for it.
type tTransaction struct {
	token     token // 0: nobody holds the row
	command   uint8
	fresh     bool // it inserted the row, which nobody else sees
	connected bool // its client can still speak with it
	sent      ending
	past      bool // retention is over before it committed
}

// tPlace is how far a request has come.
type tPlace uint8

const (
	tIdle      tPlace = iota
	tInsert           // about to insert
	tRead             // the insert found a row: about to read it
	tTakeOver         // it has expired: about to take it
	tRun              // the handler runs
	tComplete         // completion and commit are under way
	tCommitted        // committed, the answer is under way
	tRecord2          // a flaw: committed without a record, which is about to be written
	tOver             // answered
	tDead             // its process has crashed
)

// tRequest is a request under way.
type tRequest struct {
	place  tPlace
	token  token
	doubt  bool // its commit's answer was lost: it claims again with the same token
	ending ending
	life   uint8
}

// tState is everything.
type tState struct {
	world
	record   tRecord
	tx       tTransaction
	requests [requests]tRequest
	last     bool // the last request, which finds everything quiet
	// What may still happen: crashes and lost connections, records that expire, requests that come again.
	troubles, expiries, returns uint8
}

// issue gives a token that nobody uses.
func (s *tState) issue() token {
	s.normalise()
	most := max(s.record.token, s.tx.token, slices.Max(s.outcome[:]))
	for _, r := range s.requests {
		most = max(most, r.token)
	}
	return most + 1
}

// normalise forgets what does not matter any more.
func (s *tState) normalise() {
	inUse := []*token{&s.record.token, &s.tx.token}
	for i := range s.requests {
		r := &s.requests[i]
		switch r.place {
		case tDead:
			*r = tRequest{place: tOver}
		case tOver:
			*r = tRequest{place: tOver, ending: min(r.ending, succeeds)}
		case tIdle, tInsert, tRead, tTakeOver, tRun, tComplete, tCommitted, tRecord2:
		}
		inUse = append(inUse, &r.token)
	}
	s.renumber(inUse...)
}

// canonical puts requests that could change names into an order.
func (s tState) canonical(set Setting) tState {
	for i := range s.requests {
		for j := i; j > 0 && set.equal(j, j-1) && s.rank(j) < s.rank(j-1); j-- {
			s.requests[j], s.requests[j-1] = s.requests[j-1], s.requests[j]
		}
	}
	s.normalise()
	return s
}

// rank tells requests apart by everything but the numbers of their tokens. The last request keeps its place.
func (s *tState) rank(i int) (rank uint32) {
	r := &s.requests[i]
	if s.last && i == 0 {
		return 0
	}
	rank = uint32(r.place)<<16 | uint32(r.ending)<<12 | uint32(r.life)<<8
	for bit, is := range []bool{
		r.doubt, r.token == s.record.token, r.token == s.tx.token, s.effects.has(r.token), s.told.has(r.token), s.nothing.has(r.token),
	} {
		if is {
			rank |= 1 << (24 + bit)
		}
	}
	return rank
}
