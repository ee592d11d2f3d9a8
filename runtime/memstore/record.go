package memstore

import (
	"bytes"
	"slices"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// address is a record's primary key.
type address struct{ scope, keyspace, key string }

// businessKey names the thing that a record is about.
type businessKey struct{ scope, keyspace, digest string }

// record is one row. Where its claim says that it stands, it stands until it is removed or its place is taken after it expired.
type record struct {
	claim      idem.Claim // its Token is that of the present attempt
	state      idem.State
	attempt    int
	response   idem.Response
	notKept    bool
	phases     []idem.PhaseRecord
	createdAt  time.Time
	leaseUntil time.Time     // zero in transactional execution
	expiresAt  time.Time     // zero: never
	waiting    time.Time     // since when an unknown outcome waits for somebody
	settled    chan struct{} // closed when a transactional holder completes or releases; nil in leased execution
	// replaced are the expired records in whose places it stands, until a transactional holder completes: they come back when
	// it releases.
	replaced map[address]*record
}

// places are where a record for c stands, in the order in which they are claimed.
func places(c *idem.Claim) []address {
	now := address{c.Scope, c.Keyspace, c.Key}
	if c.Before == "" {
		return []address{now}
	}
	return []address{{c.Before, c.Keyspace, c.Key}, now}
}

// businessKeys are where the business key of a record for c stands: under each of its scopes.
func businessKeys(c *idem.Claim) []businessKey {
	if c.Business == nil {
		return nil
	}
	var keys []businessKey
	for _, at := range places(c) {
		keys = append(keys, businessKey{at.scope, at.keyspace, string(c.Business)})
	}
	return keys
}

// add makes the record of a claim that found every place free. Nothing in it is shared with the caller.
func (s *Store) add(c idem.Claim, mode idem.ExecutionMode) *record {
	c.Fingerprints, c.Fields = bytes.Clone(c.Fingerprints), bytes.Clone(c.Fields)
	c.Business, c.Request = bytes.Clone(c.Business), bytes.Clone(c.Request)
	now := s.now()
	r := &record{claim: c, state: idem.StateInFlight, attempt: 1, createdAt: now, expiresAt: expiry(now, c.Retention)}
	if mode == idem.Leased {
		r.leaseUntil = now.Add(c.Lease)
	} else {
		r.settled = make(chan struct{})
		r.replaced = map[address]*record{}
	}
	for _, at := range places(&c) {
		if old := s.records[at]; old != nil && r.replaced != nil {
			r.replaced[at] = old
		}
		s.records[at] = r
	}
	for _, at := range businessKeys(&c) {
		s.business[at] = r
	}
	return r
}

// remove takes r out of every place in which it still stands.
func (s *Store) remove(r *record) {
	for _, at := range places(&r.claim) {
		if s.records[at] == r {
			delete(s.records, at)
		}
	}
	for _, at := range businessKeys(&r.claim) {
		if s.business[at] == r {
			delete(s.business, at)
		}
	}
}

// all gives every record once.
func (s *Store) all() []*record {
	seen := map[*record]bool{}
	var all []*record
	for _, r := range s.records {
		if !seen[r] {
			seen[r] = true
			all = append(all, r)
		}
	}
	return all
}

// holds reports whether token's attempt still has the leased record r: what an attempt does under another token must change nothing.
func (r *record) holds(token idem.UUID) bool {
	return r != nil && r.leased() && r.state == idem.StateInFlight && r.claim.Token == token
}

// expired and leaseOver hold from the instant on at which the time ends.
func (s *Store) expired(r *record) bool { return !r.expiresAt.IsZero() && !s.now().Before(r.expiresAt) }

func (s *Store) leaseOver(r *record) bool {
	return r.state == idem.StateInFlight && r.leased() && !s.now().Before(r.leaseUntil)
}

func (r *record) leased() bool { return !r.leaseUntil.IsZero() }

// action asks the decision table what r is to a claim. Commands are not compared here, and what a store does depends on none.
func (s *Store) action(r *record) idem.Action {
	mode := idem.Transactional
	if r.leased() {
		mode = idem.Leased
	}
	return idem.Decide(idem.ConditionOf(r.state, s.expired(r), s.leaseOver(r)), idem.SameCommand, mode)
}

func (s *Store) absent(r *record) bool { return s.action(r) == idem.ActClaim }

// prior copies the record out, so that nobody can write into the store. Of a transactional record in flight nothing is known but
// that: its row is not committed.
func (s *Store) prior(r *record) idem.Prior {
	if r.state == idem.StateInFlight && !r.leased() {
		return idem.Prior{State: idem.StateInFlight}
	}
	p := idem.Prior{
		State: r.state, Operation: r.claim.Operation, RecordID: r.claim.RecordID, Token: r.claim.Token, Attempt: r.attempt,
		Fingerprints: bytes.Clone(r.claim.Fingerprints), Fields: bytes.Clone(r.claim.Fields),
		Response: copyResponse(r.response), NotKept: r.notKept,
		Scope: r.claim.Scope, Keyspace: r.claim.Keyspace, Key: r.claim.Key, Before: r.claim.Before,
		LeaseOver: s.leaseOver(r),
	}
	if r.state == idem.StateInFlight {
		p.LeaseLeft = max(r.leaseUntil.Sub(s.now()), 0)
	}
	return p
}

// settle stores how an attempt ended.
func (s *Store) settle(r *record, c *idem.Completion) {
	now := s.now()
	r.state = c.State
	switch c.State {
	case idem.StateCompleted, idem.StateFailedReplayable:
		r.response, r.notKept = copyResponse(c.Response), c.NotKept
		if c.NotKept {
			r.response.Body = nil
		}
	case idem.StateInFlight:
		r.leaseUntil = now.Add(c.Delay)
	case idem.StateUnknown:
		r.waiting = now
	case idem.StateAbsent, idem.StateFailedRetryable: // an attempt that left nothing
	}
	if until := expiry(now, c.Retention); c.Retention != 0 && !r.expiresAt.IsZero() && (until.IsZero() || until.After(r.expiresAt)) {
		r.expiresAt = until
	}
}

func isOutcome(s idem.State) bool { return s == idem.StateCompleted || s == idem.StateFailedReplayable }

func expiry(now time.Time, retention time.Duration) time.Time {
	if retention == idem.Forever {
		return time.Time{}
	}
	return now.Add(retention)
}

func copyResponse(r idem.Response) idem.Response {
	return idem.Response{Status: r.Status, Header: r.Header.Clone(), Body: append([]byte(nil), r.Body...)}
}

func copyPhases(phases []idem.PhaseRecord) []idem.PhaseRecord {
	copied := slices.Clone(phases)
	for i := range copied {
		copied[i].Result = bytes.Clone(copied[i].Result)
	}
	return copied
}
