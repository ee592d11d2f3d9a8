package idem_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// leasedBusiness is what a team writes behind its server's interface.
type leasedBusiness func(ctx context.Context, l *lease, cmd paymentCommand) (idem.Response, error)

// leasedApp is a whole API behind Engine.Middleware, in the shape of a framework.
func (f *leasedFixture) leasedApp(s shape, b leasedBusiness, layers ...func(http.Handler) http.Handler) http.Handler {
	method := func(sessionCtx, callCtx context.Context, cmd paymentCommand) (resp idem.Response, err error) {
		l, err := idem.BeginLeased[*memstore.Tx](sessionCtx, callCtx, f.op)
		if err != nil {
			return resp, err
		}
		err = idem.ErrNotReturned
		defer l.End(&err)
		resp, err = b(callCtx, l, cmd)
		return resp, err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /v1/accounts/{accountId}/payments", s(method))
	var inner http.Handler = mux
	for i := len(layers) - 1; i >= 0; i-- {
		inner = layers[i](inner)
	}
	return f.engine.Middleware(inner)
}

func (f *leasedFixture) charging(runs *int) leasedBusiness { return leasedBusiness(f.charge(runs)) }

func TestLeasedMiddlewareFirstReplayMismatch(t *testing.T) {
	eachShape(t, func(t *testing.T, s shape) {
		f := newLeasedFixture(t, idem.Retake)
		runs := 0
		h := f.leasedApp(s, f.charging(&runs), cors, recovered, authenticated, validated)
		first := send(h, call{})
		require.Equal(t, 201, first.status, first.body)
		again := send(h, call{body: `{"currency":"eur", "amount":10}`})
		assert.True(t, again.replayed())
		assert.Equal(t, first.body, again.body)
		assert.Equal(t, idem.CodeMismatch, send(h, call{body: `{"amount":"11","currency":"EUR"}`}).code())
		assert.Equal(t, []string{"create", "confirm 10.00"}, f.ledger.all())
		assert.Equal(t, 1, runs)
	})
}

func TestLeasedMiddlewareOutcomes(t *testing.T) {
	cases := []struct {
		name   string
		end    func() (idem.Response, error)
		status int
		last   bool // the last phase committed
		state  idem.State
	}{
		{"201", ending(201), 201, true, idem.StateCompleted},
		{"402", ending(402), 402, true, idem.StateFailedReplayable},
		{"excepted", ending(503), 503, false, idem.StateInFlight},
		{"error", func() (idem.Response, error) { return idem.Response{}, errAttempt }, 500, false, idem.StateInFlight},
		{"panic", func() (idem.Response, error) { panic("boom") }, 0, false, idem.StateInFlight},
		{"Goexit", func() (idem.Response, error) { runtime.Goexit(); return idem.Response{}, nil }, 0, false, idem.StateInFlight},
	}
	eachShape(t, func(t *testing.T, s shape) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				f := newLeasedFixture(t, idem.Retake)
				h := f.leasedApp(s, func(ctx context.Context, l *lease, _ paymentCommand) (idem.Response, error) {
					_, err := idem.LastPhase(ctx, l, "last", func(tx *memstore.Tx) (any, error) { f.ledger.in(tx, "last"); return nil, nil })
					require.NoError(t, err)
					return c.end()
				}, authenticated)
				a, _, returned := serve(h, call{})
				require.Equal(t, c.status != 0, returned)
				assert.Equal(t, c.status, a.status)
				assert.Equal(t, map[bool]int{true: 1}[c.last], len(f.ledger.all()))
				assert.Equal(t, c.state, f.state(t, "key-1").State)
			})
		}
	})
}

func TestLeasedMiddlewareTimeoutHandlerInside(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	timeout := func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, 20*time.Millisecond, "timed out")
	}
	a := send(f.leasedApp(strict, func(ctx context.Context, l *lease, _ paymentCommand) (idem.Response, error) {
		_, err := f.write(ctx, l, "create")
		require.NoError(t, err)
		<-l.Context().Done()
		_, err = f.write(ctx, l, "late")
		require.Error(t, err)
		return idem.Response{Status: 201}, nil
	}, authenticated, timeout), call{})
	assert.Equal(t, 503, a.status)
	assert.Equal(t, "timed out", a.body)
	assert.Equal(t, idem.StateInFlight, f.state(t, "key-1").State)

	runs := 0
	assert.Equal(t, 201, send(f.leasedApp(strict, f.charging(&runs), authenticated), call{}).status)
	assert.Equal(t, []string{"create", "confirm 10.00"}, f.ledger.all())
}

func TestLeasedMiddlewareRecoveryInBegin(t *testing.T) {
	eachShape(t, func(t *testing.T, s shape) {
		f := newLeasedFixture(t, idem.Recover)
		f.crash(t, call{}, f.stepping)
		down := errors.New("the other system is down")
		fails := true
		require.NoError(t, idem.RegisterRecovery(f.engine, f.op, decodePayment, func(ctx context.Context, l *lease, cmd paymentCommand, prior idem.Prior) (idem.Response, error) {
			assert.Equal(t, "acme", ctx.Value(tenantKey{}), "the caller's context")
			if fails {
				return idem.Response{}, down
			}
			return f.rescue(t)(ctx, l, cmd, prior)
		}))
		h := f.leasedApp(s, func(context.Context, *lease, paymentCommand) (idem.Response, error) {
			t.Error("business code ran")
			return idem.Response{Status: 200}, nil
		}, cors, authenticated)
		a := send(h, call{})
		assert.Equal(t, 500, a.status)
		assert.Equal(t, "framework: "+down.Error(), a.body[:len("framework: ")+len(down.Error())], "the team's renderer answers")
		fails = false
		f.clock.advance(30 * time.Second)
		a = send(h, call{})
		assert.Equal(t, 201, a.status)
		assert.Equal(t, `{"run": 3}`, a.body)
		assert.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
		assert.True(t, send(h, call{}).replayed())
	})
}

func TestBindingsOfTheWrongMode(t *testing.T) {
	l := newLeasedFixture(t, idem.Retake)
	plainOnLeased := l.app(strict, l.payFor(new(int)), authenticated)
	assert.Equal(t, idem.CodeNotBound, send(plainOnLeased, call{}).code())

	p := newFixture(t)
	leasedOnPlain := (&leasedFixture{fixture: p}).leasedApp(strict, func(context.Context, *lease, paymentCommand) (idem.Response, error) {
		t.Error("business code ran")
		return idem.Response{Status: 200}, nil
	}, authenticated)
	assert.Equal(t, idem.CodeNotBound, send(leasedOnPlain, call{}).code())
	_, err := idem.BeginLeased[*memstore.Tx](t.Context(), t.Context(), l.op)
	require.ErrorIs(t, err, idem.ErrNotBound)
	_, err = idem.BeginLeased[*memstore.Tx](t.Context(), t.Context(), nil)
	require.ErrorIs(t, err, idem.ErrNotBound)
	assert.Contains(t, fmt.Sprint(err), "outside of Engine.Middleware")
}
