package idem_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

var errLost = fmt.Errorf("pgstore: complete: %w", idem.ErrCommitUnknown)

// A commit whose answer was lost: what the client gets is what is recorded.
func TestLostCommitIsSettledByClaimingAgain(t *testing.T) {
	type held = idem.Held[*memstore.Tx]
	ctx := context.Background()
	done := idem.Completion{State: idem.StateCompleted, Response: idem.Response{Status: 201, Body: []byte("theirs")}}
	cases := []struct {
		name     string
		complete func(t *testing.T, s *failing, h held, asked idem.Claim)
		status   int
		code     idem.Code // empty: a response
		body     string
		kind     idem.EventKind
		effects  int
	}{
		{"it had committed", func(t *testing.T, _ *failing, h held, _ idem.Claim) {
			require.NoError(t, h.Complete(ctx, done))
		}, 201, "", `{"run": 1}`, idem.EventCompleted, 1},
		{"it had committed, and has expired since", func(t *testing.T, s *failing, h held, _ idem.Claim) {
			require.NoError(t, h.Complete(ctx, done))
			s.claim = always(idem.ErrFenced)
		}, 201, "", `{"run": 1}`, idem.EventCompleted, 1},
		{"it is still committing", func(t *testing.T, _ *failing, h held, _ idem.Claim) {
			time.AfterFunc(100*time.Millisecond, func() { assert.NoError(t, h.Complete(ctx, done)) })
		}, 201, "", `{"run": 1}`, idem.EventCompleted, 1},
		{"it had not", func(t *testing.T, _ *failing, h held, _ idem.Claim) {
			require.NoError(t, h.Release(ctx))
		}, 503, idem.CodeTryAgain, "", idem.EventNotSettled, 0},
		{"it will not", func(t *testing.T, _ *failing, h held, _ idem.Claim) {
			time.AfterFunc(100*time.Millisecond, func() { assert.NoError(t, h.Release(ctx)) })
		}, 503, idem.CodeTryAgain, "", idem.EventNotSettled, 0},
		{"nobody knows", func(t *testing.T, _ *failing, h held, _ idem.Claim) {
			t.Cleanup(func() { require.NoError(t, h.Release(ctx)) })
		}, 503, idem.CodeTryAgain, "", idem.EventNotSettled, 0},
		{"another one did", func(t *testing.T, s *failing, h held, asked idem.Claim) {
			require.NoError(t, h.Release(ctx))
			asked.Token, asked.RecordID = idem.NewUUID(), idem.NewUUID()
			theirs, _, err := s.Store.Claim(ctx, asked)
			require.NoError(t, err)
			require.NoError(t, theirs.Complete(ctx, done))
		}, 201, "", "theirs", idem.EventReplayed, 0},
		{"another one did something else", func(t *testing.T, s *failing, h held, asked idem.Claim) {
			require.NoError(t, h.Release(ctx))
			asked.Token, asked.Operation = idem.NewUUID(), "refundPayment"
			theirs, _, err := s.Store.Claim(ctx, asked)
			require.NoError(t, err)
			require.NoError(t, theirs.Complete(ctx, done))
		}, 422, idem.CodeMismatch, "", idem.EventMismatch, 0},
		{"the store is gone", func(t *testing.T, s *failing, h held, _ idem.Claim) {
			require.NoError(t, h.Release(ctx))
			s.claim = always(idem.ErrStoreUnavailable)
		}, 503, idem.CodeTryAgain, "", idem.EventNotSettled, 0},
		{"the store is back soon", func(t *testing.T, s *failing, h held, _ idem.Claim) {
			require.NoError(t, h.Complete(ctx, done))
			first := s.attempts
			s.claim = func(n int) error {
				if n < first+3 {
					return idem.ErrStoreUnavailable
				}
				return nil
			}
		}, 201, "", `{"run": 1}`, idem.EventCompleted, 1},
	}
	for _, c := range cases {
		run := func(t *testing.T, serve func(f *fixture, runs *int) answer) {
			store := &failing{}
			f := newFixture(t, withStore(store))
			idem.SetDoubtPatience(f.engine, 500*time.Millisecond)
			store.complete = func(h held) error {
				c.complete(t, store, h, store.asked)
				return errLost
			}
			runs := 0
			a := serve(f, &runs)
			assert.Equal(t, c.status, a.status)
			assert.Equal(t, c.kind, f.events.last().Kind)
			assert.Equal(t, 1, runs, "never twice within one request")
			assert.Len(t, f.ledger.all(), c.effects)
			if c.code != "" {
				assert.Equal(t, c.code, a.code())
				assert.Empty(t, a.header.Get("Location"), "nothing of the handler's response")
				return
			}
			assert.Equal(t, c.body, a.body)
			assert.Equal(t, c.body == "theirs", a.replayed())
			if !a.replayed() {
				assert.Equal(t, "first only", a.header.Get("X-Other"), "the first client gets it all")
			}
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run(t, func(f *fixture, runs *int) answer { return send(f.handler(f.pay(runs)), call{}) })
		})
		t.Run(c.name+", middleware", func(t *testing.T) {
			t.Parallel()
			run(t, func(f *fixture, runs *int) answer {
				return send(f.app(strict, f.payFor(runs), cors, authenticated), call{})
			})
		})
	}
}

// While the outcome is looked for, the key is in flight for everybody else in the process.
func TestKeyInDoubtIsInFlight(t *testing.T) {
	store := &failing{}
	f := newFixture(t, withStore(store))
	var inDoubt atomic.Bool
	store.complete = func(h idem.Held[*memstore.Tx]) error {
		time.AfterFunc(100*time.Millisecond, func() { assert.NoError(t, h.Complete(context.Background(), outcome201)) })
		inDoubt.Store(true)
		return errLost
	}
	runs := 0
	h := f.handler(f.pay(&runs))
	first := make(chan answer)
	go func() { first <- send(h, call{}) }()
	require.Eventually(t, inDoubt.Load, 5*time.Second, time.Millisecond)
	assert.Equal(t, 409, send(h, call{}).status)
	assert.Equal(t, 201, (<-first).status)
	assert.True(t, send(h, call{}).replayed())
}

var outcome201 = idem.Completion{State: idem.StateCompleted, Response: idem.Response{Status: 201}}

// Without a key there is nothing to claim again with, and trying again might do it twice.
func TestLostCommitWithoutAKeyIsNotCalledSafe(t *testing.T) {
	f := newFixture(t, func(f *fixture, _ *idem.Options) {
		f.op.Key.Required = false
		f.store = &beginning{f.store}
	})
	a := send(f.handler(f.pay(new(int))), call{noKey: true})
	assert.Equal(t, 500, a.status)
	assert.Equal(t, idem.CodeCompletionFailed, a.code())
	assert.NotContains(t, a.body, "no effect")
	assert.Empty(t, a.header.Get("Retry-After"))
}

// beginning loses the commit of every transaction without a claim.
type beginning struct{ idem.Store[*memstore.Tx] }

func (s *beginning) Begin(ctx context.Context, o idem.BeginOptions) (idem.Held[*memstore.Tx], error) {
	held, err := s.Store.Begin(ctx, o)
	return &losing{held}, err
}

type losing struct{ idem.Held[*memstore.Tx] }

func (h *losing) Complete(ctx context.Context, c idem.Completion) error {
	return errors.Join(errLost, h.Held.Complete(ctx, c))
}
