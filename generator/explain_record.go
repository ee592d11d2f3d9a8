package generator

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/idem"
)

// ExplainedRecord is what a store holds for a request, and what the request would get. It holds no value of the request or the response
// that is stored.
type ExplainedRecord struct {
	// Answer is one word: runs, replay, mismatch, in-flight, takeover, unknown, incomparable, refused, or unkeyed for a request without a key
	// that needs none.
	Answer string `json:"answer"`
	// Status is that of the answer, where it is known, and Code is the problem's.
	Status int       `json:"status,omitempty"`
	Code   idem.Code `json:"code,omitempty"`
	// Why says it for people.
	Why string `json:"why"`
	// Version is the contract's version that record and request were compared under, and Differ are the fields that are known to differ.
	Version int      `json:"version,omitempty"`
	Differ  []string `json:"differ,omitempty"`

	Scope    json.RawMessage `json:"scope,omitempty"`
	Keyspace string          `json:"keyspace,omitempty"`
	// Stored is nil where nothing stands there.
	Stored *StoredRecord `json:"stored,omitempty"`
}

// StoredRecord is a record for people and programs.
type StoredRecord struct {
	ID           string              `json:"id"`
	State        string              `json:"state"`
	Expired      bool                `json:"expired,omitempty"`
	LeaseOver    bool                `json:"leaseOver,omitempty"`
	ByBusiness   bool                `json:"byBusinessKey,omitempty"`
	Operation    string              `json:"operation"`
	Attempt      int                 `json:"attempt"`
	Created      time.Time           `json:"created"`
	Completed    *time.Time          `json:"completed,omitempty"`
	Expires      *time.Time          `json:"expires,omitempty"` // nil: never
	LeaseUntil   *time.Time          `json:"leaseUntil,omitempty"`
	Fingerprints []StoredFingerprint `json:"fingerprints"`
	Phases       []string            `json:"phases,omitempty"`
	Status       int                 `json:"status,omitempty"`
	Sealed       bool                `json:"sealed,omitempty"`
	Headers      []string            `json:"headers,omitempty"`
	BodySize     int                 `json:"bodySize"`
	NotKept      bool                `json:"notKept,omitempty"`
}

// StoredFingerprint names the contract that a fingerprint of the record was made under. Version is 0 where this contract has no such version.
type StoredFingerprint struct {
	ID      string `json:"id"`
	Version int    `json:"version,omitempty"`
	KeyID   uint32 `json:"keyId,omitempty"`
}

// explainRecord finds the record of a request and judges the request by it.
func explainRecord(api *contract.API, c *contract.Contract, q Question, sent sentRequest) (*ExplainedRecord, error) {
	ctx := context.Background()
	op := runtimeOperation(c)
	dims := idem.Contract{Operations: []*idem.Operation{op}}
	for _, d := range api.Dimensions {
		dims.Dimensions = append(dims.Dimensions, d.Name)
	}
	inspector, err := idem.NewInspector(dims, op, q.Keys)
	if err != nil {
		return nil, err
	}
	supplied, err := suppliedScope(c, dims.Dimensions, q.Scope)
	if err != nil {
		return nil, err
	}
	request, err := sent.read(c)
	if err != nil {
		return refusedBy(inspector.Refusal(err)), nil
	}
	at, err := inspector.Locate(ctx, request, q.Key, supplied)
	switch {
	case errors.Is(err, idem.ErrKeyMissing) && !op.Key.Required:
		return &ExplainedRecord{Answer: "unkeyed", Why: "the request has no key and needs none: it runs, and nothing is stored"}, nil
	case err != nil:
		return refusedBy(inspector.Refusal(err)), nil
	}
	out := &ExplainedRecord{Scope: json.RawMessage(at.Scope), Keyspace: at.Keyspace}
	found, err := q.Find(at)
	if errors.Is(err, idem.ErrNoRecord) {
		out.judge(c, inspector.Judge(ctx, request, nil), nil)
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.Stored = stored(c, &found)
	out.judge(c, inspector.Judge(ctx, request, &found), &found)
	return out, nil
}

// suppliedScope gives the values of the dimensions in order. What the operation's scope needs must be there.
func suppliedScope(c *contract.Contract, dimensions []string, given map[string]string) ([]string, error) {
	for name := range given {
		if !slices.Contains(dimensions, name) {
			return nil, fmt.Errorf("no scope of the document has %s", name)
		}
	}
	supplied := make([]string, len(dimensions))
	for i, name := range dimensions {
		supplied[i] = given[name]
		needs := func(t contract.ScopeTerm) bool { return t.Dimension == i }
		if given[name] == "" && (slices.ContainsFunc(c.Scope, needs) || slices.ContainsFunc(c.Before, needs)) {
			return nil, fmt.Errorf("the scope of %s has %s: say whose key it is with --scope %s=VALUE", c.Name, name, name)
		}
	}
	return supplied, nil
}

func refusedBy(p *idem.Problem) *ExplainedRecord {
	return &ExplainedRecord{Answer: "refused", Status: p.Status, Code: p.Code, Why: p.Detail}
}

// judge says what the request gets; found is nil where there is no record.
func (e *ExplainedRecord) judge(c *contract.Contract, j idem.Judgement, found *idem.StoredRecord) {
	e.Version, e.Differ = j.Version, j.Fields
	if p := j.Problem; p != nil {
		e.Status, e.Code = p.Status, p.Code
	}
	switch {
	case j.Refused != nil:
		e.Answer, e.Why = "refused", j.Problem.Detail
	case j.KeyID != 0:
		e.Answer, e.Status, e.Code = "incomparable", 0, ""
		e.Why = fmt.Sprintf("the record's fingerprint is keyed: it can be compared by who has key %d (--fingerprint-key)", j.KeyID)
	default:
		e.Answer, e.Why = answers(c, j.Action, found)
	}
	if j.Action == idem.ActReplay && e.Answer == "replay" {
		e.Status = found.Status
	}
}

// answers gives the word for an action, and a sentence.
func answers(c *contract.Contract, action idem.Action, found *idem.StoredRecord) (answer, why string) {
	switch action {
	case idem.ActClaim:
		if found != nil {
			return "runs", "the record has expired: the key is free"
		}
		return "runs", "no record stands there; one that a transactional request makes right now cannot be seen"
	case idem.ActReplay:
		return "replay", "the same command: the stored answer"
	case idem.ActMismatch:
		if found.Operation != c.Name {
			return "mismatch", "the key was used for another operation, " + found.Operation
		}
		return "mismatch", "another command"
	case idem.ActIncomparable:
		return "incomparable", "the record was made under versions of the contract that the lock does not have"
	case idem.ActInFlight:
		if c.Wait > 0 {
			return "in-flight", "an attempt runs: the request waits for its outcome for " + c.Wait.String()
		}
		return "in-flight", "an attempt runs"
	case idem.ActTakeOver:
		return "takeover", map[string]string{
			contract.TakeoverRecover: "the attempt's lease is over: the program's recovery brings it to its end",
			contract.TakeoverRetake:  "the attempt's lease is over: the request runs as the next attempt",
			contract.TakeoverHold:    "the attempt's lease is over: its outcome is held to be unknown",
		}[c.Takeover]
	case idem.ActNextAttempt:
		return "runs", fmt.Sprintf("the earlier attempt left the key to the next one: attempt %d", found.Attempt+1)
	case idem.ActUnknown:
	}
	return "unknown", "the outcome is unknown until somebody resolves it: idemgen keys show " + found.RecordID.String()
}

func stored(c *contract.Contract, r *idem.StoredRecord) *StoredRecord {
	out := &StoredRecord{
		ID: r.RecordID.String(), State: stateWords[r.State], Expired: r.Expired, LeaseOver: r.LeaseOver, ByBusiness: r.Business, Operation: r.Operation,
		Attempt: r.Attempt, Created: r.Created, Completed: unlessZero(r.Completed), Expires: unlessZero(r.Expires), LeaseUntil: unlessZero(r.LeaseUntil),
		Phases: r.Phases, Status: r.Status, Sealed: r.Sealed, Headers: r.Headers, BodySize: r.BodySize, NotKept: r.NotKept, Fingerprints: []StoredFingerprint{},
	}
	for f := range idem.Fingerprints(r.Fingerprints) {
		entry := StoredFingerprint{ID: hex.EncodeToString(f.Contract[:]), KeyID: f.KeyID}
		for _, v := range c.Versions() {
			if strings.EqualFold(string(v.ID), entry.ID) && r.Operation == c.Name {
				entry.Version = v.Number
			}
		}
		out.Fingerprints = append(out.Fingerprints, entry)
	}
	return out
}

func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// stateWords are the states in the words of the documentation.
var stateWords = map[idem.State]string{
	idem.StateInFlight: "in_flight", idem.StateCompleted: "completed", idem.StateFailedReplayable: "failed_replayable",
	idem.StateFailedRetryable: "failed_retryable", idem.StateUnknown: "unknown_requires_recovery",
}
