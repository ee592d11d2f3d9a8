package idem

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Options set what an engine does beyond its contract. The zero Options work.
type Options struct {
	// BasePath is where the API is mounted, without a trailing slash. Empty means the contract's; "/" means the root.
	// Only Middleware uses it.
	BasePath string
	// Deadline ends the context of a handler, which a client that hangs up does not cancel. Zero means 30 seconds. Where an operation
	// waits for running duplicates, that time comes on top.
	// A transaction that is idle for 5 seconds longer is ended by the store.
	Deadline time.Duration
	// MaxBody limits the request body in bytes, as it was sent and after Content-Encoding was undone. Zero means 1 MiB.
	MaxBody int64
	// MaxResponse limits in bytes what a record keeps of a response's body. The first client gets a larger one whole; a replay then has
	// the stored status and headers, an empty body, and `Idempotency-Response: not-kept`. Zero means 1 MiB.
	MaxResponse int64
	// Authorize runs before the key is looked up, for programs that check permissions in their handlers: a caller who may not
	// run the operation must not get its stored answer. Its error is answered by Error, wrapped in ErrNotAuthorized.
	Authorize func(ctx context.Context, op *Operation) error
	// Problem renders idemgen's own answers. Retry-After, Link and Cache-Control are set before it is called.
	// Nil means WriteProblem.
	Problem func(w http.ResponseWriter, r *http.Request, p Problem)
	// Error renders an error that a handler or Authorize returned. Nil means a bare 500, or 403 for ErrNotAuthorized, without
	// the error's text.
	Error func(w http.ResponseWriter, r *http.Request, err error)
	// Keys makes fingerprints keyed: HMAC-SHA-256 of the digest. Nil stores the digest itself, which an operation with a sensitive
	// field refuses.
	Keys *KeyRing
	// Sealer seals what records hold of responses and commands. Nil stores them as they are; what was sealed before is then
	// answered with IDEMPOTENCY_CONTRACT_UNKNOWN. Fingerprints are no part of it: see Keys. An operation with takeover: recover whose
	// requests have sensitive fields needs it, since its requests are stored until they have an outcome.
	Sealer Sealer
	// Sweep is how often Engine.Run deletes expired records, give or take a quarter. Zero means a minute; negative means never, for a
	// program that leaves it to another one.
	Sweep time.Duration
	// Recover is how often Engine.Run looks for attempts to recover, give or take a quarter. Zero means a third of the shortest lease,
	// at least a second and at most 30; negative means never: recovery is left to the next request and to other processes.
	Recover time.Duration
	// Observer is told what happens to keys. Nil means nobody is.
	Observer Observer
	// Shadow reports what would have happened and enforces nothing: every request runs, duplicates in a plain transaction,
	// and no request is refused for its key. Records are written as usual, so that there is something to compare with. In
	// Handle a body that cannot be read is refused all the same, since there is no command then. Leased operations run with every
	// phase as a plain transaction, and nothing of them is recovered, neither now nor when shadow has ended.
	Shadow bool
}

const (
	defaultDeadline    = 30 * time.Second
	defaultMaxBody     = 1 << 20
	defaultMaxResponse = 1 << 20
	// idleMargin lets a handler that used its whole deadline still settle.
	idleMargin = 5 * time.Second
	// lockTimeout bounds the wait for another process that holds the key.
	lockTimeout = 50 * time.Millisecond
	// askPatience bounds the wait for the store's answer to the first of several equal requests in one process.
	askPatience = time.Second
	// settleTimeout bounds Complete and Release, which a cancelled request does not cancel.
	settleTimeout = 10 * time.Second
	defaultSweep  = time.Minute
	// recoverAtLeast and recoverAtMost bound the default of Options.Recover.
	recoverAtLeast, recoverAtMost = time.Second, 30 * time.Second
	// startPatience is how long after NewEngine a leased request waits for Run to begin.
	startPatience = time.Second
	// unclaimTimeout bounds the attempt to give back what may have been claimed: the client waits for it.
	unclaimTimeout = 2 * time.Second
	// endPatience bounds the wait for a handler that still runs after its framework has answered.
	endPatience = 5 * time.Second
	// claimAttempts bounds how often a claim that could not be serialised is tried.
	claimAttempts = 4
)

// ErrNotAuthorized wraps what Options.Authorize returned.
var ErrNotAuthorized = errors.New("idem: not authorised")

// checked fills in what zero means.
func (o Options) checked(contractBase string) (Options, error) {
	if o.BasePath == "" {
		o.BasePath = contractBase
	}
	if o.BasePath != "" && !strings.HasPrefix(o.BasePath, "/") {
		return o, fmt.Errorf("BasePath %q: begin it with a slash", o.BasePath)
	}
	if o.Deadline < 0 || o.MaxBody < 0 || o.MaxResponse < 0 {
		return o, errors.New("options Deadline, MaxBody and MaxResponse cannot be negative; zero means the default")
	}
	if o.Deadline == 0 {
		o.Deadline = defaultDeadline
	}
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.MaxResponse == 0 {
		o.MaxResponse = defaultMaxResponse
	}
	if o.Sweep == 0 {
		o.Sweep = defaultSweep
	}
	if o.Problem == nil {
		o.Problem = WriteProblem
	}
	if o.Error == nil {
		o.Error = writeError
	}
	if o.Observer == nil {
		o.Observer = silent{}
	}
	return o, nil
}

// recoverEvery gives what Recover means where the shortest lease is known.
func (o Options) recoverEvery(shortest time.Duration) time.Duration {
	if o.Recover != 0 {
		return o.Recover
	}
	return min(max(shortest/3, recoverAtLeast), recoverAtMost)
}

// writeError is what a handler's error gets when the team renders none of its own.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	if errors.Is(err, ErrNotAuthorized) {
		status = http.StatusForbidden
	}
	WriteProblem(w, r, Problem{Status: status, Title: http.StatusText(status), Err: err})
}

func isContextError(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
