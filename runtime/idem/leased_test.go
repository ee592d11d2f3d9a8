package idem_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// The leased operation of the tests: createPayment, whose payments are another system's.

func chargeCard(policy idem.TakeoverPolicy) *idem.Operation {
	op := createPayment()
	op.Execution, op.Takeover, op.Attempts, op.Lease = idem.Leased, policy, 5, time.Minute
	op.CommandHeaders = []string{"X-Currency-Hint"}
	return op
}

// onlyStore hides what else a store can do.
type onlyStore struct{ idem.Store[*memstore.Tx] }

// unfit is not set up for leases.
type unfit struct{ *memstore.Store }

func (unfit) CheckLeases() error { return errors.New("connections are too few") }

type (
	lease         = idem.Lease[*memstore.Tx]
	leaseHandler  = idem.LeaseHandlerFunc[*memstore.Tx, paymentCommand]
	paymentRescue = idem.RecoverFunc[*memstore.Tx, paymentCommand]
)

// leasedFixture is a fixture whose operation is leased. Its store's clock is the test's.
type leasedFixture struct {
	*fixture
	clock *clock
	psp   *psp
	end   func() // ends Run, and returns when it has returned
}

// newLeasedFixture gives an engine that runs, without a recovery worker: tests of that ask for one.
func newLeasedFixture(t *testing.T, policy idem.TakeoverPolicy, settings ...setting) *leasedFixture {
	t.Helper()
	f := &leasedFixture{clock: newClock(), psp: &psp{}}
	standard := func(in *fixture, o *idem.Options) {
		in.store, in.op = memstore.New(memstore.WithClock(f.clock.get)), chargeCard(policy)
		o.Recover, o.Sweep = -1, -1
	}
	f.fixture = newFixture(t, append([]setting{standard}, settings...)...)
	f.end = run(t, f.engine)
	return f
}

// run runs an engine until the test's end.
func run(t *testing.T, e *idem.Engine[*memstore.Tx]) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			require.NoError(t, err)
		case <-time.After(20 * time.Second):
			t.Error("Run does not end")
		}
	})
	t.Cleanup(end)
	return end
}

// serves gives the operation's handler; the recovery fails the test where none is expected.
func (f *leasedFixture) serves(t *testing.T, h leaseHandler, r paymentRescue) http.Handler {
	t.Helper()
	if r == nil && f.op.Takeover == idem.Recover {
		r = func(context.Context, *lease, paymentCommand, idem.Prior) (idem.Response, error) {
			t.Error("a recovery ran")
			return idem.Response{Status: 500}, nil
		}
	}
	return authenticated(idem.HandleLeased(f.engine, f.op, decodePayment, h, r))
}

// psp is another system, which deduplicates by the keys that it is sent.
type psp struct {
	mu      sync.Mutex
	charges map[string]int // calls by key
}

func (p *psp) charge(key string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.charges == nil {
		p.charges = map[string]int{}
	}
	p.charges[key]++
	return "charge of " + key
}

// counts gives how many charges there were, and how often they were asked for.
func (p *psp) counts() (charges, calls int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.charges {
		calls += n
	}
	return len(p.charges), calls
}

func (l *ledger) in(tx *memstore.Tx, effect string) {
	tx.OnCommit(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.effects = append(l.effects, effect)
	})
}

// write is a phase of a test: one effect, and its own name as the result.
func (f *leasedFixture) write(ctx context.Context, l *lease, name string) (string, error) {
	return idem.Phase(ctx, l, name, func(tx *memstore.Tx) (string, error) {
		f.ledger.in(tx, name)
		return name, nil
	})
}

// charge is the handler that people write: a phase, a call to the other system, the last phase.
func (f *leasedFixture) charge(runs *int) leaseHandler {
	var mu sync.Mutex
	return func(ctx context.Context, l *lease, cmd paymentCommand) (idem.Response, error) {
		mu.Lock()
		*runs++
		run := *runs
		mu.Unlock()
		if _, err := f.write(ctx, l, "create"); err != nil {
			return idem.Response{}, err
		}
		reference := f.psp.charge(l.DownstreamKey("psp"))
		_, err := idem.LastPhase(ctx, l, "confirm", func(tx *memstore.Tx) (string, error) {
			f.ledger.in(tx, "confirm "+string(cmd.Amount))
			return reference, nil
		})
		return created(run), err
	}
}

func created(run int) idem.Response {
	return idem.Response{
		Status: http.StatusCreated,
		Header: http.Header{"Content-Type": {"application/json"}, "Location": {"/payments/1"}},
		Body:   fmt.Appendf(nil, `{"run": %d}`, run),
	}
}

// state gives the record of a key.
func (f *leasedFixture) state(t *testing.T, key string) idem.Prior {
	t.Helper()
	prior, err := f.store.Lookup(t.Context(), `["acme"]`, f.op.Keyspace, key)
	require.NoError(t, err)
	return prior
}
