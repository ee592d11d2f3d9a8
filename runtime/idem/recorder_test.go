package idem_test

import (
	"errors"
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

// recorded runs write as the framework of an annotated operation whose business code has returned, behind outer layers that
// set a header.
func recorded(t *testing.T, f *fixture, write http.HandlerFunc) http.Handler {
	t.Helper()
	inner := authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ex, err := idem.Begin[*memstore.Tx](r.Context(), r.Context(), f.op)
		if err != nil {
			assert.ErrorIs(t, err, idem.ErrDecided)
			w.Header().Set("X-Framework", "rendered the error")
			w.WriteHeader(http.StatusTeapot)
			return
		}
		var none error
		ex.End(&none)
		write(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Outer", "kept")
		w.Header().Set("X-Deleted", "by an inner layer")
		f.engine.Middleware(inner).ServeHTTP(w, r)
	})
}

func TestRecorder(t *testing.T) {
	cases := []struct {
		name   string
		write  http.HandlerFunc
		status int
		body   string
		header map[string]string
	}{
		{"implicit 200", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a") }, 200, "a", nil},
		{"nothing at all", func(http.ResponseWriter, *http.Request) {}, 200, "", nil},
		{"superfluous status", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			w.WriteHeader(http.StatusInternalServerError)
		}, 201, "", nil},
		{"informational first", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusContinue)
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusCreated)
		}, 201, "", nil},
		{"header after the status", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/1")
			w.WriteHeader(http.StatusCreated)
			w.Header().Set("Location", "/2")
		}, 201, "", map[string]string{"Location": "/1"}},
		{"header of an outer layer deleted", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Del("X-Deleted")
			w.WriteHeader(http.StatusCreated)
		}, 201, "", map[string]string{"X-Deleted": "", "X-Outer": "kept"}},
		{"body where there can be none", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			_, err := io.WriteString(w, "a")
			assert.ErrorIs(t, err, http.ErrBodyNotAllowed)
		}, 204, "", nil},
		{"flush sends nothing", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "a")
			assert.NoError(t, http.NewResponseController(w).Flush())
			_, _ = io.WriteString(w, "b")
		}, 200, "ab", nil},
		{"hijack fails", func(w http.ResponseWriter, _ *http.Request) {
			_, _, err := http.NewResponseController(w).Hijack()
			assert.ErrorIs(t, err, http.ErrNotSupported)
			w.WriteHeader(http.StatusCreated)
		}, 201, "", nil},
		{"wrong length", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "17")
			_, _ = io.WriteString(w, "abc")
		}, 200, "abc", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			server := httptest.NewServer(recorded(t, f, c.write))
			defer server.Close()
			for _, replayed := range []bool{false, true} {
				got := post(t, server, call{})
				assert.Equal(t, c.status, got.status)
				assert.Equal(t, c.body, got.body)
				assert.Equal(t, replayed, got.replayed())
				assert.Empty(t, got.header.Get("X-Framework"))
				for name, value := range c.header {
					if name == "X-Deleted" && replayed {
						continue // what stands before Begin stands on a replay too
					}
					assert.Equal(t, value, got.header.Get(name), name)
				}
			}
		})
	}
}

// post sends a call to a real server, which fails what net/http does not allow.
func post(t *testing.T, server *httptest.Server, c call) answer {
	t.Helper()
	r := c.request()
	target, err := r.URL.Parse(server.URL + "/v1/accounts/acc_1/payments")
	require.NoError(t, err)
	r.URL, r.Host, r.RequestURI = target, "", ""
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return answer{response.StatusCode, response.Header, string(body)}
}

func TestRecorderRefusesWhatIsNoStatus(t *testing.T) {
	f := newFixture(t)
	_, panicked, _ := serve(recorded(t, f, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(0) }), call{})
	assert.Equal(t, "invalid WriteHeader code 0", panicked, "as net/http does")
	a := send(recorded(t, f, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(700) }), call{})
	assert.Equal(t, 500, a.status)
}

func TestInnerRequest(t *testing.T) {
	f := newFixture(t)
	var inner *http.Request
	h := f.engine.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner = r
		w.WriteHeader(http.StatusNotFound)
	}))
	outer := call{header: http.Header{"Accept-Encoding": {"gzip"}, "Range": {"bytes=0-1"}, "If-Range": {"x"}, "Accept": {"a/b"}}}.request()
	h.ServeHTTP(httptest.NewRecorder(), outer)
	for _, name := range []string{"Accept-Encoding", "Range", "If-Range"} {
		assert.Empty(t, inner.Header.Get(name))
		assert.NotEmpty(t, outer.Header.Get(name), "the request that entered stays as it was")
	}
	assert.Equal(t, "a/b", inner.Header.Get("Accept"))
}

func TestCapturedBody(t *testing.T) {
	read := func(n int64) func(*testing.T, *http.Request) {
		return func(t *testing.T, r *http.Request) {
			_, err := io.Copy(io.Discard, io.LimitReader(r.Body, n))
			require.NoError(t, err)
		}
	}
	cases := []struct {
		name   string
		before func(*testing.T, *http.Request)
		left   string // what business code can still read
	}{
		{"nothing read before Begin", read(0), tenPayment},
		{"a part read", read(10), tenPayment[10:]},
		{"all read", read(int64(len(tenPayment))), ""},
		{"closed", func(t *testing.T, r *http.Request) { require.NoError(t, r.Body.Close()) }, "closed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			method := bound(f.op, f.payFor(new(int)))
			h := f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				c.before(t, r)
				resp, err := method(r.Context(), r.Context(), paymentCommand{Amount: "10"})
				if err != nil {
					return
				}
				left, err := io.ReadAll(r.Body)
				if c.left == "closed" {
					assert.ErrorIs(t, err, http.ErrBodyReadAfterClose)
				} else {
					assert.NoError(t, err)
					assert.Equal(t, c.left, string(left))
				}
				render(w, resp)
			})))
			require.Equal(t, 201, send(h, call{}).status)
			assert.True(t, send(h, call{}).replayed())
			assert.Equal(t, idem.CodeMismatch, send(h, call{body: `{"amount":"11","currency":"EUR"}`}).code())
		})
	}
}

func TestCapturedBodyOverTheLimit(t *testing.T) {
	const limit = 100
	long := tenPayment + strings.Repeat(" ", limit)
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.MaxBody = limit })
	for name, s := range shapes {
		a := send(f.app(s, f.payFor(new(int)), authenticated), call{body: long})
		assert.Equal(t, 413, a.status, name)
		assert.Equal(t, idem.CodeRequestTooLarge, a.code())
	}
	assert.Equal(t, 201, send(f.app(strict, f.payFor(new(int)), authenticated), call{body: long[:limit]}).status)

	broken := f.engine.Middleware(authenticated(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := idem.Begin[*memstore.Tx](r.Context(), r.Context(), f.op)
		assert.ErrorIs(t, err, idem.ErrDecided)
	})))
	r := call{}.request()
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), brokenReader{errors.New("connection reset")}))
	w := httptest.NewRecorder()
	broken.ServeHTTP(w, r)
	assert.Contains(t, w.Body.String(), string(idem.CodeRequestMalformed))
}
