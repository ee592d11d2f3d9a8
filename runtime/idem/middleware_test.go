package idem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestMiddlewareFirstReplayMismatch(t *testing.T) {
	eachShape(t, func(t *testing.T, s shape) {
		f := newFixture(t)
		runs := 0
		h := f.app(s, f.payFor(&runs), cors, recovered, authenticated, validated)

		first := send(h, call{header: http.Header{"X-Request-Id": {"r1"}}})
		require.Equal(t, 201, first.status, first.body)
		assert.Equal(t, `{"run": 1}`, first.body)
		assert.Equal(t, "first only", first.header.Get("X-Other"))
		assert.Equal(t, "r1", first.header.Get("X-Request-Id"))

		again := send(h, call{header: http.Header{"X-Request-Id": {"r2"}}, body: `{"currency":"eur", "amount":10}`})
		assert.Equal(t, answer{201, http.Header{
			"Content-Type": {"application/json"}, "Location": {"/payments/1"}, "Idempotent-Replayed": {"true"},
			"X-Request-Id": {"r2"}, "Access-Control-Allow-Origin": {"*"}, "Access-Control-Expose-Headers": {"Idempotent-Replayed"},
		}, first.body}, again)

		other := send(h, call{header: http.Header{"X-Request-Id": {"r3"}}, body: `{"amount":"11","currency":"EUR"}`})
		assert.Equal(t, 422, other.status)
		assert.Equal(t, idem.CodeMismatch, other.code())
		assert.Equal(t, "r3", other.header.Get("X-Request-Id"))

		assert.Equal(t, idem.CodeKeyMissing, send(h, call{noKey: true}).code(), "whatever a layer does to the headers")
		assert.Equal(t, 1, runs)
		assert.Equal(t, []string{"acc 10.00"}, f.ledger.all())
	})
}

func TestMiddlewareOutcomes(t *testing.T) {
	fails := errors.New("failed")
	cases := []struct {
		name   string
		end    func(ex *execution) (idem.Response, error)
		status int // 0: nothing arrives
		body   string
		writes int
		stored bool
	}{
		{"201", respond(201), 201, "", 1, true},
		{"implicit 200", respond(0), 200, "", 1, true},
		{"422", respond(422), 422, "", 0, true},
		{"402 with writes kept", func(ex *execution) (idem.Response, error) {
			ex.KeepWrites()
			return idem.Response{Status: 402}, nil
		}, 402, "", 1, true},
		{"excepted", respond(503), 503, "", 0, false},
		{"error", func(*execution) (idem.Response, error) { return idem.Response{}, fails }, 500, "framework: failed", 0, false},
		{"error beside a response", func(*execution) (idem.Response, error) { return idem.Response{Status: 201}, fails }, 500, "framework: failed", 0, false},
		{"panic", func(*execution) (idem.Response, error) { panic("boom") }, 0, "", 0, false},
		{"Goexit", func(*execution) (idem.Response, error) { runtime.Goexit(); return idem.Response{}, nil }, 0, "", 0, false},
	}
	eachShape(t, func(t *testing.T, s shape) {
		for _, c := range cases {
			for _, layers := range [][]func(http.Handler) http.Handler{{authenticated}, {recovered, authenticated}} {
				t.Run(fmt.Sprint(c.name, " ", len(layers)), func(t *testing.T) {
					f := newFixture(t)
					runs := 0
					h := f.app(s, func(_ context.Context, ex *execution, _ paymentCommand) (idem.Response, error) {
						runs++
						f.ledger.write(ex, "written")
						return c.end(ex)
					}, layers...)
					status, body := c.status, c.body
					if c.name == "panic" && len(layers) == 2 {
						status, body = 500, "recovered: boom"
					}
					first, panicked, returned := serve(h, call{})
					require.Equal(t, status != 0, returned)
					if status == 0 && c.name == "panic" {
						assert.Equal(t, "boom", panicked)
					}
					assert.Equal(t, status, first.status)
					assert.Equal(t, body, strings.TrimSpace(first.body))
					assert.Len(t, f.ledger.all(), c.writes)

					again, _, _ := serve(h, call{})
					assert.Equal(t, c.stored, again.header != nil && again.replayed())
					assert.Equal(t, map[bool]int{true: 1, false: 2}[c.stored], runs)
				})
			}
		}
	})
}

func TestMiddlewareLetsOthersPassUntouched(t *testing.T) {
	f := newFixture(t)
	var seen http.ResponseWriter
	var body io.ReadCloser
	h := f.engine.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen, body = w, r.Body }))
	for _, path := range []string{"GET /v1/accounts/a/payments", "POST /v1/accounts/a/payments/", "POST /accounts/a/payments", "POST /v1/accounts/a"} {
		method, path, _ := strings.Cut(path, " ")
		w := httptest.NewRecorder()
		r := httptest.NewRequest(method, path, strings.NewReader("x"))
		r.Header.Set("Idempotency-Key", "attached by a browser")
		entered := r.Body
		h.ServeHTTP(w, r)
		assert.Same(t, w, seen, path)
		assert.Equal(t, entered, body)
	}
	assert.Empty(t, f.events.kinds())
}

func TestMiddlewareLetsEarlierLayersAnswer(t *testing.T) {
	f := newFixture(t)
	runs := 0
	h := f.app(strict, f.payFor(&runs), cors, recovered, authenticated, validated)
	assert.Equal(t, 401, send(h, call{tenant: "revoked"}).status)
	assert.Equal(t, answer{400, send(h, call{body: `{}`}).header, "validator: no\n"}, send(h, call{body: `{}`}))
	assert.Empty(t, f.events.kinds(), "what they refuse claims nothing")
	require.Equal(t, 201, send(h, call{}).status, "corrected under the same key")
	assert.Equal(t, 401, send(h, call{tenant: "revoked"}).status, "a revoked credential never gets a replay")

	for _, status := range []int{301, 404, 429, 500} {
		answers := f.engine.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Layer", "kept")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "layer")
		}))
		a := send(answers, call{})
		assert.Equal(t, status, a.status)
		assert.Equal(t, "layer", a.body)
		assert.Equal(t, "kept", a.header.Get("X-Layer"))
	}
}

// unread fails the test when somebody reads it.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) { u.t.Error("the body was read"); return 0, io.EOF }

func TestMiddlewareDoesNotReadTheBodyOfStrangers(t *testing.T) {
	f := newFixture(t)
	h := f.app(strict, f.payFor(new(int)), authenticated)
	r := httptest.NewRequest(http.MethodPost, "/v1/accounts/a/payments", unread{t})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	assert.Equal(t, 401, w.Code)
}

func TestMiddlewareFindsAForgottenBinding(t *testing.T) {
	f := newFixture(t)
	for name, inner := range map[string]http.HandlerFunc{
		"201": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, "done")
		},
		"implicit 200": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "done") },
		"nothing":      func(http.ResponseWriter, *http.Request) {},
		"204 after 103": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusNoContent)
		},
	} {
		a := send(f.engine.Middleware(inner), call{})
		assert.Equal(t, 500, a.status, name)
		assert.Equal(t, idem.CodeNotBound, a.code(), name)
		assert.NotContains(t, a.body, "done")
		assert.ErrorIs(t, f.events.last().Err, idem.ErrNotBound)
	}
}

func TestBeginOutsideOfItsMiddleware(t *testing.T) {
	f := newFixture(t)
	_, err := idem.Begin[*memstore.Tx](t.Context(), t.Context(), f.op)
	require.ErrorIs(t, err, idem.ErrNotBound)
	require.ErrorContains(t, err, "outside of Engine.Middleware")
	_, err = idem.Begin[*memstore.Tx](t.Context(), t.Context(), nil)
	require.ErrorIs(t, err, idem.ErrNotBound)

	wrongTx := f.engine.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := idem.Begin[string](r.Context(), r.Context(), f.op)
		assert.ErrorIs(t, err, idem.ErrNotBound)
		assert.ErrorContains(t, err, "transaction type")
		w.WriteHeader(http.StatusInternalServerError)
	}))
	assert.Equal(t, 500, send(wrongTx, call{}).status)

	wrongOp := f.engine.Middleware(authenticated(strict(bound(createPayment(), f.payFor(new(int))))))
	a := send(wrongOp, call{})
	assert.Equal(t, idem.CodeNotBound, a.code())
	assert.Empty(t, f.ledger.all())
}

func TestBeginTwiceInOneRequest(t *testing.T) {
	f := newFixture(t)
	method := bound(f.op, f.payFor(new(int)))
	twice := f.engine.Middleware(authenticated(strict(func(sessionCtx, callCtx context.Context, cmd paymentCommand) (idem.Response, error) {
		resp, err := method(sessionCtx, callCtx, cmd)
		_, second := method(sessionCtx, callCtx, cmd)
		assert.ErrorIs(t, second, idem.ErrDecided)
		return resp, err
	})))
	assert.Equal(t, idem.CodeNotBound, send(twice, call{}).code())
	assert.Empty(t, f.ledger.all(), "rolled back")

	require.Equal(t, 201, send(f.app(strict, f.payFor(new(int)), authenticated), call{}).status)
	assert.True(t, send(twice, call{}).replayed(), "a framework that tries again gets the same decision")
}

func TestMiddlewareAuthorizeIsTheFrameworksToRender(t *testing.T) {
	denied := errors.New("role revoked")
	f := newFixture(t, func(_ *fixture, o *idem.Options) {
		o.Authorize = func(context.Context, *idem.Operation) error { return denied }
	})
	a := send(f.app(strict, f.payFor(new(int)), authenticated), call{})
	assert.Equal(t, 500, a.status)
	assert.Equal(t, "framework: idem: not authorised: role revoked\n", a.body)

	silentlyFine := f.engine.Middleware(authenticated(strict(func(sessionCtx, callCtx context.Context, _ paymentCommand) (idem.Response, error) {
		_, err := idem.Begin[*memstore.Tx](sessionCtx, callCtx, f.op)
		assert.ErrorIs(t, err, denied)
		return idem.Response{Status: 200}, nil
	})))
	assert.Equal(t, 403, send(silentlyFine, call{}).status, "never a success")
}

func TestMiddlewareSimultaneousDuplicates(t *testing.T) {
	eachShape(t, func(t *testing.T, s shape) {
		for _, n := range []int{2, 8, 64} {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				f := newFixture(t)
				runs := 0
				duplicates(t, n, f.app(s, f.payFor(&runs), cors, recovered, authenticated, validated), f.ledger.all)
				assert.Equal(t, 1, runs)
			})
		}
	})
}

func TestMiddlewareContextIsDetached(t *testing.T) {
	f := newFixture(t)
	clientCtx, hangUp := context.WithCancel(context.Background())
	h := f.app(strict, func(ctx context.Context, ex *execution, _ paymentCommand) (idem.Response, error) {
		hangUp()
		assert.NoError(t, ctx.Err())
		assert.NoError(t, ex.Context().Err())
		_, limited := ctx.Deadline()
		assert.True(t, limited)
		return idem.Response{Status: 201}, nil
	}, authenticated)
	require.Equal(t, 201, send(h, call{ctx: clientCtx}).status)
	assert.True(t, send(h, call{}).replayed())
}

func TestMiddlewarePanicAfterBusinessReturned(t *testing.T) {
	f := newFixture(t)
	h := f.app(func(method func(_, _ context.Context, _ paymentCommand) (idem.Response, error)) http.Handler {
		return strict(func(sessionCtx, callCtx context.Context, cmd paymentCommand) (idem.Response, error) {
			_, err := method(sessionCtx, callCtx, cmd)
			assert.NoError(t, err)
			panic("renderer")
		})
	}, f.payFor(new(int)), authenticated)
	_, panicked, _ := serve(h, call{})
	require.Equal(t, "renderer", panicked)
	assert.Empty(t, f.ledger.all())
	assert.Equal(t, 201, send(f.app(strict, f.payFor(new(int)), authenticated), call{}).status)
}

func TestMiddlewareErrorThatNobodyRendered(t *testing.T) {
	f := newFixture(t)
	method := bound(f.op, func(_ context.Context, ex *execution, _ paymentCommand) (idem.Response, error) {
		f.ledger.write(ex, "written")
		return idem.Response{}, errors.New("failed")
	})
	h := f.engine.Middleware(authenticated(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := method(r.Context(), r.Context(), paymentCommand{})
		assert.Error(t, err)
	})))
	assert.Equal(t, 500, send(h, call{}).status, "an implicit 200 would be a lie")
	assert.Empty(t, f.ledger.all())

	graph := f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := method(r.Context(), r.Context(), paymentCommand{})
		_, _ = io.WriteString(w, `{"errors":["`+err.Error()+`"]}`)
	})))
	assert.Equal(t, 500, send(graph, call{}).status, "a success that was rolled back, whoever rendered it")
	assert.Empty(t, f.ledger.all())
}

func TestMiddlewareResolverThatPanics(t *testing.T) {
	f := newFixture(t)
	op := f.op
	engine, err := idem.NewEngine(f.store, idem.Contract{BasePath: "/v1", Dimensions: []string{"tenant"}, Operations: []*idem.Operation{op}},
		func(context.Context) ([]string, error) { panic("resolver") }, idem.Options{})
	require.NoError(t, err)
	_, panicked, _ := serve(engine.Middleware(authenticated(strict(bound(op, f.payFor(new(int)))))), call{})
	require.Equal(t, "resolver", panicked)
	a := send(engine.Middleware(recovered(authenticated(strict(bound(op, f.payFor(new(int))))))), call{})
	assert.Equal(t, answer{500, a.header, "recovered: resolver\n"}, a)
}

func TestMiddlewareFailedCompletion(t *testing.T) {
	store := &failing{}
	f := newFixture(t, withStore(store))
	store.complete = func(h idem.Held[*memstore.Tx]) error {
		require.NoError(t, h.Release(context.Background()))
		return idem.ErrSerialization
	}
	a := send(f.app(strict, f.payFor(new(int)), cors, authenticated), call{header: http.Header{"X-Request-Id": {"r1"}}})
	assert.Equal(t, 503, a.status)
	assert.Equal(t, idem.CodeTryAgain, a.code())
	assert.Equal(t, "r1", a.header.Get("X-Request-Id"))
	assert.Empty(t, a.header.Get("Location"))
}

func TestMiddlewareShadow(t *testing.T) {
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.Shadow, o.MaxBody = true, 60 })
	runs := 0
	h := f.app(strict, f.payFor(&runs), authenticated)
	for i, c := range []call{{}, {}, {noKey: true}, {body: tenPayment + strings.Repeat(" ", 100)}} {
		a := send(h, c)
		require.Equal(t, 201, a.status, a.body)
		assert.False(t, a.replayed())
		assert.Equal(t, i+1, runs)
	}
}

func TestMiddlewareInsideOfItself(t *testing.T) {
	f := newFixture(t)
	once := f.app(strict, f.payFor(new(int)), f.engine.Middleware, authenticated)
	require.Equal(t, 201, send(once, call{}).status)
	assert.True(t, send(once, call{}).replayed())
	assert.Equal(t, idem.CodeMismatch, send(once, call{body: `{"amount":"11","currency":"EUR"}`}).code())
	assert.Equal(t, []string{"acc 10.00"}, f.ledger.all())
}
