package idem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestLeasedClaimThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		code idem.Code
	}{
		"store unavailable":         {idem.ErrStoreUnavailable, idem.CodeStoreUnavailable},
		"another error":             {errors.New("connection refused"), idem.CodeStoreUnavailable},
		"serialisation, for ever":   {idem.ErrSerialization, idem.CodeTryAgain},
		"its answer never arrives":  {idem.ErrCommitUnknown, idem.CodeStoreUnavailable},
		"its answer takes too long": {context.DeadlineExceeded, idem.CodeStoreUnavailable},
	} {
		for _, happened := range []bool{false, true} { // the claim, although its answer was lost
			t.Run(fmt.Sprint(name, happened), func(t *testing.T) {
				f := newLeasedFixture(t, idem.Recover, quick(time.Minute))
				if happened {
					f.tapped().losing("claim", 100, fmt.Errorf("pgstore: claim: %w", c.err))
				} else {
					f.tapped().failing("claim", fmt.Errorf("pgstore: claim: %w", c.err))
				}
				runs := 0
				h := f.serves(t, f.charge(&runs), nil)
				a := send(h, call{})
				assert.Equal(t, 503, a.status)
				assert.Equal(t, c.code, a.code())
				assert.NotEmpty(t, a.header.Get("Retry-After"))
				assert.Zero(t, runs)
				f.tapped().set(nil, nil)
				if happened && errors.Is(c.err, idem.ErrSerialization) {
					return // a store that says nothing happened, and something did
				}
				assert.Equal(t, 201, send(h, call{}).status, "nothing has run: the key is not blocked for a lease")
			})
		}
	}
}

func TestLeasedClaimWhoseAnswerWasLostOnce(t *testing.T) {
	for _, err := range []error{idem.ErrCommitUnknown, idem.ErrStoreUnavailable, idem.ErrSerialization} {
		f := newLeasedFixture(t, idem.Retake, quick(time.Minute))
		f.tapped().losing("claim", 1, err)
		runs := 0
		assert.Equal(t, 201, send(f.serves(t, f.charge(&runs), nil), call{}).status, "own token means own claim")
		assert.Equal(t, 1, f.state(t, "key-1").Attempt)
	}
}

// Between a claim and the question what became of it a process may be frozen for longer than the record lives.
func TestLeasedClaimWhoseAnswerWasLostForItsRecordsLife(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(time.Minute))
	f.tapped().set(nil, func(call string, n int) error {
		if call != "claim" || n > 1 {
			return nil
		}
		f.steal(t, idem.StateCompleted)
		f.clock.advance(2 * f.op.Retention)
		return idem.ErrCommitUnknown
	})
	runs := 0
	h := f.serves(t, f.charge(&runs), nil)
	a := send(h, call{})
	assert.Equal(t, 503, a.status)
	assert.Equal(t, idem.CodeTryAgain, a.code())
	assert.Zero(t, runs, "downstream keys are those of the record that was")
	assert.Equal(t, 201, send(h, call{}).status)
	assert.Equal(t, 1, runs)
	claims := f.tapped().claims
	assert.Equal(t, claims[0].RecordID, claims[1].RecordID, "it was asked once more")
	assert.NotEqual(t, claims[1].RecordID, claims[2].RecordID)
}

// A claim is not asked for again when its lease may be over: its record may have ended, expired and been swept, and must not begin
// once more under the same id.
func TestLeasedClaimWhoseAnswerWasLostForALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newLeasedFixture(t, idem.Retake, quick(2*time.Second))
		f.tapped().set(nil, func(call string, n int) error {
			if call == "claim" && n == 1 {
				time.Sleep(f.op.Lease)
				return idem.ErrCommitUnknown
			}
			return nil
		})
		runs := 0
		h := f.serves(t, f.charge(&runs), nil)
		assert.Equal(t, 503, send(h, call{}).status)
		assert.Equal(t, 1, f.tapped().count("claim"))
		assert.Equal(t, 201, send(h, call{}).status, "it was given back")
		assert.Equal(t, 1, runs)
	})
}

func TestTakeoverThatFails(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	f.crash(t, call{}, f.stepping)
	f.store = tap(f.store.(*memstore.Store))
	f.engine = newEngine(t, f.fixture, idem.Options{Recover: -1, Observer: f.events})
	run(t, f.engine)
	h := f.serves(t, f.charge(new(int)), nil)
	f.tapped().failing("take over", idem.ErrStoreUnavailable)
	assert.Equal(t, idem.CodeStoreUnavailable, send(h, call{}).code())
	for i, err := range []error{idem.ErrCommitUnknown, idem.ErrStoreUnavailable} {
		f.tapped().losing("take over", 1, err)
		assert.Equal(t, 503, send(h, call{}).status)
		assert.Equal(t, 2+i, f.state(t, "key-1").Attempt)
		assert.True(t, f.state(t, "key-1").LeaseOver, "what was taken over without knowing it is given back")
	}
	assert.Equal(t, 201, send(h, call{}).status)
	assert.Equal(t, []string{"create", "confirm 10.00"}, f.ledger.all())
}

func TestTakeoverThatSomebodyElseWon(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	f.crash(t, call{}, f.stepping)
	store := f.store.(*memstore.Store)
	f.store = tap(store)
	f.engine = newEngine(t, f.fixture, idem.Options{Recover: -1, Observer: f.events})
	run(t, f.engine)
	f.tapped().set(func(call string, n int) error {
		if call == "take over" && n == 1 {
			bare := &leasedFixture{fixture: &fixture{store: store, op: f.op}, clock: newClock()}
			bare.steal(t, idem.StateCompleted)
		}
		return nil
	}, nil)
	a := send(f.serves(t, mustNotRun(t), nil), call{})
	assert.True(t, a.replayed(), "what stands there now")
	assert.Equal(t, "another's", a.body)

	f.tapped().failing("take over", idem.ErrFenced)
	f2 := newLeasedFixture(t, idem.Retake)
	f2.crash(t, call{}, f2.stepping)
	f2.store = tap(f2.store.(*memstore.Store))
	f2.engine = newEngine(t, f2.fixture, idem.Options{Recover: -1})
	run(t, f2.engine)
	f2.tapped().failing("take over", idem.ErrFenced)
	assert.Equal(t, idem.CodeInFlight, send(f2.serves(t, mustNotRun(t), nil), call{}).code(), "it does not try for ever")
}

// TestLeasedCompletionThatFails is what becomes of an outcome that could not be stored, alone or with the last phase.
func TestLeasedCompletionThatFails(t *testing.T) {
	cases := []struct {
		name   string
		err    error
		status int
		code   idem.Code
	}{
		{"deferred constraint", errors.New("23505"), 500, idem.CodeCompletionFailed},
		{"serialisation", idem.ErrSerialization, 503, idem.CodeTryAgain},
		{"commit unknown", idem.ErrCommitUnknown, 503, idem.CodeTryAgain},
		{"store unavailable", idem.ErrStoreUnavailable, 503, idem.CodeStoreUnavailable},
	}
	for _, c := range cases {
		for _, last := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, last), func(t *testing.T) {
				f := newLeasedFixture(t, idem.Retake, quick(time.Minute))
				runs := 0
				h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
					runs++
					_, err := f.write(ctx, l, "create")
					if err == nil && last {
						_, err = idem.LastPhase(ctx, l, "last", func(tx *memstore.Tx) (int, error) { f.ledger.in(tx, "last"); return 1, nil })
					}
					return created(runs), err
				}, nil)
				outcomes := 0
				f.tapped().set(func(call string, _ int) error {
					outcome := call == "commit last" || call == "settle" && f.tapped().lastEnd().State == idem.StateCompleted
					if outcome {
						outcomes++
						return fmt.Errorf("pgstore: %w", c.err)
					}
					return nil
				}, nil)
				a := send(h, call{})
				assert.Equal(t, c.status, a.status)
				assert.Equal(t, c.code, a.code())
				assert.Empty(t, a.header.Get("Location"))
				assert.NotContains(t, a.body, "no effect", "the first phase stays")
				assert.NotContains(t, a.body, "was not carried out")
				assert.Contains(t, a.body, "with the same key")
				assert.Equal(t, 1, runs, "never twice within one request")
				assert.Contains(t, f.events.kinds(), idem.EventNotSettled)
				record := f.state(t, "key-1")
				assert.Equal(t, idem.StateInFlight, record.State)
				assert.True(t, record.LeaseOver, "handed back at once")

				f.tapped().set(nil, nil)
				assert.Equal(t, 201, send(h, call{}).status)
				assert.Equal(t, 2, runs)
				want := []string{"create"}
				if last {
					want = append(want, "last")
				}
				assert.Equal(t, want, f.ledger.all())
			})
		}
	}
}

func TestLeasedCompletionWhoseAnswerWasLost(t *testing.T) {
	for _, last := range []bool{false, true} {
		for _, status := range []int{201, 402} {
			t.Run(fmt.Sprint(last, status), func(t *testing.T) {
				f := newLeasedFixture(t, idem.Hold, quick(time.Minute))
				h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
					if last {
						_, err := idem.LastPhase(ctx, l, "last", func(tx *memstore.Tx) (int, error) { f.ledger.in(tx, "last"); return 1, nil })
						require.NoError(t, err)
					}
					return idem.Response{Status: status, Body: []byte("mine")}, nil
				}, nil)
				f.tapped().losing(map[bool]string{true: "commit last", false: "settle"}[last], 1, idem.ErrCommitUnknown)
				a := send(h, call{})
				assert.Equal(t, status, a.status)
				assert.Equal(t, "mine", a.body)
				assert.False(t, a.replayed())
				assert.Equal(t, idem.EventCompleted, f.events.last().Kind)
				assert.True(t, send(h, call{}).replayed())
			})
		}
	}
}

// Nothing may be said about a commit while the store cannot be asked. The key is safe.
func TestLeasedCompletionWhoseAnswerWasLostForGood(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(time.Minute))
	h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		_, err := idem.LastPhase(ctx, l, "last", func(tx *memstore.Tx) (int, error) { f.ledger.in(tx, "last"); return 1, nil })
		return created(1), err
	}, nil)
	f.tapped().set(func(call string, _ int) error {
		if call == "look up" || call == "settle" {
			return idem.ErrStoreUnavailable
		}
		return nil
	}, func(call string, _ int) error {
		if call == "commit last" {
			return idem.ErrCommitUnknown
		}
		return nil
	})
	a := send(h, call{})
	assert.Equal(t, 503, a.status)
	f.tapped().set(nil, nil)
	assert.True(t, send(h, call{}).replayed(), "it had committed")
	assert.Equal(t, []string{"last"}, f.ledger.all())
}

func TestPhaseWhoseCommitFails(t *testing.T) {
	cases := map[string]struct {
		err    error
		happen bool
		status int
	}{
		"serialisation":           {idem.ErrSerialization, false, 503},
		"answer lost, happened":   {idem.ErrCommitUnknown, true, 503},
		"answer lost, did not":    {idem.ErrCommitUnknown, false, 503},
		"deferred constraint":     {errors.New("23505"), false, 500},
		"a name of another phase": {idem.ErrPhaseTwice, false, 500},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newLeasedFixture(t, idem.Retake, quick(time.Minute))
			if c.happen {
				f.tapped().losing("commit", 1, c.err)
			} else {
				f.tapped().failing("commit", c.err)
			}
			ran := 0
			h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
				got, err := idem.Phase(ctx, l, "create", func(tx *memstore.Tx) (int, error) { ran++; f.ledger.in(tx, "create"); return ran, nil })
				if err != nil {
					require.ErrorIs(t, err, c.err)
					assert.Zero(t, got)
					if errors.Is(err, idem.ErrCommitUnknown) {
						_, again := f.write(ctx, l, "create")
						require.ErrorIs(t, again, idem.ErrPhaseTwice, "it may have happened")
					}
				}
				return created(1), err
			}, nil)
			assert.Equal(t, c.status, send(h, call{}).status)
			f.tapped().set(nil, nil)
			require.Equal(t, 201, send(h, call{}).status)
			assert.Equal(t, []string{"create"}, f.ledger.all())
			assert.Equal(t, map[bool]int{true: 1, false: 2}[c.happen], ran, "what happened is not repeated")
		})
	}
}

// An observer that panics costs one request its answer, and nobody else's key.
func TestObserverThatPanicsHandsTheRecordBack(t *testing.T) {
	for _, policy := range policies {
		for _, kind := range []idem.EventKind{idem.EventClaimed, idem.EventTookOver} {
			panics := false
			f := newLeasedFixture(t, policy, func(_ *fixture, o *idem.Options) {
				o.Observer = observing(func(e idem.Event) {
					if panics && e.Kind == kind {
						panic("boom")
					}
				})
			})
			h := f.serves(t, f.charge(new(int)), nil)
			if kind == idem.EventTookOver {
				f.crash(t, call{}, f.stepping)
			}
			panics = true
			_, panicked, _ := serve(h, call{})
			require.Equal(t, "boom", panicked)
			panics = false
			want := map[bool]idem.State{true: idem.StateFailedRetryable, false: idem.StateInFlight}[kind == idem.EventClaimed]
			if kind == idem.EventTookOver && policy == idem.Hold {
				want = idem.StateUnknown
			}
			record := f.state(t, "key-1")
			assert.Equal(t, want, record.State)
			assert.Equal(t, want == idem.StateInFlight, record.LeaseOver)
		}
	}
}

func TestStoreThatPanicsGivesTheLeasedTurnBack(t *testing.T) {
	for _, panics := range []string{"claim", "settle", "take over"} {
		f := newLeasedFixture(t, idem.Retake, quick(time.Minute))
		runs := 0
		h := f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) {
			if runs++; panics == "take over" && runs == 1 {
				return idem.Response{}, errAttempt // so that there is something to take over
			}
			return created(runs), nil
		}, nil)
		if panics == "take over" {
			require.Equal(t, 500, send(h, call{}).status)
		}
		f.tapped().set(func(c string, _ int) error {
			if c == panics {
				panic("boom")
			}
			return nil
		}, nil)
		_, panicked, _ := serve(h, call{})
		require.Equal(t, "boom", panicked)
		f.tapped().set(nil, nil)
		f.clock.advance(f.op.Lease)
		assert.Equal(t, 201, send(h, call{}).status)
	}
}
