package idem

import (
	"context"
	"time"
)

// LeaseStore is a store that also provides leased execution: the claim is committed before the handler runs, each phase of the
// handler is a transaction of its own, and a claim whose holder is gone can be taken over. Its methods are safe for concurrent
// use. ErrFenced says that an attempt's token is no longer the record's; then nothing was changed.
type LeaseStore[Tx any] interface {
	Store[Tx]
	// ClaimLease takes c's key for c.Lease and commits the claim alone. StateAbsent: the key was free and is ours now, also when
	// the record holds c.Token already, because the answer to an earlier try was lost. Else the Prior says what stands there.
	// Expired records are taken over as if they were absent, but for the claim's own, which is ErrFenced (see Claim); nothing else
	// is taken over here.
	ClaimLease(ctx context.Context, c Claim) (Prior, error)
	// TakeOver begins the next attempt of the record that t names, if its token still is t.From and its lease is over or its
	// state StateFailedRetryable, unless that has expired. The Prior that it gives has the new token and attempt, the stored
	// request and every recorded phase; its State is the one from before. ErrFenced: somebody else was first.
	TakeOver(ctx context.Context, t TakeOver) (Prior, error)
	// Due takes over, as TakeOver does, up to d.Limit records whose lease is over, the longest waiting ones first, and leaves out
	// those that another worker is taking.
	Due(ctx context.Context, d Due) ([]Prior, error)
	// BeginPhase opens a transaction for a phase of the attempt l. It need not look whether the lease is still held: Commit does.
	BeginPhase(ctx context.Context, l LeaseRef, o BeginOptions) (HeldPhase[Tx], error)
	// Settle ends the attempt l without a transaction of the handler. See Completion for the states that it takes.
	Settle(ctx context.Context, l LeaseRef, c Completion) error
	// Extend gives the leases their time anew, counted from now, in one statement, and nothing else does. lost are those that
	// hold their record no longer: its token is another, or it is settled or gone. passed are those that it let be this time,
	// because their records are busy: they end when they would have.
	Extend(ctx context.Context, leases []LeaseRef) (lost, passed []LeaseRef, err error)
}

// LeaseChecker is a LeaseStore that can tell that it is not set up for leases: its connections are too few, for example. An engine
// with leased operations asks once, when it is made.
type LeaseChecker interface {
	CheckLeases() error
}

// LeaseRef names one attempt of a leased operation: a record and the token that holds it.
type LeaseRef struct {
	Scope, Keyspace, Key string
	// Before is the record's second scope; empty when it has one. See Claim.
	Before   string
	RecordID UUID
	Token    UUID
	// Lease is how long the attempt may stay silent.
	Lease time.Duration
}

// HeldPhase is an open transaction of a phase. It is used by one goroutine at a time.
type HeldPhase[Tx any] interface {
	// Tx is what the phase writes through, as Held.Tx.
	Tx() Tx
	// Commit records the phase under its name and commits it together with what was written, if the lease's token still is
	// the record's: else ErrFenced. With an outcome the record is completed in the same commit. The record's row is touched
	// last, since a heartbeat would wait for it. A name that the record has already is ErrPhaseTwice; when both are true it is
	// ErrFenced, since the name may be the next attempt's. After any error nothing was committed.
	Commit(ctx context.Context, p PhaseRecord, outcome *Completion) error
	// Release rolls back: the phase has not happened.
	Release(ctx context.Context) error
}

// PhaseRecord is a phase that has happened: its name, and its result as JSON text, or sealed. A store keeps the bytes.
type PhaseRecord struct {
	Name   string
	Result []byte
}

// TakeOver asks for the next attempt of a record.
type TakeOver struct {
	Scope, Keyspace, Key string
	Before               string
	// From is the token that was found.
	From UUID
	// Token is the new attempt's.
	Token UUID
	Lease time.Duration
}

// Due asks for records to recover.
type Due struct {
	// Operations are the contract names to look for, each with the lease of an attempt.
	Operations map[string]time.Duration
	Limit      int
}

// Sweeper is a store that can delete what has expired. Nothing depends on its being done: an expired record is absent anyway.
type Sweeper interface {
	// Sweep deletes up to limit expired records in a transaction of its own, with their phases and business keys, and says how
	// many there were. Records in flight and unknown ones never go. It leaves out what somebody else is working on.
	Sweep(ctx context.Context, limit int) (int, error)
}

// Eraser is a store that can forget a scope.
type Eraser interface {
	// Erase deletes every record whose scope, or second scope, begins with the values, with its phases and business keys. kept
	// counts what is in flight or unknown: that has to end, or to be resolved, before it can go. A record under two scopes
	// counts once. Without a value it refuses: that would be everybody's records.
	Erase(ctx context.Context, scope ...string) (erased, kept int, err error)
}

// Resolver is a store in which people can find the records that wait for them, and settle them.
type Resolver interface {
	// Stuck gives records whose outcome is unknown and such whose lease is over, the longest waiting ones first.
	Stuck(ctx context.Context, limit int) ([]StuckRecord, error)
	// Inspect gives one record, whatever its state; ErrNoRecord. An expired one is absent.
	Inspect(ctx context.Context, id UUID) (StuckRecord, error)
	// Resolve stores an outcome for a record that Stuck gives, and what is still running of it is fenced. ErrNotStuck when it is,
	// or has become, another kind; ErrNoRecord.
	Resolve(ctx context.Context, id UUID, c Completion) error
	// Retry hands a leased record that Stuck gives back: its attempts count from 1 again, and it may be taken over at once, under the
	// same record id and so with the same downstream keys. Errors as above; a transactional record, which nobody can try again, is
	// ErrNotStuck.
	Retry(ctx context.Context, id UUID) error
	// Free deletes a record that Stuck gives: the next request with its key runs anew. Errors as above.
	Free(ctx context.Context, id UUID) error
}

// StuckRecord is a record as people see it. It holds no body and no command.
type StuckRecord struct {
	Scope, Keyspace, Key string
	Operation            string
	RecordID             UUID
	State                State
	LeaseOver            bool
	Attempt              int
	Created              time.Time
	Phases               []string // names
	Status               int      // 0 without an outcome
}
