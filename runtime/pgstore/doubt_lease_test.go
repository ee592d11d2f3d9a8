package pgstore_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

type apiLease = idem.Lease[pgx.Tx]

// newLeasedAPI serves the operation as a leased one, whose only end is h.
func newLeasedAPI(t *testing.T, b *bench, h func(context.Context, *apiLease) (idem.Response, error)) http.Handler {
	t.Helper()
	a := newAPI(t, b, func(op *idem.Operation, o *idem.Options) {
		op.Execution, op.Takeover, op.Lease = idem.Leased, idem.Retake, 10*time.Minute
		op.Attempts = 10
		o.Recover, o.Sweep = -1, -1
	})
	ctx, end := context.WithCancel(b.ctx)
	done := make(chan error, 1)
	go func() { done <- a.engine.Run(ctx) }()
	t.Cleanup(func() { end(); assert.NoError(t, <-done) })
	decode := func(*canon.Request) (struct{}, error) { return struct{}{}, nil }
	return idem.HandleLeased(a.engine, a.op, decode,
		func(ctx context.Context, l *apiLease, _ struct{}) (idem.Response, error) { return h(ctx, l) }, nil)
}

// lock holds a key's record, as a commit does that has not come to its end.
func (b *bench) lock(key string) (unlock func()) {
	b.t.Helper()
	tx, err := b.pool.Begin(b.ctx)
	require.NoError(b.t, err)
	_, err = tx.Exec(b.ctx, "select 1 from idempotency_records where key = $1 for update", key)
	require.NoError(b.t, err)
	return func() { require.NoError(b.t, tx.Rollback(b.ctx)) }
}

// The commit of a phase was lost, and nothing tells what became of it: the client is told to try again after two seconds, as when a
// transaction's commit was lost.
func TestClientDoesNotWaitForAPhaseInDoubt(t *testing.T) {
	phases := map[string]func(context.Context, *apiLease, string, func(pgx.Tx) (int, error)) (int, error){
		"phase": idem.Phase[int, pgx.Tx], "last phase": idem.LastPhase[int, pgx.Tx],
	}
	for name, phase := range phases {
		t.Run(name, func(t *testing.T) {
			b, wire := lossy(t)
			var unlock func()
			h := newLeasedAPI(t, b, func(ctx context.Context, l *apiLease) (idem.Response, error) {
				_, err := phase(ctx, l, "pay", func(tx pgx.Tx) (int, error) {
					err := effects.Write(ctx, tx, "w")
					unlock = b.lock(l.Key())
					wire.LoseNextRequest()
					return 1, err
				})
				return idem.Response{Status: 201}, err
			})
			start := time.Now()
			r := ask(h, "k")
			assert.Less(t, time.Since(start), 8*time.Second)
			assert.Equal(t, 503, r.status)
			assert.Equal(t, idem.CodeTryAgain, r.code())
			unlock()
			assert.Zero(t, b.count("w"))
			b.requireHealthy()
		})
	}
}

// What settles does not end with its caller, but with the time that it was given.
func TestSettlingEndsInTime(t *testing.T) {
	b := newBench(t, nil)
	phase, settled := b.lease(newClaim("phase")), b.lease(newClaim("settled"))
	open := b.phase(phase)
	require.NoError(t, effects.Write(b.ctx, open.Tx(), "w"))
	claimed := b.hold(newClaim("claimed"))
	claimed.(idem.Queuer).Queue("select pg_sleep(20)")
	unlockPhase, unlockSettled := b.lock("phase"), b.lock("settled")
	done := created()
	for name, settle := range map[string]func(ctx context.Context) error{
		"complete": func(ctx context.Context) error { return claimed.Complete(ctx, done) },
		"commit":   func(ctx context.Context) error { return open.Commit(ctx, idem.PhaseRecord{Name: "a"}, &done) },
		"settle":   func(ctx context.Context) error { return b.store.Settle(ctx, settled, done) },
	} {
		start := time.Now()
		ctx, cancel := context.WithTimeout(b.ctx, 300*time.Millisecond)
		require.ErrorIs(t, settle(ctx), idem.ErrCommitUnknown, name)
		cancel()
		assert.Less(t, time.Since(start), 5*time.Second, name)
	}
	unlockPhase()
	unlockSettled()
	b.requireHealthy()
}
