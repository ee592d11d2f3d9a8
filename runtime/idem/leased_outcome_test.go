package idem_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

var policies = []idem.TakeoverPolicy{idem.Recover, idem.Retake, idem.Hold}

// TestLeasedOutcomes is the second table of the design for leased execution: how a handler ends, what its phases become, what the
// record is afterwards.
func TestLeasedOutcomes(t *testing.T) {
	none := idem.State(0) // up to the policy
	cases := []struct {
		name   string
		end    func() (idem.Response, error)
		status int // what the client gets; 0: nothing
		state  idem.State
	}{
		{"201", ending(201), 201, idem.StateCompleted},
		{"no status", ending(0), 500, none},
		{"204", ending(204), 204, idem.StateCompleted},
		{"399", ending(399), 399, idem.StateCompleted},
		{"402 keeps its phases", ending(402), 402, idem.StateFailedReplayable},
		{"500 is an outcome", ending(500), 500, idem.StateFailedReplayable},
		{"excepted", ending(503), 503, none},
		{"error", func() (idem.Response, error) { return idem.Response{Status: 201}, errors.New("secret") }, 500, none},
		{"nothing done, with a phase", func() (idem.Response, error) { return idem.Response{}, idem.NothingDone(nil) }, 500, none},
		{"panic", func() (idem.Response, error) { panic("boom") }, 0, none},
		{"Goexit", func() (idem.Response, error) { runtime.Goexit(); return idem.Response{}, nil }, 0, none},
		{"informational status", ending(103), 500, none},
		{"status above 599", ending(600), 500, none},
	}
	after := map[idem.TakeoverPolicy]idem.State{
		idem.Recover: idem.StateInFlight, idem.Retake: idem.StateInFlight, idem.Hold: idem.StateUnknown,
	}
	for _, policy := range policies {
		for _, last := range []bool{true, false} {
			for _, c := range cases {
				t.Run(fmt.Sprint(policy, last, c.name), func(t *testing.T) {
					f := newLeasedFixture(t, policy)
					h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
						_, err := f.write(ctx, l, "first")
						require.NoError(t, err)
						if last {
							_, err = idem.LastPhase(ctx, l, "last", func(tx *memstore.Tx) (any, error) { f.ledger.in(tx, "last"); return nil, nil })
							require.NoError(t, err)
						}
						return c.end()
					}, nil)
					a, panicked, returned := serve(h, call{})
					require.Equal(t, c.status != 0, returned)
					if c.name == "panic" {
						require.Equal(t, "boom", panicked, "raised again after the record was handed back")
					}
					assert.Equal(t, c.status, a.status)
					assert.NotContains(t, a.body, "secret")

					effects := []string{"first"}
					if last && c.state != none {
						effects = append(effects, "last") // whatever the status is
					}
					assert.Equal(t, effects, f.ledger.all())
					want := c.state
					if want == none {
						want = after[policy]
					}
					record := f.state(t, "key-1")
					assert.Equal(t, want, record.State)
					if want == idem.StateInFlight {
						assert.True(t, record.LeaseOver, "at once")
					}
					if c.state != none {
						again := send(h, call{})
						assert.True(t, again.replayed())
						assert.Equal(t, c.status, again.status)
						assert.Equal(t, effects, f.ledger.all())
					}
				})
			}
		}
	}
}

func ending(status int) func() (idem.Response, error) {
	return func() (idem.Response, error) { return idem.Response{Status: status}, nil }
}

func TestLeasedHandlerThatDidNothingRunsAgainAtOnce(t *testing.T) {
	for _, policy := range policies {
		f := newLeasedFixture(t, policy)
		fails := errors.New("limit reached")
		runs := 0
		h := f.serves(t, func(_ ctx, l *lease, _ paymentCommand) (idem.Response, error) {
			runs++
			assert.Equal(t, runs, l.Attempt())
			if runs <= 7 { // more often than there are attempts
				return idem.Response{}, fmt.Errorf("charge: %w", idem.NothingDone(fails))
			}
			return created(runs), nil
		}, nil)
		for range 7 {
			assert.Equal(t, 500, send(h, call{}).status)
			assert.Equal(t, idem.StateFailedRetryable, f.state(t, "key-1").State)
			require.ErrorIs(t, f.events.last().Err, fails, "what the program renders is its own error")
			assert.Equal(t, 422, send(h, call{body: `{"amount":"11","currency":"EUR"}`}).status)
		}
		assert.Equal(t, 201, send(h, call{}).status)
		assert.True(t, send(h, call{}).replayed())
		assert.Equal(t, 8, runs)
	}
	assert.EqualError(t, idem.NothingDone(nil), "idem: nothing was done")
}

// A phase of an earlier attempt is something that was done.
func TestNothingDoneAfterAnEarlierPhase(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	runs := 0
	h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		if runs++; runs == 1 {
			_, err := f.write(ctx, l, "first")
			require.NoError(t, err)
		}
		return idem.Response{}, idem.NothingDone(nil)
	}, nil)
	send(h, call{})
	send(h, call{})
	assert.Equal(t, 2, runs)
	assert.Equal(t, idem.StateInFlight, f.state(t, "key-1").State)
}

// A phase that was rolled back is nothing.
func TestNothingDoneAfterAPhaseThatFailed(t *testing.T) {
	f := newLeasedFixture(t, idem.Hold)
	h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		_, err := idem.Phase(ctx, l, "first", func(*memstore.Tx) (int, error) { return 0, errors.New("no") })
		return idem.Response{}, idem.NothingDone(err)
	}, nil)
	send(h, call{})
	assert.Equal(t, idem.StateFailedRetryable, f.state(t, "key-1").State)
}

func TestClientThatHangsUpCancelsNothingOfALease(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	leaving, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	for name, client := range map[string]context.Context{"before Begin": gone, "in the handler": leaving} {
		for _, framework := range []bool{false, true} {
			t.Run(fmt.Sprint(name, framework), func(t *testing.T) {
				f := newLeasedFixture(t, idem.Retake)
				h := leaseHandler(func(ctx ctx, l *lease, cmd paymentCommand) (idem.Response, error) {
					hangUp()
					require.NoError(t, ctx.Err())
					assert.Equal(t, "acme", l.Context().Value(tenantKey{}), "its values stay")
					return f.charge(new(int))(ctx, l, cmd)
				})
				served := f.serves(t, h, nil)
				if framework {
					served = f.leasedApp(strict, leasedBusiness(h), authenticated)
				}
				require.Equal(t, 201, send(served, call{ctx: client}).status)
				assert.Equal(t, []string{"create", "confirm 10.00"}, f.ledger.all())
				assert.True(t, send(served, call{}).replayed())
			})
		}
	}
}

// What a leased request asks of the store: the claim, and nothing besides its phases.
func TestLeasedRequestAsksForNothingBesides(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover, quick(time.Minute))
	h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		_, err := idem.LastPhase(ctx, l, "only", func(tx *memstore.Tx) (int, error) { f.ledger.in(tx, "only"); return 1, nil })
		return created(1), err
	}, nil)
	require.Equal(t, 201, send(h, call{}).status)
	assert.Equal(t, map[string]int{"claim": 1, "begin phase": 1, "commit last": 1}, f.tapped().counts())
	f.tapped().set(nil, nil)
	require.True(t, send(h, call{}).replayed())
	assert.Equal(t, map[string]int{"claim": 1}, f.tapped().counts())
}

func TestLateOutcomeIsKeptForItsWholeRetention(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	h := f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) {
		f.clock.advance(f.op.Retention + time.Hour) // past the record's life as the claim set it
		return created(1), nil
	}, nil)
	require.Equal(t, 201, send(h, call{}).status)
	f.clock.advance(f.op.Retention - time.Second)
	assert.True(t, send(h, call{}).replayed())
	f.clock.advance(2 * time.Second)
	assert.Equal(t, idem.StateAbsent, f.state(t, "key-1").State)
}

func TestLeasedCommandThatCannotBeDecodedLeavesNothing(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	h := f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) { return created(1), nil }, nil)
	refusing := authenticated(idem.HandleLeased(f.engine, f.op, refuseCommand, func(ctx, *lease, paymentCommand) (idem.Response, error) {
		t.Error("the handler ran")
		return idem.Response{Status: 200}, nil
	}, nil))
	refused := send(refusing, call{})
	assert.Equal(t, 400, refused.status)
	assert.Equal(t, idem.CodeRequestMalformed, refused.code())
	assert.Equal(t, idem.StateAbsent, f.state(t, "key-1").State)

	require.Equal(t, 201, send(h, call{}).status)
	assert.True(t, send(refusing, call{}).replayed(), "a call that succeeded is replayed, whatever today's decoder says")
}

func refuseCommand(*canon.Request) (paymentCommand, error) {
	return paymentCommand{}, &canon.Refusal{Place: "query.expand", Offset: -1, Reason: "it is no number"}
}
