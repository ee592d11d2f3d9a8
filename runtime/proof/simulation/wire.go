package simulation

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// errDead is what the calls of a crashed process give. Nobody hears of it.
var errDead = errors.New("simulation: the process has crashed")

// trouble says how often things go wrong, in a thousand calls.
type trouble struct {
	slow  int // a call takes longer than a lease
	lost  int // its answer is lost
	crash int // the process crashes at it
}

// wire lies between a process's engine and the store.
type wire struct {
	store idem.LeaseStore[*memstore.Tx]
	sweep idem.Sweeper

	mu      sync.Mutex
	dice    *rand.Rand
	trouble trouble
	dead    bool
	crashed chan struct{} // closed with dead
}

func newWire(store idem.LeaseStore[*memstore.Tx], sweep idem.Sweeper, seed uint64, t trouble) *wire {
	return &wire{store: store, sweep: sweep, dice: rand.New(rand.NewPCG(seed, 1)), trouble: t, crashed: make(chan struct{})}
}

// happens throws the dice.
func (w *wire) happens(inThousand int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dice.IntN(1000) < inThousand
}

func (w *wire) upTo(d time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Duration(w.dice.Int64N(int64(d)))
}

// calm ends the trouble.
func (w *wire) calm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trouble = trouble{}
}

func (w *wire) now() trouble {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.trouble
}

func (w *wire) crash() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.dead {
		w.dead = true
		close(w.crashed)
	}
}

func (w *wire) isDead() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dead
}

// travel is the way of a call or of its answer. The process may crash on it.
func (w *wire) travel() error {
	t := w.now()
	d := w.upTo(3 * time.Millisecond)
	if w.happens(t.slow) {
		d = w.upTo(3 * lease)
	}
	if w.happens(t.crash) {
		w.crash()
	}
	select {
	case <-time.After(d):
	case <-w.crashed:
	}
	if w.isDead() {
		return errDead
	}
	return nil
}

// call sends a call to the store and brings its answer back, unless that is lost: then the error says that nobody knows.
func (w *wire) call(do func() error) error {
	if err := w.travel(); err != nil {
		return err
	}
	err := do()
	if errWay := w.travel(); errWay != nil {
		return errWay
	}
	if w.happens(w.now().lost) {
		return idem.ErrCommitUnknown
	}
	return err
}

// Claim takes a key. Whoever does not hear that he has it has lost his connection, and with it the transaction.
func (w *wire) Claim(ctx context.Context, c idem.Claim) (held idem.Held[*memstore.Tx], prior idem.Prior, err error) {
	var inner idem.Held[*memstore.Tx]
	var failed error
	err = w.call(func() error {
		inner, prior, failed = w.store.Claim(ctx, c)
		return failed
	})
	if err == nil && inner != nil {
		return &wiredHeld{wired{w}, inner}, prior, nil
	}
	if inner != nil {
		w.noticeLater(ctx, inner.Release)
	}
	if errors.Is(err, idem.ErrCommitUnknown) {
		err = idem.ErrStoreUnavailable // a claim that is not committed is lost with its connection
	}
	return nil, prior, err
}

// noticeLater does what a server does when it notices that a client is gone.
func (w *wire) noticeLater(ctx context.Context, do func(context.Context) error) {
	ctx, d := context.WithoutCancel(ctx), w.upTo(lease)
	go func() {
		time.Sleep(d)
		_ = do(ctx) // nobody is left to be told
	}()
}

// Begin opens a transaction without a claim; only the controls do that.
func (w *wire) Begin(ctx context.Context, o idem.BeginOptions) (held idem.Held[*memstore.Tx], err error) {
	if err := w.travel(); err != nil {
		return nil, err
	}
	inner, err := w.store.Begin(ctx, o)
	if err != nil {
		return nil, err
	}
	return &wiredHeld{wired{w}, inner}, nil
}

// Lookup reads a record.
func (w *wire) Lookup(ctx context.Context, scope, keyspace, key string) (prior idem.Prior, err error) {
	err = w.call(func() (err error) {
		prior, err = w.store.Lookup(ctx, scope, keyspace, key)
		return err
	})
	return prior, w.harmless(err)
}

// harmless: nothing was changed, so a lost answer is only a failure.
func (w *wire) harmless(err error) error {
	if errors.Is(err, idem.ErrCommitUnknown) {
		return idem.ErrStoreUnavailable
	}
	return err
}

// ClaimLease, TakeOver, Due, Settle and Extend commit by themselves.

func (w *wire) ClaimLease(ctx context.Context, c idem.Claim) (prior idem.Prior, err error) {
	err = w.call(func() (err error) {
		prior, err = w.store.ClaimLease(ctx, c)
		return err
	})
	return prior, err
}

func (w *wire) TakeOver(ctx context.Context, t idem.TakeOver) (prior idem.Prior, err error) {
	err = w.call(func() (err error) {
		prior, err = w.store.TakeOver(ctx, t)
		return err
	})
	return prior, err
}

func (w *wire) Due(ctx context.Context, d idem.Due) (priors []idem.Prior, err error) {
	err = w.call(func() (err error) {
		priors, err = w.store.Due(ctx, d)
		return err
	})
	return priors, err
}

func (w *wire) Settle(ctx context.Context, l idem.LeaseRef, c idem.Completion) error {
	return w.call(func() error { return w.store.Settle(ctx, l, c) })
}

func (w *wire) Extend(ctx context.Context, leases []idem.LeaseRef) (lost, passed []idem.LeaseRef, err error) {
	err = w.call(func() (err error) {
		lost, passed, err = w.store.Extend(ctx, leases)
		return err
	})
	return lost, passed, w.harmless(err)
}

// BeginPhase opens a phase.
func (w *wire) BeginPhase(ctx context.Context, l idem.LeaseRef, o idem.BeginOptions) (idem.HeldPhase[*memstore.Tx], error) {
	if err := w.travel(); err != nil {
		return nil, err
	}
	inner, err := w.store.BeginPhase(ctx, l, o)
	if err != nil {
		return nil, err
	}
	return &wiredPhase{wired{w}, inner}, nil
}

// Sweep deletes what has expired.
func (w *wire) Sweep(ctx context.Context, limit int) (int, error) {
	if err := w.travel(); err != nil {
		return 0, err
	}
	return w.sweep.Sweep(ctx, limit)
}
