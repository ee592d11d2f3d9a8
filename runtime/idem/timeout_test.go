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

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestMiddlewareTimeoutHandlerInside(t *testing.T) {
	f := newFixture(t)
	timeout := func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, 20*time.Millisecond, "timed out")
	}
	var kept *execution
	cases := map[string]business{
		"business heeds its context": func(ctx context.Context, ex *execution, _ paymentCommand) (idem.Response, error) {
			f.ledger.write(ex, "written")
			<-ctx.Done()
			return idem.Response{}, ctx.Err()
		},
		"business heeds the execution's context and says 201": func(_ context.Context, ex *execution, _ paymentCommand) (idem.Response, error) {
			f.ledger.write(ex, "written")
			kept = ex
			<-ex.Context().Done()
			return idem.Response{Status: 201}, nil
		},
		"business panics late": func(ctx context.Context, ex *execution, _ paymentCommand) (idem.Response, error) {
			f.ledger.write(ex, "written")
			<-ctx.Done()
			runtime.Goexit()
			return idem.Response{Status: 200}, nil
		},
	}
	for name, b := range cases {
		t.Run(name, func(t *testing.T) {
			a := send(f.app(strict, b, authenticated, timeout), call{})
			assert.Equal(t, 503, a.status)
			assert.Equal(t, "timed out", a.body)
			assert.Empty(t, f.ledger.all(), "what the client was told did not happen")
			held := send(f.app(strict, func(context.Context, *execution, paymentCommand) (idem.Response, error) {
				return idem.Response{}, errors.New("ran")
			}, authenticated), call{})
			assert.Equal(t, "framework: ran\n", held.body, "the key is free")
		})
	}
	assert.Panics(t, kept.KeepWrites)
}

func TestMiddlewareBusinessThatDoesNotEnd(t *testing.T) {
	f := newFixture(t)
	idem.SetEndPatience(f.engine, 20*time.Millisecond)
	finish, ended := make(chan struct{}), make(chan struct{})
	stuck := func(_ context.Context, ex *execution, _ paymentCommand) (idem.Response, error) {
		defer close(ended)
		f.ledger.write(ex, "written")
		<-finish
		return idem.Response{Status: 201}, nil
	}
	timeout := func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, 10*time.Millisecond, "timed out")
	}
	_, panicked, returned := serve(f.app(strict, stuck, authenticated, timeout), call{})
	require.False(t, returned)
	require.Equal(t, http.ErrAbortHandler, panicked, "the connection is closed")
	assert.Equal(t, idem.EventNotSettled, f.events.last().Kind)
	assert.ErrorContains(t, f.events.last().Err, "defer ex.End(&err)", "a binding that forgot it must be told")

	runs := 0
	ready := f.app(strict, f.payFor(&runs), authenticated)
	assert.Equal(t, 409, send(ready, call{}).status, "the key is not released while business code may still write")
	close(finish)
	<-ended
	require.Eventually(t, func() bool { return send(ready, call{}).status == 201 }, 5*time.Second, time.Millisecond)
	assert.Equal(t, []string{"acc 10.00"}, f.ledger.all(), "too late to be an outcome")
}

func TestMiddlewareAnswerBeforeBusinessEnds(t *testing.T) {
	f := newFixture(t)
	method := bound(f.op, func(ctx context.Context, ex *execution, _ paymentCommand) (idem.Response, error) {
		f.ledger.write(ex, "written")
		<-ctx.Done()
		return idem.Response{Status: 200}, nil
	})
	begun := make(chan struct{})
	async := f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		go func() {
			close(begun)
			_, _ = method(ctx, ctx, paymentCommand{})
		}()
		<-begun
		time.Sleep(10 * time.Millisecond)
		w.WriteHeader(http.StatusAccepted)
	})))
	a := send(async, call{})
	assert.Equal(t, 500, a.status, "a success would be a lie: it was rolled back")
	assert.Empty(t, f.ledger.all())
}

func TestMiddlewareAnswersAfterTheRollBack(t *testing.T) {
	releasing := make(chan struct{})
	store := &failing{releases: func() {
		close(releasing)
		time.Sleep(50 * time.Millisecond)
	}}
	f := newFixture(t, withStore(store))
	method := bound(f.op, func(context.Context, *execution, paymentCommand) (idem.Response, error) {
		return idem.Response{}, errors.New("failed")
	})
	h := f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		go func() { _, _ = method(ctx, ctx, paymentCommand{}) }()
		<-releasing // business code has ended, its roll back has not
		w.WriteHeader(http.StatusGatewayTimeout)
	})))
	require.Equal(t, 504, send(h, call{}).status)
	assert.Equal(t, 201, send(f.app(strict, f.payFor(new(int)), authenticated), call{}).status, "the key is free when the client knows")
}

func TestMiddlewareBeginThatEndsTooLate(t *testing.T) {
	claiming, claim := make(chan struct{}), make(chan struct{})
	store := &failing{claim: func(int) error {
		close(claiming)
		<-claim
		return nil
	}}
	f := newFixture(t, withStore(store))
	method := bound(f.op, func(context.Context, *execution, paymentCommand) (idem.Response, error) {
		t.Error("business code ran for a client that has its answer")
		return idem.Response{Status: 201}, nil
	})
	begun := make(chan error, 1)
	h := f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		go func() {
			_, err := method(ctx, ctx, paymentCommand{})
			begun <- err
		}()
		<-claiming
		w.WriteHeader(http.StatusGatewayTimeout)
		time.AfterFunc(10*time.Millisecond, func() { close(claim) })
	})))
	assert.Equal(t, 504, send(h, call{}).status)
	require.ErrorIs(t, <-begun, idem.ErrSettled)
	store.claim = nil
	assert.Equal(t, 201, send(f.app(strict, f.payFor(new(int)), authenticated), call{}).status)
}

func TestMiddlewareBeginAfterTheAnswer(t *testing.T) {
	f := newFixture(t)
	var kept context.Context
	h := f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept = r.Context()
		w.WriteHeader(http.StatusNotFound)
	})))
	require.Equal(t, 404, send(h, call{}).status)
	_, err := bound(f.op, f.payFor(new(int)))(kept, kept, paymentCommand{})
	require.ErrorIs(t, err, idem.ErrSettled)
	assert.Empty(t, f.events.kinds())
}
