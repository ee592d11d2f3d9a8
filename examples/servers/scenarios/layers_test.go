package scenarios_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	middleware "github.com/oapi-codegen/nethttp-middleware"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/examples/servers/std"
)

// layer is a middleware as teams have them.
type layer = func(http.Handler) http.Handler

// around puts layers around h, the first one outermost.
func around(h http.Handler, layers ...layer) http.Handler {
	for i := len(layers) - 1; i >= 0; i-- {
		h = layers[i](h)
	}
	return h
}

// layered is a strict server in layers that a test chooses.
func layered(t *testing.T, layers func(*engine, *api) []layer) *world {
	return newWorldOf(t, func(e *engine, a *api) (http.Handler, error) {
		routes, err := std.Routes(e, a)
		return around(routes, layers(e, a)...), err
	})
}

// timeout is a timeout handler of net/http.
func timeout(h http.Handler) http.Handler {
	return http.TimeoutHandler(h, 200*time.Millisecond, "too slow")
}

// compress is a layer that encodes what a client can decode.
func compress(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		h.ServeHTTP(compressed{w, z}, r)
		_ = z.Close()
	})
}

type compressed struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (c compressed) Write(p []byte) (int, error) { return c.z.Write(p) }

// recovers renders a panic, as teams' recoverers do.
func recovers(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if recover() != nil {
				http.Error(w, "something broke", http.StatusInternalServerError)
			}
		}()
		h.ServeHTTP(w, r)
	})
}

// validates is the validator that users of oapi-codegen have. It writes defaults into the request before it passes it on.
func validates(t *testing.T) layer {
	doc, err := openapi3.NewLoader().LoadFromFile("../payments.yaml")
	require.NoError(t, err)
	doc.Security = nil // authentication has a layer of its own
	return middleware.OapiRequestValidator(doc)
}

// Each order of layers that can be safe keeps the table's promises.
func TestLayersInEveryOrder(t *testing.T) {
	validator := validates(t)
	orders := map[string]func(*engine, *api) []layer{
		"everything inside": func(e *engine, a *api) []layer {
			return []layer{e.Middleware, recovers, timeout, compress, a.Authenticated, validator}
		},
		"everything outside": func(e *engine, a *api) []layer {
			return []layer{recovers, timeout, compress, a.Authenticated, validator, e.Middleware}
		},
		"authentication outside, the rest inside": func(e *engine, a *api) []layer {
			return []layer{a.Authenticated, e.Middleware, validator, compress, timeout, recovers}
		},
		"the engine twice": func(e *engine, a *api) []layer {
			return []layer{e.Middleware, a.Authenticated, e.Middleware}
		},
	}
	for name, layers := range orders {
		t.Run(name, func(t *testing.T) {
			for _, s := range scenarios {
				if s.name == "stream" || s.name == "concurrent pair" {
					continue // TimeoutHandler holds responses back, and is not as patient as the pair
				}
				t.Run(s.name, func(t *testing.T) {
					w := layered(t, layers)
					w.awaitRun()
					s.run(t, w)
				})
			}
		})
	}
}

// A timeout inside answers before business code has ended: nothing of that is an outcome. One outside leaves the engine to it: the
// client has lost an answer, and its retry gets it.
func TestTimeouts(t *testing.T) {
	for name, c := range map[string]struct {
		layers func(*engine, *api) []layer
		kept   bool
	}{
		"inside":  {func(e *engine, a *api) []layer { return []layer{e.Middleware, timeout, a.Authenticated} }, false},
		"outside": {func(e *engine, a *api) []layer { return []layer{timeout, e.Middleware, a.Authenticated} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := layered(t, c.layers)
			goOn := make(chan struct{})
			w.afterWrites(func(ctx context.Context, _ string) error {
				select {
				case <-goOn:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			assert.Equal(t, http.StatusServiceUnavailable, w.send(create("10")).status)
			w.afterWrites(nil)
			close(goOn)
			var again reply
			require.Eventually(t, func() bool {
				again = w.send(create("10"))
				return again.status == http.StatusCreated
			}, 10*time.Second, 20*time.Millisecond)
			assert.Equal(t, c.kept, again.replayed)
			assert.Equal(t, 1, w.effects("createPayment"))
		})
	}
}

// What is stored fits every client, wherever compression stands.
func TestCompression(t *testing.T) {
	for name, c := range map[string]struct {
		layers  func(*engine, *api) []layer
		encoded bool
	}{
		"inside":  {func(e *engine, a *api) []layer { return []layer{e.Middleware, compress, a.Authenticated} }, false},
		"outside": {func(e *engine, a *api) []layer { return []layer{compress, e.Middleware, a.Authenticated} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := layered(t, c.layers)
			var bodies []string
			for _, accept := range []string{"gzip", "identity", "gzip"} {
				r := w.request(create("10"))
				r.Header.Set("Accept-Encoding", accept)
				response, err := http.DefaultTransport.RoundTrip(r)
				require.NoError(t, err)
				body, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				assert.Equal(t, http.StatusCreated, response.StatusCode)
				assert.Equal(t, c.encoded && accept == "gzip", response.Header.Get("Content-Encoding") == "gzip")
				if response.Header.Get("Content-Encoding") == "gzip" {
					z, err := gzip.NewReader(bytes.NewReader(body))
					require.NoError(t, err)
					body, err = io.ReadAll(z)
					require.NoError(t, err)
				}
				bodies = append(bodies, string(body))
			}
			assert.Equal(t, bodies[0], bodies[1])
			assert.Equal(t, bodies[0], bodies[2])
			assert.Equal(t, 1, w.effects("createPayment"))
		})
	}
}

// Orders that cannot be safe fail closed: business code does not run, and nobody is told of a success.
func TestUnsafeOrdersFailClosed(t *testing.T) {
	ran := func(w *world) *atomic.Int32 {
		var n atomic.Int32
		w.afterWrites(func(context.Context, string) error { n.Add(1); return nil })
		return &n
	}
	t.Run("no middleware", func(t *testing.T) {
		w := layered(t, func(_ *engine, a *api) []layer { return []layer{a.Authenticated} })
		n := ran(w)
		assert.Equal(t, http.StatusInternalServerError, w.send(create("10")).status)
		assert.Zero(t, n.Load())
	})
	t.Run("a prefix that is cut off inside of the middleware", func(t *testing.T) {
		w := layered(t, func(e *engine, a *api) []layer {
			return []layer{e.Middleware, func(h http.Handler) http.Handler { return http.StripPrefix("/v1", h) }, a.Authenticated}
		})
		n := ran(w)
		c := create("10")
		c.path = "/v1/payments"
		assert.Equal(t, http.StatusInternalServerError, w.send(c).status)
		assert.Zero(t, n.Load())
	})
	t.Run("nobody authenticates", func(t *testing.T) {
		w := layered(t, func(e *engine, _ *api) []layer { return []layer{e.Middleware} })
		n := ran(w)
		assert.Equal(t, http.StatusInternalServerError, w.send(create("10")).status)
		assert.Zero(t, n.Load())
	})
}
