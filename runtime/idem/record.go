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

// Response is an HTTP response as a handler returns it and as a record keeps it.
type Response struct {
	Status int
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
	RecordID  UUID   // used when the claim makes a new record
	// Fingerprints holds an entry for every live contract version, newest first (see AppendFingerprint).
	Fingerprints []byte
	// Fields are the field digests under the newest version.
	Fields    []byte
	Retention time.Duration
	// LockTimeout bounds the wait for another process that holds the key.
	LockTimeout time.Duration
	// IdleTimeout ends the transaction of a holder that has frozen.
	IdleTimeout time.Duration
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
}

// Completion settles a claim.
type Completion struct {
	State    State // StateCompleted or StateFailedReplayable
	Response Response
	// RollBackWrites undoes the handler's writes first: back to the savepoint that the claim took.
	RollBackWrites bool
}
