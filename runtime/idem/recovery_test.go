package idem_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// withWorker looks for what is due every few milliseconds.
func withWorker(_ *fixture, o *idem.Options) { o.Recover = 2 * time.Millisecond }

// mustNotRun is a handler that fails the test.
func mustNotRun(t *testing.T) leaseHandler {
	return func(ctx, *lease, paymentCommand) (idem.Response, error) {
		t.Error("the handler ran")
		return idem.Response{Status: 500}, nil
	}
}

// rescue is the recovery that people write: what was recorded is not done again, what is missing is.
func (f *leasedFixture) rescue(t *testing.T) paymentRescue {
	return func(ctx context.Context, l *lease, cmd paymentCommand, prior idem.Prior) (idem.Response, error) {
		assert.Equal(t, ctx, l.Context())
		assert.Equal(t, []string{"acme"}, l.Scope())
		assert.Equal(t, "key-1", l.Key())
		assert.Equal(t, idem.StateInFlight, prior.State)
		assert.Nil(t, prior.Request, "it is decoded")
		assert.Equal(t, paymentCommand{Account: "acc_1", Amount: "10.00", Currency: "EUR"}, cmd)
		assert.Equal(t, []idem.PhaseRecord{{Name: "create", Result: []byte(`"create"`)}}, prior.Phases)
		_, err := f.write(ctx, l, "create")
		require.NoError(t, err)
		f.psp.charge(l.DownstreamKey("psp"))
		_, err = idem.LastPhase(ctx, l, "confirm", func(tx *memstore.Tx) (any, error) { f.ledger.in(tx, "rescued"); return nil, nil })
		return created(l.Attempt()), err
	}
}

func TestRecoveryByTheNextRequest(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		withSealer := func(_ *fixture, o *idem.Options) {
			if sealed {
				o.Sealer = sealer(t)
			}
		}
		f := newLeasedFixture(t, idem.Recover, withSealer)
		first := f.serves(t, func(ctx ctx, l *lease, cmd paymentCommand) (idem.Response, error) {
			_, err := f.stepping(ctx, l, cmd)
			return idem.Response{}, errors.Join(err, errAttempt)
		}, nil)
		require.Equal(t, 500, send(first, call{}).status)

		h := f.serves(t, mustNotRun(t), f.rescue(t))
		a := send(h, call{body: `{"currency":"eur","amount":10, "metadata": {"retry": 1}}`}) // the same command in another spelling
		assert.Equal(t, 201, a.status)
		assert.False(t, a.replayed())
		assert.Equal(t, `{"run": 2}`, a.body)
		assert.Equal(t, []string{"create", "rescued"}, f.ledger.all())
		assert.True(t, send(h, call{}).replayed())
		charges, _ := f.psp.counts()
		assert.Equal(t, 1, charges)
		assert.Contains(t, f.events.kinds(), idem.EventRecovered)
		assert.Contains(t, f.events.kinds(), idem.EventTookOver)
	}
}

func TestRecoveryByTheWorker(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover, withWorker)
	f.crash(t, call{}, f.stepping)
	time.Sleep(20 * time.Millisecond)
	require.Equal(t, 1, f.state(t, "key-1").Attempt, "a program that does not mount the operation leaves it to others")
	h := f.serves(t, mustNotRun(t), f.rescue(t))
	require.Eventually(t, func() bool { return f.state(t, "key-1").State == idem.StateCompleted }, 20*time.Second, time.Millisecond)
	assert.Equal(t, []string{"create", "rescued"}, f.ledger.all())
	a := send(h, call{})
	assert.True(t, a.replayed())
	assert.Equal(t, `{"run": 2}`, a.body)
	f.end()
	assert.Equal(t, []idem.EventKind{idem.EventTookOver, idem.EventRecovered, idem.EventReplayed}, f.events.kinds())
}

func TestWorkerHoldsWhatIsHeld(t *testing.T) {
	f := newLeasedFixture(t, idem.Hold, withWorker)
	f.crash(t, call{}, f.stepping)
	require.Eventually(t, func() bool { return f.state(t, "key-1").State == idem.StateUnknown }, 20*time.Second, time.Millisecond)
	f.end()
	assert.Equal(t, []idem.EventKind{idem.EventTookOver, idem.EventGaveUp}, f.events.kinds())
}

func TestWorkerLeavesRetakesToTheNextRequest(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, withWorker)
	f.crash(t, call{}, f.stepping)
	time.Sleep(20 * time.Millisecond)
	assert.Equal(t, 1, f.state(t, "key-1").Attempt)
}

// TestRecoveryThatFails is how recoveries end without an outcome. They are tried again, later each time, until their attempts are used up.
func TestRecoveryThatFails(t *testing.T) {
	ends := map[string]struct {
		end    func() (idem.Response, error)
		status int
	}{
		"error":    {func() (idem.Response, error) { return idem.Response{}, errAttempt }, 500},
		"excepted": {func() (idem.Response, error) { return idem.Response{Status: 503}, nil }, 503},
		"panic":    {func() (idem.Response, error) { panic("boom") }, 0},
		"Goexit":   {func() (idem.Response, error) { runtime.Goexit(); return idem.Response{}, nil }, 0},
	}
	for name, c := range ends {
		t.Run(name, func(t *testing.T) {
			f := newLeasedFixture(t, idem.Recover)
			f.crash(t, call{}, f.stepping)
			h := f.serves(t, mustNotRun(t), func(context.Context, *lease, paymentCommand, idem.Prior) (idem.Response, error) { return c.end() })
			for i, delay := range []time.Duration{30 * time.Second, 2 * time.Minute, 8 * time.Minute} {
				a, _, _ := serve(h, call{})
				assert.Equal(t, c.status, a.status)
				record := f.state(t, "key-1")
				assert.Equal(t, i+2, record.Attempt)
				assert.InDelta(t, delay*9/10, record.LeaseLeft, float64(delay/10+time.Millisecond))
				early := send(h, call{})
				assert.Equal(t, idem.CodeInFlight, early.code(), "not before its time")
				assert.Contains(t, early.body, "has not ended yet", "nothing of it runs now")
				f.clock.advance(record.LeaseLeft)
			}
			_, _, _ = serve(h, call{})
			assert.Equal(t, idem.StateUnknown, f.state(t, "key-1").State)
			assert.Equal(t, idem.EventGaveUp, f.events.last().Kind)
			assert.Equal(t, idem.CodeOutcomeUnknown, send(h, call{}).code())
		})
		t.Run(name+" in the worker", func(t *testing.T) {
			f := newLeasedFixture(t, idem.Recover, withWorker)
			idem.SetBackoff(f.engine, time.Nanosecond)
			f.crash(t, call{}, f.stepping)
			f.serves(t, mustNotRun(t), func(context.Context, *lease, paymentCommand, idem.Prior) (idem.Response, error) { return c.end() })
			require.Eventually(t, func() bool {
				f.clock.advance(time.Microsecond)
				return f.state(t, "key-1").State == idem.StateUnknown
			}, 20*time.Second, time.Millisecond, "a panic ends one recovery and nothing else")
			assert.Equal(t, 5, f.state(t, "key-1").Attempt)
			f.end()
		})
	}
}

func TestBackoffIsLimited(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover)
	for number, want := range map[int]time.Duration{1: 30 * time.Second, 2: 30 * time.Second, 3: 2 * time.Minute, 6: 30 * time.Minute, 1000: 30 * time.Minute} {
		for range 50 {
			got := idem.Backoff(f.engine, number)
			assert.LessOrEqual(t, got, want)
			assert.GreaterOrEqual(t, got, want*4/5)
		}
	}
}

func TestRecoveryThatDidNothingLetsTheHandlerRun(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover)
	f.crash(t, call{}, func(ctx, *lease, paymentCommand) (idem.Response, error) { return idem.Response{Status: 200}, nil })
	runs := 0
	h := f.serves(t, f.charge(&runs), func(context.Context, *lease, paymentCommand, idem.Prior) (idem.Response, error) {
		return idem.Response{}, idem.NothingDone(errAttempt)
	})
	assert.Equal(t, 500, send(h, call{}).status)
	assert.Equal(t, 201, send(h, call{}).status)
	assert.Equal(t, 1, runs)
}

func TestStoredCommandThatCannotBeRead(t *testing.T) {
	other := []byte("00000000000000000000000000000000")
	newSealer := func() idem.Sealer {
		s, err := idem.NewAESSealer(8, map[uint32][]byte{8: other})
		require.NoError(t, err)
		return s
	}
	cases := map[string]struct {
		first, second idem.Sealer
		decode        func(*canon.Request) (paymentCommand, error)
	}{
		"sealed under a lost key":    {sealer(t), newSealer(), decodePayment},
		"sealed, and no sealer":      {sealer(t), nil, decodePayment},
		"today's program refuses it": {nil, nil, refuseCommand},
		"its decoder fails":          {nil, nil, func(*canon.Request) (paymentCommand, error) { return paymentCommand{}, errAttempt }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newLeasedFixture(t, idem.Recover, func(_ *fixture, o *idem.Options) { o.Sealer = c.first })
			first := f.serves(t, func(ctx, *lease, paymentCommand) (idem.Response, error) { return idem.Response{}, errAttempt }, nil)
			send(first, call{})

			f.engine = newEngine(t, f.fixture, idem.Options{Sealer: c.second, Recover: -1, Observer: f.events})
			run(t, f.engine)
			r := func(context.Context, *lease, paymentCommand, idem.Prior) (idem.Response, error) {
				t.Error("the recovery ran")
				return idem.Response{Status: 200}, nil
			}
			require.NoError(t, idem.RegisterRecovery(f.engine, f.op, c.decode, r))
			session := f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, err := idem.BeginLeased[*memstore.Tx](r.Context(), r.Context(), f.op)
				require.Error(t, err)
			})))
			a := send(session, call{})
			assert.Equal(t, 503, a.status)
			assert.Equal(t, idem.CodeContractUnknown, a.code())
			assert.Equal(t, idem.StateInFlight, f.state(t, "key-1").State, "another program may read it, later")
			assert.Positive(t, f.state(t, "key-1").LeaseLeft)
		})
	}
}

// A record that was made before its operation recovered has no command: the request that asks is the same one.
func TestRecoveryOfARecordWithoutACommand(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	f.crash(t, call{}, f.stepping)
	f.op.Takeover = idem.Recover
	f.engine = newEngine(t, f.fixture, idem.Options{Recover: -1})
	run(t, f.engine)
	assert.Equal(t, 201, send(f.serves(t, mustNotRun(t), f.rescue(t)), call{}).status)
}

func TestWorkerAndARecordWithoutACommand(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	f.crash(t, call{}, f.stepping)
	f.op.Takeover, f.op.Attempts = idem.Recover, 2
	f.engine = newEngine(t, f.fixture, idem.Options{Recover: time.Millisecond})
	run(t, f.engine)
	f.serves(t, mustNotRun(t), func(context.Context, *lease, paymentCommand, idem.Prior) (idem.Response, error) {
		t.Error("it ran without its command")
		return idem.Response{Status: 200}, nil
	})
	require.Eventually(t, func() bool { return f.state(t, "key-1").State == idem.StateUnknown }, 20*time.Second, time.Millisecond)
}

func TestRegisterRecoverySaysWhatIsWrong(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover)
	rescue := f.rescue(t)
	assert.ErrorContains(t, idem.RegisterRecovery(f.engine, f.op, decodePayment, paymentRescue(nil)), "all needed")
	assert.ErrorIs(t, idem.RegisterRecovery(f.engine, chargeCard(idem.Recover), decodePayment, rescue), idem.ErrNotBound)
	held := newLeasedFixture(t, idem.Hold)
	assert.ErrorContains(t, idem.RegisterRecovery(held.engine, held.op, decodePayment, rescue), "not one that recovers")

	handler := mustNotRun(t)
	assert.Panics(t, func() { idem.HandleLeased(f.engine, f.op, decodePayment, handler, nil) })
	assert.Panics(t, func() { idem.HandleLeased(held.engine, held.op, decodePayment, handler, rescue) })
	assert.Panics(t, func() { idem.HandleLeased(f.engine, chargeCard(idem.Recover), decodePayment, handler, rescue) })
	assert.Panics(t, func() { idem.HandleLeased(f.engine, f.op, decodePayment, nil, rescue) })
	assert.Panics(t, func() { f.handler(f.pay(new(int))) }, "Handle does not serve a leased operation")
	plain := newFixture(t)
	assert.Panics(t, func() { idem.HandleLeased(plain.engine, plain.op, decodePayment, handler, nil) })
}

func TestOperationWhoseRecoveryIsNotRegistered(t *testing.T) {
	f := newLeasedFixture(t, idem.Recover)
	h := f.leasedApp(strict, f.charging(new(int)), authenticated)
	a := send(h, call{})
	assert.Equal(t, idem.CodeNotBound, a.code())
	assert.ErrorContains(t, f.events.last().Err, "RegisterRecovery")
	require.NoError(t, idem.RegisterRecovery(f.engine, f.op, decodePayment, f.rescue(t)))
	assert.Equal(t, 201, send(h, call{}).status)
}
