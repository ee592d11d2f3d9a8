package idem

import (
	"net/http"
	"time"
)

// State is what a record stands at. The values are stored.
type State uint8

const (
	StateAbsent State = iota // no record
	StateInFlight
	StateCompleted
	StateFailedReplayable
	StateFailedRetryable
	StateUnknown // unknown_requires_recovery
)

// isOutcome reports whether a record in this state has a response.
func (s State) isOutcome() bool { return s == StateCompleted || s == StateFailedReplayable }

// Response is an HTTP response as a handler returns it and as a record keeps it.
type Response struct {
	Status int // 200 to 599; a response without one counts as an error
	Header http.Header
	Body   []byte
}

// Claim asks a store for a key.
type Claim struct {
	Scope     string // JSON array of the scope values
	Keyspace  string
	Key       string
	Operation string // contract name
	Token     UUID   // chosen by the claimant, new for each attempt: the fence
	RecordID  UUID   // used when the claim makes a new record; no other one has it, since downstream keys are made of it
	// Fingerprints holds an entry for every live contract version, newest first (see AppendFingerprint).
	Fingerprints []byte
	// Fields are the field digests under the newest version.
	Fields    []byte
	Retention time.Duration
	// LockTimeout bounds the wait for another process that holds the key.
	LockTimeout time.Duration
	// IdleTimeout ends the transaction of a holder that has frozen.
	IdleTimeout time.Duration

	// Before is a second scope that the record stands under as well, while an operation's scope changes; empty: none. It is
	// claimed before Scope, and both must be free.
	Before string
	// Business is the digest of the operation's business key, claimed after the record under the same scopes and keyspace; nil:
	// none. One whose record has expired or is gone is free.
	Business []byte
	// Lease is how long an attempt may stay silent; 0 in transactional execution.
	Lease time.Duration
	// Request is the command for a later recovery, sealed where the engine has a Sealer; nil where nobody recovers.
	Request []byte
}

// Prior is what a claim found. StateAbsent: the key was free and the claim is ours.
type Prior struct {
	State        State
	Operation    string
	RecordID     UUID
	Token        UUID
	Attempt      int
	Fingerprints []byte
	Fields       []byte
	Response     Response
	// NotKept: the response's body was too large to be stored.
	NotKept bool

	// Business: the record was found by its business key and stands under another key.
	Business bool
	// Scope, Keyspace and Key are where the record stands.
	Scope, Keyspace, Key string
	// Before is the record's second scope; empty when it has one.
	Before string
	// LeaseOver: in flight, and its holder has been silent for longer than its lease.
	LeaseOver bool
	// LeaseLeft is what remains of the lease by the store's clock; never negative.
	LeaseLeft time.Duration
	// Request is the stored command, and Phases are the recorded phases in the order in which they happened: TakeOver and Due
	// give them.
	Request []byte
	Phases  []PhaseRecord
}

// Completion settles a claim.
type Completion struct {
	// State is an outcome, StateCompleted or StateFailedReplayable; a transactional claim knows no other. LeaseStore.Settle also
	// takes StateFailedRetryable (the next request runs again), StateUnknown, and StateInFlight: the record stays in flight and
	// its lease is over after Delay, so that somebody takes it over.
	State    State
	Response Response
	// NotKept leaves the body out: it is larger than the limit. A replay says so.
	NotKept bool
	// RollBackWrites undoes the handler's writes first: back to the savepoint that the claim took. Transactional execution only.
	RollBackWrites bool
	// Retention extends the record's life, counted from now, if it would end earlier; 0 leaves it. Leased execution only.
	Retention time.Duration
	// Delay is when a record that stays in flight may be taken over; 0: at once.
	Delay time.Duration
}
