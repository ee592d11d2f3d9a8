package idem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// failing is a store whose answers a test chooses. A nil function means the store below.
type failing struct {
	idem.Store[*memstore.Tx]
	claim    func(attempt int) error
	begin    error
	lookup   error
	complete func(idem.Held[*memstore.Tx]) error
	release  error
	releases func() // called before a release
	prior    *idem.Prior
	attempts int
	asked    idem.Claim
}

func (s *failing) Claim(ctx context.Context, c idem.Claim) (idem.Held[*memstore.Tx], idem.Prior, error) {
	s.attempts++
	s.asked = c
	if s.claim != nil {
		if err := s.claim(s.attempts); err != nil {
			return nil, idem.Prior{}, err
		}
	}
	if s.prior != nil {
		return nil, *s.prior, nil
	}
	held, prior, err := s.Store.Claim(ctx, c)
	if held == nil {
		return nil, prior, err
	}
	return &failingHeld{held, s}, prior, err
}

func (s *failing) Begin(ctx context.Context, o idem.BeginOptions) (idem.Held[*memstore.Tx], error) {
	if s.begin != nil {
		return nil, s.begin
	}
	return s.Store.Begin(ctx, o)
}

func (s *failing) Lookup(ctx context.Context, scope, keyspace, key string) (idem.Prior, error) {
	if s.lookup != nil {
		return idem.Prior{}, s.lookup
	}
	return s.Store.Lookup(ctx, scope, keyspace, key)
}

type failingHeld struct {
	idem.Held[*memstore.Tx]
	store *failing
}

func (h *failingHeld) Complete(ctx context.Context, c idem.Completion) error {
	if h.store.complete == nil {
		return h.Held.Complete(ctx, c)
	}
	return h.store.complete(h.Held)
}

func (h *failingHeld) Release(ctx context.Context) error {
	if h.store.releases != nil {
		h.store.releases()
	}
	return errors.Join(h.Held.Release(ctx), h.store.release)
}

func withStore(s *failing) setting {
	s.Store = memstore.New()
	return func(f *fixture, _ *idem.Options) { f.store = s }
}

// always gives one wrapped error, as stores do.
func always(err error) func(int) error {
	return func(int) error { return fmt.Errorf("pgstore: claim: %w", err) }
}

func TestClaimThatFailsRunsNothing(t *testing.T) {
	cases := []struct {
		name     string
		claim    func(int) error
		code     idem.Code // empty: it runs
		attempts int
	}{
		{"store unavailable", always(idem.ErrStoreUnavailable), idem.CodeStoreUnavailable, 1},
		{"another error", always(errors.New("connection refused")), idem.CodeStoreUnavailable, 1},
		{"deadline", always(context.DeadlineExceeded), idem.CodeStoreUnavailable, 1},
		{"serialisation, once", func(n int) error {
			if n == 1 {
				return idem.ErrSerialization
			}
			return nil
		}, "", 2},
		{"serialisation, for ever", always(idem.ErrSerialization), idem.CodeTryAgain, 4},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			store := &failing{claim: c.claim}
			f := newFixture(t, withStore(store))
			runs := 0
			a := send(f.handler(f.pay(&runs)), call{})
			assert.Equal(t, c.attempts, store.attempts)
			if c.code == "" {
				assert.Equal(t, 201, a.status)
				return
			}
			assert.Equal(t, 503, a.status)
			assert.Equal(t, c.code, a.code())
			assert.NotEmpty(t, a.header.Get("Retry-After"))
			assert.Zero(t, runs, "never an unprotected run")
			assert.Equal(t, idem.EventStoreFailed, f.events.last().Kind)
			assert.Error(t, f.events.last().Err)

			store.claim = nil // the key's turn was given back
			assert.Equal(t, 201, send(f.handler(f.pay(&runs)), call{}).status)
		})
	}
}

func TestOtherStoreFailures(t *testing.T) {
	down := errors.New("connection refused")
	f := newFixture(t, withStore(&failing{begin: down}), func(f *fixture, _ *idem.Options) { f.op.Key.Required = false })
	assert.Equal(t, idem.CodeStoreUnavailable, send(f.handler(f.pay(new(int))), call{noKey: true}).code())

	f = newFixture(t, withStore(&failing{lookup: down}))
	assert.Equal(t, idem.CodeStoreUnavailable, send(f.handler(f.pay(new(int))), call{body: "{"}).code(),
		"a malformed retry may be one that an earlier version knows")

	f = newFixture(t, withStore(&failing{release: down}))
	h := f.handler(func(ctx, *execution, paymentCommand) (idem.Response, error) {
		return idem.Response{}, errors.New("failed")
	})
	assert.Equal(t, 500, send(h, call{}).status)
	assert.Equal(t, idem.EventNotSettled, f.events.last().Kind)

	f = newFixture(t, withStore(&failing{prior: &idem.Prior{}}))
	assert.Equal(t, idem.CodeStoreUnavailable, send(f.handler(f.pay(new(int))), call{}).code(), "a store that gives nothing at all")
}

func TestStoreThatPanicsGivesTheTurnBack(t *testing.T) {
	store := &failing{claim: func(int) error { panic("boom") }}
	f := newFixture(t, withStore(store))
	h := f.handler(f.pay(new(int)))
	_, panicked, _ := serve(h, call{})
	require.Equal(t, "boom", panicked)
	store.claim = nil
	store.complete = func(idem.Held[*memstore.Tx]) error { panic("boom") }
	_, panicked, _ = serve(h, call{key: "key-2"})
	require.Equal(t, "boom", panicked)
	store.complete = nil
	assert.Equal(t, 201, send(h, call{}).status)
}

func TestCompletionThatFails(t *testing.T) {
	cases := []struct {
		name   string
		err    error
		status int
		code   idem.Code
		retry  bool
		says   string
	}{
		{"fenced", idem.ErrFenced, 500, idem.CodeCompletionFailed, false, "may have been carried out"}, // its handler may have committed by itself
		{"deferred constraint", errors.New("23505"), 500, idem.CodeCompletionFailed, false, "had no effect"},
		{"serialisation", idem.ErrSerialization, 503, idem.CodeTryAgain, true, "which is safe"},
		{"commit unknown", idem.ErrCommitUnknown, 503, idem.CodeTryAgain, true, "which is safe"},
		{"store unavailable", idem.ErrStoreUnavailable, 503, idem.CodeStoreUnavailable, true, "an earlier one with the same key may have been"},
		{"timeout", context.DeadlineExceeded, 503, idem.CodeTryAgain, true, "which is safe"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			store := &failing{}
			f := newFixture(t, withStore(store))
			store.complete = func(h idem.Held[*memstore.Tx]) error {
				require.NoError(t, h.Release(context.Background()))
				return fmt.Errorf("pgstore: complete: %w", c.err)
			}
			runs := 0
			h := f.handler(f.pay(&runs))
			a := send(h, call{})
			assert.Equal(t, c.status, a.status)
			assert.Equal(t, c.code, a.code())
			assert.Equal(t, c.retry, a.header.Get("Retry-After") != "")
			assert.Contains(t, a.body, c.says)
			assert.Empty(t, a.header.Get("Location"), "nothing of the handler's response")
			assert.Equal(t, 1, runs, "never twice within one request")
			assert.Equal(t, idem.EventNotSettled, f.events.last().Kind)

			store.complete = nil
			assert.Equal(t, 201, send(h, call{}).status)
			assert.Equal(t, 2, runs, "the key is absent")
		})
	}
}

func TestRecordsThatCannotBeAnswered(t *testing.T) {
	cases := []struct {
		prior idem.Prior
		code  idem.Code
		kind  idem.EventKind
	}{
		{idem.Prior{State: idem.StateUnknown, Operation: "createPayment"}, idem.CodeContractUnknown, idem.EventContractUnknown},
		{idem.Prior{State: idem.StateInFlight}, idem.CodeInFlight, idem.EventInFlight},
		{idem.Prior{State: idem.StateUnknown, Operation: "refund"}, idem.CodeMismatch, idem.EventMismatch},
		{idem.Prior{State: idem.StateFailedRetryable, Operation: "createPayment"}, idem.CodeContractUnknown, idem.EventContractUnknown},
	}
	for _, c := range cases {
		f := newFixture(t, withStore(&failing{prior: &c.prior}))
		assert.Equal(t, c.code, send(f.handler(f.pay(new(int))), call{}).code())
		assert.Equal(t, c.kind, f.events.last().Kind)
		assert.Equal(t, c.code, f.events.last().Code)
	}
	for state, code := range map[idem.State]idem.Code{idem.StateUnknown: idem.CodeOutcomeUnknown, idem.StateFailedRetryable: idem.CodeTryAgain} {
		f := newFixture(t, withStore(&failing{prior: &idem.Prior{State: state, Operation: "createPayment"}}),
			func(f *fixture, _ *idem.Options) { f.op.Versions = nil })
		a := send(f.handler(f.pay(new(int))), call{})
		assert.Equal(t, code, a.code())
		assert.NotEmpty(t, a.header.Get("Retry-After"))
	}
}
