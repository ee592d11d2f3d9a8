package idem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

const (
	smallLimit = 100
	piece      = 40
)

func smallResponses(_ *fixture, o *idem.Options) { o.MaxResponse = smallLimit }

// inPieces is a framework that writes its response in pieces after business code has returned, and calls after each of them.
func inPieces(f *fixture, status, pieces int, after func(written int)) http.Handler {
	return f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := bound(f.op, f.payFor(new(int)))
		if _, err := method(r.Context(), r.Context(), paymentCommand{Amount: "1"}); err != nil {
			http.Error(w, strings.Repeat("e", 10*smallLimit), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Location", "/p/1")
		w.Header().Set("X-First", "only")
		w.WriteHeader(status)
		for i := range pieces {
			_, _ = io.WriteString(w, strings.Repeat("x", piece))
			after((i + 1) * piece)
		}
	})))
}

// A response that will not be kept goes to the client as it is written, from the moment on at which that is certain and committed.
func TestLargeResponseDoesNotStayInMemory(t *testing.T) {
	client := httptest.NewRecorder()
	store := &failing{}
	f := newFixture(t, withStore(store), smallResponses)
	store.complete = func(h idem.Held[*memstore.Tx]) error {
		assert.Zero(t, client.Body.Len(), "nothing before the commit")
		return h.Complete(context.Background(), idem.Completion{State: idem.StateCompleted, Response: idem.Response{Status: 201}, NotKept: true})
	}
	h := inPieces(f, 201, 10, func(written int) {
		want := written
		if written <= smallLimit {
			want = 0
		}
		assert.Equal(t, want, client.Body.Len())
	})
	h.ServeHTTP(client, call{}.request())
	assert.Equal(t, 201, client.Code)
	assert.Equal(t, "only", client.Header().Get("X-First"))
	assert.Equal(t, strings.Repeat("x", 10*piece), client.Body.String())
	assert.Equal(t, []idem.EventKind{idem.EventClaimed, idem.EventCompleted}, f.events.kinds())
	assert.Len(t, f.ledger.all(), 1)
}

func TestLargeResponseOnAServer(t *testing.T) {
	f := newFixture(t, smallResponses)
	server := httptest.NewServer(recorded(t, f, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(3*smallLimit))
		for range 3 {
			_, err := io.WriteString(w, strings.Repeat("x", smallLimit))
			assert.NoError(t, err)
			assert.NoError(t, http.NewResponseController(w).Flush())
		}
		w.WriteHeader(http.StatusInternalServerError) // superfluous
	}))
	defer server.Close()
	first := post(t, server, call{})
	assert.Equal(t, 200, first.status)
	assert.Equal(t, fmt.Sprint(3*smallLimit), first.header.Get("Content-Length"))
	assert.Len(t, first.body, 3*smallLimit)
	assert.Equal(t, "kept", first.header.Get("X-Outer"))
	again := post(t, server, call{})
	assert.True(t, again.replayed())
	assert.Equal(t, "not-kept", again.header.Get("Idempotency-Response"))
	assert.Empty(t, again.body)
	assert.Equal(t, "kept", again.header.Get("X-Outer"))
}

func TestLargeResponseThatCannotBeCommitted(t *testing.T) {
	store := &failing{}
	f := newFixture(t, withStore(store), smallResponses)
	store.complete = func(h idem.Held[*memstore.Tx]) error {
		return errors.Join(idem.ErrSerialization, h.Release(context.Background()))
	}
	a := send(inPieces(f, 201, 10, func(int) {}), call{})
	assert.Equal(t, 503, a.status)
	assert.Equal(t, idem.CodeTryAgain, a.code())
	assert.Empty(t, a.header.Get("X-First"))
	assert.Empty(t, f.ledger.all())
}

func TestLargeResponseThatIsNoOutcome(t *testing.T) {
	f := newFixture(t, smallResponses)
	for range 2 {
		a := send(inPieces(f, 503, 10, func(int) {}), call{})
		assert.Equal(t, 503, a.status)
		assert.Len(t, a.body, 10*piece)
		assert.False(t, a.replayed())
	}
	assert.Empty(t, f.ledger.all(), "the key is free both times")
}

// The outcome was committed and told in part: a panic breaks the connection, and the next attempt is told of the outcome.
func TestPanicAfterALargeResponseWasCommitted(t *testing.T) {
	f := newFixture(t, smallResponses)
	breaking := inPieces(f, 201, 10, func(written int) {
		if written > 2*smallLimit {
			panic("renderer")
		}
	})
	_, panicked, returned := serve(breaking, call{})
	assert.False(t, returned)
	assert.Equal(t, "renderer", panicked)
	again := send(breaking, call{})
	assert.True(t, again.replayed())
	assert.Equal(t, 201, again.status)
	assert.Equal(t, "not-kept", again.header.Get("Idempotency-Response"))
	assert.Len(t, f.ledger.all(), 1)

	small := inPieces(f, 201, 2, func(int) { panic("renderer") })
	_, panicked, _ = serve(small, call{key: "small"})
	assert.Equal(t, "renderer", panicked)
	assert.Len(t, f.ledger.all(), 1, "rolled back, as long as nothing was told")
}

func TestWhatIsNotSentIsNotKeptInMemory(t *testing.T) {
	f := newFixture(t, smallResponses)
	h := inPieces(f, 201, 1, func(int) {})
	require.Equal(t, 201, send(h, call{}).status)
	again := send(h, call{}) // the framework renders an error of ten times the limit
	assert.True(t, again.replayed())
	assert.Len(t, again.body, piece)

	failing := f.app(strict, func(context.Context, *execution, paymentCommand) (idem.Response, error) {
		return idem.Response{}, errors.New(strings.Repeat("e", 10*smallLimit))
	}, authenticated)
	a := send(failing, call{key: "failing"})
	assert.Equal(t, 500, a.status)
	assert.Greater(t, len(a.body), 10*smallLimit, "what is rendered without an outcome passes whole")
}

func TestLargeResponseOfAHandlerInsideOfTheMiddleware(t *testing.T) {
	f := newFixture(t, smallResponses)
	runs := 0
	h := f.engine.Middleware(f.handler(answering(&runs, 201, 10*smallLimit)))
	first := send(h, call{})
	assert.Equal(t, 201, first.status)
	assert.Len(t, first.body, 10*smallLimit)
	again := send(h, call{})
	assert.Equal(t, "not-kept", again.header.Get("Idempotency-Response"))
	assert.Empty(t, again.body)
	assert.Equal(t, 1, runs)
}

func TestLargeResponseBelowACompressingLayer(t *testing.T) {
	f := newFixture(t, smallResponses)
	h := gzipped(true, false)(inPieces(f, 201, 10, func(int) {}))
	takes := call{header: http.Header{"Accept-Encoding": {"gzip"}}}
	assert.Equal(t, strings.Repeat("x", 10*piece), plainText(t, send(h, takes)))
	again := send(h, call{})
	assert.Empty(t, again.header.Get("Content-Encoding"))
	assert.Equal(t, "not-kept", again.header.Get("Idempotency-Response"))
}

// Until business code has returned, nothing is certain.
func TestLargeResponseBeforeBusinessCodeReturned(t *testing.T) {
	f := newFixture(t, smallResponses)
	early := f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ex, err := idem.Begin[*memstore.Tx](r.Context(), r.Context(), f.op)
		if err != nil {
			return
		}
		before := f.ledger.all()
		f.ledger.write(ex, "written")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, strings.Repeat("x", 3*smallLimit))
		assert.Equal(t, before, f.ledger.all())
		err = nil
		if r.Header.Get("X-Fails") != "" {
			err = errors.New("failed")
		}
		ex.End(&err)
	})))
	a := send(early, call{})
	assert.Equal(t, 201, a.status)
	assert.Len(t, a.body, 3*smallLimit)
	assert.Equal(t, "not-kept", send(early, call{}).header.Get("Idempotency-Response"))
	a = send(early, call{key: "fails", header: http.Header{"X-Fails": {"yes"}}})
	assert.Equal(t, 500, a.status, "a success that was rolled back is never told")
	assert.Len(t, f.ledger.all(), 1)
}

// HEAD is answered by GET, without its body, however large that is and whoever comes first.
func TestHeadIsAnsweredWithoutABody(t *testing.T) {
	for _, size := range []int{10, 10 * smallLimit} {
		for _, order := range [][2]string{{"HEAD", "GET"}, {"GET", "HEAD"}, {"HEAD", "HEAD"}} {
			f := newFixture(t, smallResponses, func(f *fixture, _ *idem.Options) { f.op.Method, f.op.Versions = "GET", nil })
			body := strings.Repeat("x", size)
			for name, h := range map[string]http.Handler{
				"handler": f.handler(func(ctx, *execution, paymentCommand) (idem.Response, error) {
					return idem.Response{Status: 200, Header: http.Header{"Etag": {`"1"`}}, Body: []byte(body)}, nil
				}),
				"middleware": recorded(t, f, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Etag", `"1"`)
					for part := range strings.SplitSeq(body, "") {
						_, err := io.WriteString(w, part)
						assert.NoError(t, err)
					}
				}),
			} {
				for i, method := range order {
					a := send(h, call{method: method, key: name})
					assert.Equal(t, 200, a.status)
					assert.Equal(t, `"1"`, a.header.Get("Etag"))
					assert.Equal(t, i > 0, a.replayed())
					kept := ""
					if method == "GET" && (i == 0 || size <= smallLimit) {
						kept = body
					}
					assert.Equal(t, kept, a.body, "%s, %s", name, method)
				}
			}
		}
	}
}
