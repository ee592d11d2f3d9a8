package idem_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestWriteProblem(t *testing.T) {
	cases := []struct {
		name    string
		problem idem.Problem
		body    string
		header  http.Header
	}{
		{"bare", idem.Problem{Status: 500, Title: "Internal Server Error"},
			`{"title":"Internal Server Error","status":500}`, http.Header{}},
		{"everything", idem.Problem{Code: idem.CodeMismatch, Status: 422, Title: "T", Detail: "D <&>", Docs: "https://docs.example/i",
			RetryAfter: 1500 * time.Millisecond, Fields: []string{"body.a"}, Err: errors.New("secret")},
			`{"type":"https://docs.example/i","title":"T","status":422,"detail":"D <&>","code":"IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST","fields":["body.a"]}`,
			http.Header{"Retry-After": {"2"}, "Link": {`<https://docs.example/i>; rel="describedby"`}}},
		{"pointer", idem.Problem{Status: 400, Place: "body/lines/3/a~1b"}, `{"title":"","status":400,"pointer":"/lines/3/a~1b"}`, http.Header{}},
		{"pointer to the whole body", idem.Problem{Status: 400, Place: "body"}, `{"title":"","status":400,"pointer":""}`, http.Header{}},
		{"parameter", idem.Problem{Status: 400, Place: "query.expand"}, `{"title":"","status":400,"parameter":"query.expand"}`, http.Header{}},
		{"a second at least", idem.Problem{Status: 409, RetryAfter: time.Nanosecond}, `{"title":"","status":409}`, http.Header{"Retry-After": {"1"}}},
		{"a minute at most", idem.Problem{Status: 409, RetryAfter: time.Hour}, `{"title":"","status":409}`, http.Header{"Retry-After": {"60"}}},
		{"never negative", idem.Problem{Status: 409, RetryAfter: -time.Hour}, `{"title":"","status":409}`, http.Header{}},
		{"documentation cannot end the link", idem.Problem{Status: 400, Docs: "https://x/>; rel=next\r\nX: y"},
			`{"type":"https://x/>; rel=next\r\nX: y","title":"","status":400}`, http.Header{"Link": {`<https://x/%3E; rel=nextX: y>; rel="describedby"`}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			idem.WriteProblem(w, httptest.NewRequest(http.MethodPost, "/", nil), c.problem)
			assert.Equal(t, c.problem.Status, w.Code)
			assert.JSONEq(t, c.body, w.Body.String())
			c.header.Set("Content-Type", "application/problem+json")
			c.header.Set("Cache-Control", "no-store")
			got := w.Header().Clone()
			got.Del("Content-Length")
			assert.Equal(t, c.header, got)
		})
	}
	w := httptest.NewRecorder()
	idem.WriteProblem(w, httptest.NewRequest(http.MethodHead, "/", nil), idem.Problem{Status: 409})
	assert.Empty(t, w.Body.String())
}

func TestStatusesAndDocsOfTheOperation(t *testing.T) {
	f := newFixture(t, func(f *fixture, _ *idem.Options) {
		f.op.Statuses = idem.Statuses{Missing: 428, Malformed: 422, Mismatch: 409, InFlight: 425, Unknown: 500, Unavailable: 500}
		f.op.Docs = "https://docs.example/idempotency"
	})
	h := f.handler(f.pay(new(int)))
	a := send(h, call{noKey: true})
	assert.Equal(t, 428, a.status)
	var p map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &p))
	assert.Equal(t, "https://docs.example/idempotency", p["type"])
	assert.EqualValues(t, 428, p["status"])
	assert.Equal(t, `<https://docs.example/idempotency>; rel="describedby"`, a.header.Get("Link"))
	assert.Equal(t, 422, send(h, call{key: "a,b"}).status)
	assert.Equal(t, 400, send(h, call{body: "{"}).status, "a malformed request is no malformed key")
	require.Equal(t, 201, send(h, call{}).status)
	assert.Equal(t, 409, send(h, call{body: `{"amount":"1","currency":"EUR"}`}).status)

	zero := newFixture(t, func(f *fixture, _ *idem.Options) { f.op.Statuses = idem.Statuses{} })
	assert.Equal(t, 400, send(zero.handler(zero.pay(new(int))), call{noKey: true}).status, "zero is the usual one")
}

func TestTeamRendersItsOwnBodies(t *testing.T) {
	f := newFixture(t, func(_ *fixture, o *idem.Options) {
		o.Problem = func(w http.ResponseWriter, r *http.Request, p idem.Problem) {
			assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			w.WriteHeader(p.Status)
			_, _ = w.Write([]byte("own " + string(p.Code) + " " + r.Method))
		}
		o.Error = func(w http.ResponseWriter, _ *http.Request, err error) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte("own " + err.Error()))
		}
	})
	fails := f.handler(func(ctx, *execution, paymentCommand) (idem.Response, error) {
		return idem.Response{}, errors.New("failed")
	})
	a := send(fails, call{})
	assert.Equal(t, answer{418, a.header, "own failed"}, a)
	a = send(fails, call{noKey: true})
	assert.Equal(t, answer{400, a.header, "own IDEMPOTENCY_KEY_MISSING POST"}, a)
}

func TestAuthorizeComesBeforeTheLookup(t *testing.T) {
	errDenied := errors.New("role revoked")
	var denied error
	f := newFixture(t, func(f *fixture, o *idem.Options) {
		o.Authorize = func(ctx context.Context, op *idem.Operation) error {
			assert.Equal(t, "acme", ctx.Value(tenantKey{}))
			assert.Same(t, f.op, op)
			return denied
		}
	})
	runs := 0
	h := f.handler(f.pay(&runs))
	require.Equal(t, 201, send(h, call{}).status)

	denied = errDenied
	for _, body := range []string{tenPayment, `{"amount":"1","currency":"EUR"}`, "{"} {
		a := send(h, call{body: body})
		assert.Equal(t, 403, a.status, "no replay, no mismatch, nothing that tells of the record")
		assert.NotContains(t, a.body, "revoked")
		assert.Equal(t, idem.EventNotAuthorized, f.events.last().Kind)
		assert.ErrorIs(t, f.events.last().Err, errDenied)
		assert.ErrorIs(t, f.events.last().Err, idem.ErrNotAuthorized)
	}
	denied = nil
	assert.True(t, send(h, call{}).replayed())
	assert.Equal(t, 1, runs)
}

func TestShadowEnforcesNothing(t *testing.T) {
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.Shadow = true })
	runs := 0
	h := f.handler(f.pay(&runs))
	steps := []struct {
		call call
		kind idem.EventKind // what would have happened; the handler's own events follow
	}{
		{call{}, idem.EventClaimed},
		{call{}, idem.EventReplayed},
		{call{body: `{"amount":"11","currency":"EUR"}`}, idem.EventMismatch},
		{call{noKey: true}, idem.EventRefused},
		{call{key: "a,b"}, idem.EventRefused},
		{call{key: "new", body: `{"amount":"11","currency":"EUR","extra":1}`}, idem.EventRefused},
	}
	for i, s := range steps {
		before := len(f.events.kinds())
		a := send(h, s.call)
		require.Equal(t, 201, a.status, a.body)
		assert.False(t, a.replayed())
		assert.Equal(t, i+1, runs)
		assert.Equal(t, []idem.EventKind{s.kind, idem.EventCompleted}, f.events.kinds()[before:])
		assert.True(t, f.events.last().Shadow)
	}
	assert.Len(t, f.ledger.all(), len(steps))
	assert.Equal(t, idem.CodeNotBound, send(h, call{path: "/payments"}).code(), "a mistake of the program stays one")
}

func TestSlogObserver(t *testing.T) {
	var text strings.Builder
	logger := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.Observer = idem.SlogObserver(logger) })
	h := f.handler(f.pay(new(int)))
	send(h, call{key: "very-secret-key"})
	send(h, call{key: "very-secret-key", body: `{"amount":"11.77","currency":"EUR"}`})
	send(h, call{key: "very-secret-key,two"})
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	require.Len(t, lines, 4)
	assert.Contains(t, lines[0], `level=DEBUG msg="idempotency: claimed" operation=createPayment`)
	assert.Regexp(t, `key_hash=[0-9a-f]{8} attempt=1`, lines[0])
	assert.Contains(t, lines[1], `msg="idempotency: completed"`)
	assert.Contains(t, lines[1], "status=201")
	assert.Contains(t, lines[2], "level=INFO")
	assert.Contains(t, lines[2], "code=IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST fields=[body.amount]")
	assert.Contains(t, lines[3], "error=")
	assert.NotContains(t, text.String(), "secret")
	assert.NotContains(t, text.String(), "11.77")

	quiet := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelError}))
	text.Reset()
	idem.SlogObserver(quiet).Observe(t.Context(), idem.Event{Kind: idem.EventReplayed})
	assert.Empty(t, text.String())
	for kind := idem.EventClaimed; kind <= idem.LastEvent; kind++ {
		assert.NotEqual(t, "unknown event", kind.String())
	}
	assert.Equal(t, "unknown event", (idem.LastEvent + 1).String())
	assert.Equal(t, "unknown event", idem.EventKind(0).String())
}
