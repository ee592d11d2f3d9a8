package idem

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Address is where the record of a request stands.
type Address struct {
	Scope string
	// Before is a second scope that the record may stand under; empty: none.
	Before   string
	Keyspace string
	// Key is the client's, or what stands in its place where a request has a business key alone.
	Key string
	// Business is the digest of the request's business key; nil: it has none.
	Business []byte
}

// StoredRecord is a record as people may look at it: what it stands at, since when, and how large it is. Of what its request and its
// response said it has the names of headers and nothing else.
type StoredRecord struct {
	State     State
	Operation string
	RecordID  UUID
	Attempt   int
	// Expired: the record answers no more, and the next request takes its place.
	Expired bool
	// LeaseOver: in flight, and its holder has been silent for longer than its lease.
	LeaseOver bool
	// Business: it was found by its business key.
	Business bool

	Created time.Time
	// Completed is zero without an outcome, Expires for a record that never does, LeaseUntil unless an attempt runs.
	Completed, Expires, LeaseUntil time.Time

	Phases []string // names, in the order in which they happened
	Status int      // 0 without an outcome
	// Sealed: the response is, so that the names of its headers cannot be told, and BodySize is that of the sealed body.
	Sealed   bool
	Headers  []string // names, sorted
	BodySize int      // bytes
	// NotKept: the body was too large to be stored.
	NotKept bool

	// Fingerprints and Fields are as in Prior.
	Fingerprints, Fields []byte
}

// DescribeRecord gives what a store read, without the times, which it does not say.
func DescribeRecord(p Prior) StoredRecord {
	r := StoredRecord{
		State: p.State, Operation: p.Operation, RecordID: p.RecordID, Attempt: p.Attempt, LeaseOver: p.LeaseOver, Business: p.Business || p.Key != "" && clientKey(p.Key) == "",
		Status: p.Response.Status, BodySize: len(p.Response.Body), NotKept: p.NotKept, Fingerprints: p.Fingerprints, Fields: p.Fields,
	}
	if _, r.Sealed = p.Response.Header[sealHeader]; !r.Sealed {
		r.Headers = slices.Sorted(maps.Keys(p.Response.Header))
	}
	for _, phase := range p.Phases {
		r.Phases = append(r.Phases, phase.Name)
	}
	return r
}

// Inspector judges requests against records without taking a key or running anything: it is for tools. It asks what an Engine asks.
type Inspector struct{ plan *plan }

// NewInspector gives the inspector of one of a contract's operations. keys may be nil, whatever is sensitive: fingerprints that are keyed
// compare with nothing then.
func NewInspector(contract Contract, op *Operation, keys *KeyRing) (*Inspector, error) {
	if keys == nil {
		keys = &KeyRing{}
	}
	p, err := newPlan(op, &contract, keys)
	if err != nil {
		return nil, fmt.Errorf("idem: new inspector: %w", err)
	}
	return &Inspector{p}, nil
}

// Locate finds out where the record of a request stands. key, if it is not empty, counts in place of the request's own. supplied are
// the values of the contract's dimensions. The error is what the client would be refused for: ErrKeyMissing, a *KeyError or a
// *canon.Refusal; or it says what is wrong with supplied.
func (i *Inspector) Locate(ctx context.Context, r *canon.Request, key string, supplied []string) (Address, error) {
	p := i.plan
	if len(r.Path) != len(p.template.names) {
		return Address{}, fmt.Errorf("%w: %d path values for %s", ErrNotBound, len(r.Path), p.op.Path)
	}
	at := Address{Keyspace: p.op.Keyspace, Business: p.business(r)}
	var err error
	if key == "" {
		at.Key, err = p.key(r)
	} else if at.Key, err = visibleKey(key); err == nil {
		at.Key, err = p.op.Key.checkKey(at.Key)
	}
	if errors.Is(err, ErrKeyMissing) && at.Business != nil && !p.op.Key.Required {
		at.Key, err = keyOfBusiness(at.Business), nil
	}
	if err != nil {
		return Address{}, err
	}
	at.Scope, at.Before, err = p.scopes(ctx, func(context.Context) ([]string, error) { return supplied, nil }, r)
	return at, err
}

// Judgement is what a request would get.
type Judgement struct {
	Action Action
	// Refused is why today's contract does not accept the request; nil where the record answers all the same, under an older version.
	Refused error
	// Problem is the answer where that is neither the stored response nor what a run gives.
	Problem *Problem
	// Version is the number of the contract's version that record and request were compared under; 0: they were not.
	Version int
	// Fields are the fields that differ, where they are known.
	Fields []string
	// KeyID is the id of the secret key that it takes to compare them, where the Inspector does not have it; else 0.
	KeyID uint32
}

// Refusal is the answer to a request for which Locate gives an error.
func (i *Inspector) Refusal(err error) *Problem {
	return requestProblem(i.plan.op, i.plan.discreet(err))
}

// Judge says what r would get if it came now. found is what stands at its address; nil: nothing does.
func (i *Inspector) Judge(ctx context.Context, r *canon.Request, found *StoredRecord) Judgement {
	j := i.judge(ctx, r, found)
	op := i.plan.op
	switch {
	case j.Refused != nil:
		j.Refused = i.plan.discreet(j.Refused)
		j.Problem = requestProblem(op, j.Refused)
	case j.Action == ActMismatch && found.Business:
		j.Problem = problem(op, CodeDuplicateDiffers, nil)
	case j.Action == ActMismatch:
		j.Problem = problem(op, CodeMismatch, nil)
	case j.Action == ActIncomparable:
		j.Problem = problem(op, CodeContractUnknown, nil)
	case j.Action == ActInFlight:
		j.Problem = problem(op, CodeInFlight, nil)
	case j.Action == ActUnknown:
		j.Problem = problem(op, CodeOutcomeUnknown, nil)
	}
	return j
}

func (i *Inspector) judge(ctx context.Context, r *canon.Request, found *StoredRecord) Judgement {
	p := i.plan
	c := p.command(ctx, r, len(p.op.Versions))
	if found == nil {
		return Judgement{Action: ActClaim, Refused: c.refusal()}
	}
	prior := Prior{State: found.State, Operation: found.Operation, Fingerprints: found.Fingerprints, Fields: found.Fields}
	v := p.compare(&c, &prior)
	j := Judgement{
		Action:  Decide(ConditionOf(found.State, found.Expired, found.LeaseOver), v.comparison, p.op.Execution),
		Refused: c.refusal(), Fields: v.fields,
	}
	if v.comparison == NotComparable {
		j.KeyID = p.unknownKey(&prior)
	} else if prior.Operation == p.op.Name {
		j.Version = p.comparedUnder(&prior)
	}
	if j.Refused != nil && !v.refused && p.answersUnrunnable(j.Action) {
		j.Refused = nil
	}
	return j
}

// answersUnrunnable reports whether an action answers also a request that cannot run.
func (p *plan) answersUnrunnable(a Action) bool {
	switch a {
	case ActInFlight, ActMismatch, ActIncomparable, ActReplay, ActUnknown:
		return true
	case ActTakeOver:
		return p.op.Takeover != Retake
	case ActClaim, ActNextAttempt:
	}
	return false
}

// comparedUnder gives the number of the newest version that both sides know.
func (p *plan) comparedUnder(prior *Prior) int {
	for i := range p.op.Versions {
		entry, _, ok := recordedUnder(prior.Fingerprints, p.contracts[i])
		if _, known := p.keys.fingerprint(entry.KeyID, entry.Value); ok && known {
			return p.op.Versions[i].Number
		}
	}
	return 0
}

// unknownKey gives the id of the key that a record's fingerprints were made with under a version that p knows.
func (p *plan) unknownKey(prior *Prior) uint32 {
	for _, id := range p.contracts {
		if entry, _, ok := recordedUnder(prior.Fingerprints, id); ok {
			return entry.KeyID
		}
	}
	return 0
}
