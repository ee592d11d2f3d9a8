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
)

// serve calls h in a goroutine of its own, so that Goexit ends only that, and gives what came out.
func serve(h http.Handler, c call) (a answer, panicked any, returned bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		a = send(h, c)
		returned = true
	}()
	<-done
	return a, panicked, returned
}

// TestOutcomes is the second table of the design: how a handler ends, what its writes become, what the key is afterwards.
func TestOutcomes(t *testing.T) {
	cases := []struct {
		name   string
		end    func(ex *execution) (idem.Response, error)
		status int // what the client gets; 0: nothing
		writes int
		stored bool
	}{
		{"201", respond(201), 201, 1, true},
		{"no status", respond(0), 500, 0, false},
		{"204", respond(204), 204, 1, true},
		{"304", respond(304), 304, 1, true},
		{"399", respond(399), 399, 1, true},
		{"400 rolls back", respond(400), 400, 0, true},
		{"422 rolls back", respond(422), 422, 0, true},
		{"500 is an outcome", respond(500), 500, 0, true},
		{"402 with writes kept", func(ex *execution) (idem.Response, error) {
			ex.KeepWrites()
			return idem.Response{Status: 402}, nil
		}, 402, 1, true},
		{"excepted", respond(503), 503, 0, false},
		{"excepted with writes kept", func(ex *execution) (idem.Response, error) {
			ex.KeepWrites()
			return idem.Response{Status: 429}, nil
		}, 429, 0, false},
		{"error", func(*execution) (idem.Response, error) { return idem.Response{}, errors.New("secret") }, 500, 0, false},
		{"error beside a response", func(*execution) (idem.Response, error) { return idem.Response{Status: 201}, errors.New("secret") }, 500, 0, false},
		{"panic", func(*execution) (idem.Response, error) { panic("boom") }, 0, 0, false},
		{"Goexit", func(*execution) (idem.Response, error) { runtime.Goexit(); return idem.Response{}, nil }, 0, 0, false},
		{"informational status", respond(103), 500, 0, false},
		{"status above 599", respond(600), 500, 0, false},
		{"negative status", respond(-1), 500, 0, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			runs := 0
			h := f.handler(func(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
				runs++
				f.ledger.write(ex, "written")
				return c.end(ex)
			})
			first, panicked, returned := serve(h, call{})
			if c.status == 0 {
				require.False(t, returned)
				if c.name == "panic" {
					require.Equal(t, "boom", panicked, "raised again after the roll back")
				}
			} else {
				require.Equal(t, c.status, first.status)
				assert.NotContains(t, first.body, "secret")
			}
			assert.Len(t, f.ledger.all(), c.writes)

			again, _, _ := serve(h, call{})
			if c.stored {
				assert.Equal(t, 1, runs)
				assert.True(t, again.replayed(), "a stored failure is marked as a replay too")
				assert.Equal(t, c.status, again.status)
			} else {
				assert.Equal(t, 2, runs, "the key is absent again")
				assert.False(t, again.replayed())
			}
		})
	}
}

func respond(status int) func(*execution) (idem.Response, error) {
	return func(*execution) (idem.Response, error) { return idem.Response{Status: status}, nil }
}

func TestClientThatHangsUpCancelsNothing(t *testing.T) {
	f := newFixture(t)
	clientCtx, hangUp := context.WithCancel(context.Background())
	var deadline time.Time
	h := f.handler(func(ctx ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
		hangUp()
		assert.NoError(t, ctx.Err())
		assert.Equal(t, ctx, ex.Context())
		assert.Equal(t, "acme", ctx.Value(tenantKey{}), "its values stay")
		deadline, _ = ctx.Deadline()
		f.ledger.write(ex, "written")
		return idem.Response{Status: 201}, nil
	})
	require.Equal(t, 201, send(h, call{ctx: clientCtx}).status)
	assert.WithinDuration(t, time.Now().Add(30*time.Second), deadline, 5*time.Second)
	assert.Len(t, f.ledger.all(), 1)
	assert.True(t, send(h, call{}).replayed())

	gone, cancel := context.WithCancel(context.Background())
	cancel()
	assert.True(t, send(h, call{ctx: gone}).replayed(), "a client that was gone before Begin claims and replays like any other")
}

func TestDeadlineEndsTheContext(t *testing.T) {
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.Deadline = 200 * time.Millisecond })
	h := f.handler(func(ctx ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
		<-ctx.Done()
		f.ledger.write(ex, "written")
		return idem.Response{}, ctx.Err()
	})
	assert.Equal(t, 500, send(h, call{}).status)
	assert.Empty(t, f.ledger.all())
}

func TestExecutionIsOverWhenTheHandlerHasReturned(t *testing.T) {
	f := newFixture(t)
	var kept *execution
	h := f.handler(func(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
		assert.Equal(t, 1, ex.Attempt())
		assert.False(t, ex.RecordID().IsZero())
		assert.Equal(t, "key-1", ex.Key())
		err := errors.New("not under a binding")
		ex.End(&err)
		kept = ex
		return idem.Response{Status: 201}, nil
	})
	require.Equal(t, 201, send(h, call{}).status)
	require.PanicsWithError(t, idem.ErrSettled.Error(), kept.KeepWrites)
	require.Panics(t, func() { kept.Tx().OnCommit(func() {}) })
	require.ErrorIs(t, kept.Context().Err(), context.Canceled)
	a := f.engine.Finish(context.Background(), kept, idem.Outcome{})
	require.ErrorIs(t, a.Err, idem.ErrSettled)
	a = f.engine.Finish(context.Background(), kept, idem.Outcome{Err: errors.New("late")})
	require.ErrorIs(t, a.Err, idem.ErrSettled)
}

func TestCommandThatCannotBeDecodedBurnsNoKey(t *testing.T) {
	f := newFixture(t)
	decode := func(*canon.Request) (paymentCommand, error) {
		return paymentCommand{}, &canon.Refusal{Place: "query.expand", Offset: -1, Reason: "it is no number"}
	}
	h := authenticated(idem.Handle(f.engine, f.op, decode, f.pay(new(int))))
	refused := send(h, call{})
	assert.Equal(t, 400, refused.status)
	assert.Equal(t, idem.CodeRequestMalformed, refused.code())
	assert.Contains(t, refused.body, `"parameter":"query.expand"`)

	runs := 0
	require.Equal(t, 201, send(f.handler(f.pay(&runs)), call{}).status)
	assert.Equal(t, 1, runs)

	plain := authenticated(idem.Handle(f.engine, f.op, func(*canon.Request) (paymentCommand, error) {
		return paymentCommand{}, errors.New("secret")
	}, f.pay(&runs)))
	a := send(plain, call{key: "other"})
	assert.Equal(t, idem.CodeRequestMalformed, a.code())
	assert.NotContains(t, a.body, "secret")
}

func TestDecoderThatPanicsBurnsNoKey(t *testing.T) {
	f := newFixture(t)
	h := authenticated(idem.Handle(f.engine, f.op, func(*canon.Request) (paymentCommand, error) { panic("boom") }, f.pay(new(int))))
	_, panicked, _ := serve(h, call{})
	require.Equal(t, "boom", panicked)
	runs := 0
	require.Equal(t, 201, send(f.handler(f.pay(&runs)), call{}).status)
}

func TestQueueConsumerStandsOnTheCore(t *testing.T) {
	f := newFixture(t)
	message := &canon.Request{Body: []byte(tenPayment), ContentType: "application/json",
		Header: http.Header{"Idempotency-Key": {"m-1"}}, Path: []string{"acc_1"}}
	tenant := withTenant(context.Background(), "acme")

	ex, a := f.engine.Begin(tenant, f.op, message)
	require.Nil(t, a)
	f.ledger.write(ex, "written")
	done := f.engine.Finish(tenant, ex, idem.Outcome{Response: idem.Response{Status: 200, Body: []byte("ok")}})
	require.Nil(t, done.Problem)

	ex, a = f.engine.Begin(tenant, f.op, message)
	require.Nil(t, ex)
	assert.True(t, a.Replayed)
	assert.Equal(t, "ok", string(a.Response.Body))
	assert.Len(t, f.ledger.all(), 1)

	message.Path = nil
	_, a = f.engine.Begin(tenant, f.op, message)
	assert.Equal(t, idem.CodeNotBound, a.Problem.Code)
	for _, unknown := range []*idem.Operation{nil, createPayment()} {
		_, a = f.engine.Begin(tenant, unknown, message)
		assert.Equal(t, idem.CodeNotBound, a.Problem.Code)
	}
}
