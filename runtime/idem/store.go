package idem

import (
	"context"
	"errors"
	"time"
)

// Store keeps records. Its methods are safe for concurrent use. Every store passes storetest.Run.
type Store[Tx any] interface {
	// Claim opens a transaction and takes c's key in it. Prior.State is StateAbsent when the key is ours: then the Held is open
	// and must be settled by Complete or Release. Else the Held is nil, nothing is open, and the Prior says what stands there;
	// StateInFlight when another transaction holds the key. Expired records are taken over as if they were absent, but for the
	// claim's own: ErrFenced says that the record of this very claim has ended and expired, and that no record stands in its
	// way. A claim makes one record, once.
	Claim(ctx context.Context, c Claim) (Held[Tx], Prior, error)
	// Begin opens a transaction without a claim, for a request that may come without a key.
	Begin(ctx context.Context, o BeginOptions) (Held[Tx], error)
	// Lookup reads the record of a key without taking it. Expired records are absent.
	Lookup(ctx context.Context, scope, keyspace, key string) (Prior, error)
}

// Serializer is a store that knows which errors of a handler's own statements mean that the transaction could not be serialised
// (SQLSTATE 40001 and 40P01): the client is told to try again, instead of getting the program's error.
type Serializer interface {
	NotSerialized(err error) bool
}

// Queuer is a Held that can send SQL together with the completion. Statements run in the order in which they were queued, before
// the outcome is stored; one that fails lets nothing commit. A completion that rolls writes back leaves them out.
type Queuer interface {
	Queue(sql string, args ...any)
}

// BeginOptions are the settings of a transaction without a claim.
type BeginOptions struct {
	IdleTimeout time.Duration
}

// Held is an open transaction, with or without a claim. It is used by one goroutine at a time.
type Held[Tx any] interface {
	// Tx is what the handler works with. Its Commit and Rollback refuse, or are found out by Complete where its type cannot refuse
	// (*sql.Tx): no outcome is stored for a transaction that is over. Every use after settling fails.
	Tx() Tx
	// Complete stores the outcome under the claim and commits both, in one round trip where no writes are rolled back.
	// Without a claim it commits, or rolls back when c.RollBackWrites is set.
	// ErrFenced: the claim was no longer ours. ErrSerialization: nothing was committed, a new attempt may succeed.
	// ErrCommitUnknown: the connection was lost while the commit was under way. After any error the transaction is over.
	// A ctx that was cancelled does not end it; one whose deadline is still to come does then, as everything that settles.
	Complete(ctx context.Context, c Completion) error
	// Release rolls back: the key is absent again. It never fails in a way that a caller could mend; the error is for the observer.
	Release(ctx context.Context) error
}

// Errors of a store. They are wrapped with what was being done.
var (
	ErrFenced           = errors.New("idem: the claim is no longer ours")
	ErrSerialization    = errors.New("idem: the transaction could not be serialised")
	ErrCommitUnknown    = errors.New("idem: the outcome of the commit is unknown")
	ErrStoreUnavailable = errors.New("idem: the store is unavailable")
	// ErrPhaseTwice: one attempt used a phase's name twice.
	ErrPhaseTwice = errors.New("idem: the record has a phase of this name already")
	ErrNoRecord   = errors.New("idem: there is no such record")
	ErrNotStuck   = errors.New("idem: the record is neither unknown nor abandoned")
)
