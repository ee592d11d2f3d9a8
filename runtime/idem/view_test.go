package idem_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// A payment whose body counts through a view, of the form amount;note: the note does not count.

var viewedSpec = canon.BodySpec{Required: true, Accepts: []canon.Media{canon.Octets}, Types: []string{"text/csv", "application/json"}}

func viewedVersion(number int, id canon.ContractID) idem.Version {
	return idem.Version{Number: number, ID: id, Fields: []string{"body"}, View: "amount", ViewBody: &viewedSpec,
		Fingerprint: func(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
			s.Start(r)
			if s.OpenView(&viewedSpec) != canon.NoBody {
				s.Generic(0)
			}
			return s.Finish("createPayment", id)
		}}
}

func amountOf(_ context.Context, _ string, body []byte) ([]byte, error) {
	amount, _, ok := strings.Cut(string(body), ";")
	if !ok {
		return nil, fmt.Errorf("%q has no note", body)
	}
	return []byte(amount), nil
}

// viewing makes a fixture whose operation has the view.
func viewing(t *testing.T, view idem.View, settings ...setting) *fixture {
	t.Helper()
	return newFixture(t, append([]setting{func(f *fixture, _ *idem.Options) {
		f.op.Versions = []idem.Version{viewedVersion(4, "4444444444444444"), viewedVersion(3, "3333333333333333")}
		f.views = map[string]idem.View{"amount": view}
	}}, settings...)...)
}

func csv(body string) call {
	return call{body: body, header: http.Header{"Content-Type": {"text/csv"}}}
}

// serveViewed serves the operation with Handle and, in the framework's shapes, with Middleware.
func serveViewed(t *testing.T, view idem.View, test func(t *testing.T, f *fixture, h http.Handler, bodies *[]string)) {
	t.Helper()
	t.Run("handle", func(t *testing.T) {
		f, bodies := viewing(t, view), []string{}
		decode := func(r *canon.Request) (string, error) { return string(r.Body), nil }
		h := idem.Handle(f.engine, f.op, decode, func(_ context.Context, _ *execution, body string) (idem.Response, error) {
			bodies = append(bodies, body)
			return idem.Response{Status: 201}, nil
		})
		test(t, f, authenticated(h), &bodies)
	})
	t.Run("middleware", func(t *testing.T) {
		f, bodies := viewing(t, view), []string{}
		h := f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ex, err := idem.Begin[*tx](r.Context(), r.Context(), f.op)
			if err != nil {
				return
			}
			defer ex.End(&err)
			var read bytes.Buffer
			_, _ = read.ReadFrom(r.Body)
			bodies = append(bodies, read.String())
			w.WriteHeader(http.StatusCreated)
		})))
		test(t, f, h, &bodies)
	})
}

func TestViewedBody(t *testing.T) {
	serveViewed(t, amountOf, func(t *testing.T, f *fixture, h http.Handler, bodies *[]string) {
		require.Equal(t, 201, send(h, csv("10.00;first")).status)
		assert.True(t, send(h, csv("1e1;again")).replayed(), "what the view leaves out does not count")
		other := send(h, csv("11;first"))
		assert.Equal(t, idem.CodeMismatch, other.code())
		assert.Contains(t, other.body, `"fields":["body"]`)
		assert.Equal(t, []string{"10.00;first"}, *bodies, "the handler gets the body as it was sent")
	})
}

func TestViewThatFails(t *testing.T) {
	calls := 0
	var fails func() ([]byte, error)
	view := func(context.Context, string, []byte) ([]byte, error) { calls++; return fails() }
	serveViewed(t, view, func(t *testing.T, f *fixture, h http.Handler, bodies *[]string) {
		for _, c := range []struct {
			name   string
			fails  func() ([]byte, error)
			status int
			code   idem.Code
			want   string
		}{
			{"with an error", func() ([]byte, error) { return nil, errors.New("secret of the program") }, 400, idem.CodeRequestMalformed, `"detail":"The request cannot be read."`},
			{"with words for the client", func() ([]byte, error) {
				return nil, fmt.Errorf("secret: %w", &canon.Refusal{Place: "body", Offset: -1, Reason: "the signature is of another key"})
			}, 400, idem.CodeRequestMalformed, `"detail":"The request cannot be read: body: the signature is of another key."`},
			{"with its context", func() ([]byte, error) { return nil, fmt.Errorf("keys: %w", context.DeadlineExceeded) }, 503, idem.CodeTryAgain, `"code"`},
			{"with nothing", func() ([]byte, error) { return nil, nil }, 400, idem.CodeRequestMalformed, "its view gives nothing"},
			{"with no JSON", func() ([]byte, error) { return []byte("secret"), nil }, 400, idem.CodeRequestMalformed, "what its view gives cannot be compared: a JSON value is expected"},
		} {
			fails = c.fails
			calls = 0
			a := send(h, csv("1;"))
			assert.Equal(t, c.status, a.status, c.name)
			assert.Equal(t, c.code, a.code(), c.name)
			assert.Contains(t, a.body, c.want, c.name)
			assert.NotContains(t, a.body, "secret", c.name)
			assert.Equal(t, 1, calls, "%s: once for all versions", c.name)
			assert.Equal(t, idem.EventRefused, f.events.last().Kind)
		}
		assert.Empty(t, *bodies)

		fails = func() ([]byte, error) { panic("view") }
		assert.PanicsWithValue(t, "view", func() { send(h, csv("1;")) })
		fails = func() ([]byte, error) { return []byte("1"), nil }
		assert.Equal(t, 201, send(h, csv("1;")).status, "nothing was claimed")
	})
}

// The observer hears what the client must not.
func TestViewErrorReachesTheObserver(t *testing.T) {
	cause := errors.New("the note is missing")
	f := viewing(t, func(context.Context, string, []byte) ([]byte, error) { return nil, cause })
	send(f.handler(f.pay(new(int))), csv("1"))
	var view *idem.ViewError
	require.ErrorAs(t, f.events.last().Err, &view)
	assert.Equal(t, "amount", view.View)
	require.ErrorIs(t, view, cause)
	assert.EqualError(t, view, "idem: view amount: the note is missing")
}

// A request that is refused without a view never meets one, and no view changes what the handler gets.
func TestWhenAViewIsCalled(t *testing.T) {
	var calls atomic.Int32
	var contentType string
	view := func(ctx context.Context, media string, body []byte) ([]byte, error) {
		calls.Add(1)
		contentType = media
		assert.Equal(t, "acme", ctx.Value(tenantKey{}), "ctx is the request's")
		deadline, bounded := ctx.Deadline()
		assert.True(t, bounded)
		assert.Greater(t, time.Until(deadline), time.Duration(0))
		text, err := amountOf(ctx, media, body)
		text = bytes.Clone(text)
		clear(body)
		return text, err
	}
	serveViewed(t, view, func(t *testing.T, f *fixture, h http.Handler, bodies *[]string) {
		calls.Store(0)
		a := send(h, call{body: "1;", header: http.Header{"Content-Type": {"text/html"}}})
		assert.Equal(t, 415, a.status)
		a = send(h, call{noKey: true, body: "1;", header: http.Header{"Content-Type": {"text/csv"}}})
		assert.Equal(t, idem.CodeKeyMissing, a.code())
		assert.Zero(t, calls.Load())

		c := csv("1;note")
		c.header["Content-Type"] = []string{"Application/JSON; x=y"}
		require.Equal(t, 201, send(h, c).status)
		assert.EqualValues(t, 1, calls.Load())
		assert.Equal(t, "Application/JSON; x=y", contentType)
		assert.Equal(t, []string{"1;note"}, *bodies, "the view cleared a copy of its own")
		c = csv(zipped(t, "1.0;"))
		c.header["Content-Encoding"] = []string{"gzip"}
		assert.True(t, send(h, c).replayed(), "of another media type, and compressed")
	})
}

// A body that counts through another view, or not through one, under an earlier version is judged by that one.
func TestViewBesideAVersionWithoutOne(t *testing.T) {
	plain := paymentV1
	f := newFixture(t, func(f *fixture, _ *idem.Options) { f.op.Versions = []idem.Version{plain} })
	runs := 0
	require.Equal(t, 201, send(f.handler(f.pay(&runs)), call{body: `{"amount":10}`}).status)

	f.op = createPayment()
	f.op.Versions = []idem.Version{viewedVersion(3, "3333333333333333"), plain}
	f.views = map[string]idem.View{"amount": func(context.Context, string, []byte) ([]byte, error) { return nil, errors.New("not mine") }}
	f.engine = newEngine(t, f, idem.Options{})
	assert.True(t, send(f.handler(f.pay(&runs)), call{body: `{"amount":"1e1"}`}).replayed())
	assert.Equal(t, idem.CodeMismatch, send(f.handler(f.pay(&runs)), call{body: `{"amount":11}`}).code())
	assert.Equal(t, 1, runs)
}

func TestUnkeyedRequestMeetsItsView(t *testing.T) {
	calls := 0
	f := viewing(t, func(ctx context.Context, media string, body []byte) ([]byte, error) {
		calls++
		return amountOf(ctx, media, body)
	}, func(f *fixture, _ *idem.Options) { f.op.Key.Required = false })
	decode := func(*canon.Request) (paymentCommand, error) { return paymentCommand{}, nil }
	h := authenticated(idem.Handle(f.engine, f.op, decode, f.pay(new(int))))
	c := csv("1;")
	c.noKey = true
	assert.Equal(t, 201, send(h, c).status)
	c.body = "1"
	assert.Equal(t, 400, send(h, c).status, "a key decides nothing about what is accepted")
	assert.Equal(t, 2, calls)
}
