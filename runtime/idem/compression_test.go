package idem_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

type layer = func(http.Handler) http.Handler

// gzipped compresses for clients that take it. early announces the coding before the response is known, as some layers do; forced
// does not ask the client.
func gzipped(early, forced bool) layer {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !forced && !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				next.ServeHTTP(w, r)
				return
			}
			if early {
				w.Header().Set("Content-Encoding", "gzip")
			}
			z := &gzipWriter{ResponseWriter: w, gzip: gzip.NewWriter(w), announced: early}
			next.ServeHTTP(z, r)
			if z.wrote {
				_ = z.gzip.Close()
			}
		})
	}
}

type gzipWriter struct {
	http.ResponseWriter
	gzip             *gzip.Writer
	announced, wrote bool
}

func (w *gzipWriter) WriteHeader(status int) {
	if !w.announced {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Del("Content-Length")
	w.wrote = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *gzipWriter) Write(p []byte) (int, error) {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
	return w.gzip.Write(p)
}

func (w *gzipWriter) Flush() {}

// plainText undoes what the answer says about itself, as every client does.
func plainText(t *testing.T, a answer) string {
	t.Helper()
	if a.header.Get("Content-Encoding") == "" {
		return a.body
	}
	require.Equal(t, "gzip", a.header.Get("Content-Encoding"))
	z, err := gzip.NewReader(bytes.NewReader([]byte(a.body)))
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(text)
}

// Whoever compresses, inside or outside, and whatever the first client took: each client can read its answer.
func TestCompressionInsideAndOutside(t *testing.T) {
	takes := func(coding string) call { return call{header: http.Header{"Accept-Encoding": {coding}}} }
	for name, c := range map[string]struct {
		outside, inside layer
		stored          string // the coding of the stored bytes
	}{
		"nobody":                 {nil, nil, ""},
		"outside":                {gzipped(false, false), nil, ""},
		"outside, announced":     {gzipped(true, false), nil, ""},
		"inside":                 {nil, gzipped(false, false), ""},
		"inside, announced":      {nil, gzipped(true, false), ""},
		"both":                   {gzipped(true, false), gzipped(true, false), ""},
		"inside without asking":  {nil, gzipped(false, true), "gzip"},
		"announced, no question": {nil, gzipped(true, true), "gzip"},
	} {
		for _, tombstone := range []bool{false, true} {
			f := newFixture(t, func(_ *fixture, o *idem.Options) {
				if tombstone {
					o.MaxResponse = 1
				}
			})
			runs := 0
			handlers := map[string]http.Handler{"handler": f.handler(f.pay(&runs)), "middleware": nil}
			layers := []func(http.Handler) http.Handler{authenticated}
			if c.inside != nil {
				layers = append([]func(http.Handler) http.Handler{c.inside}, layers...)
			}
			handlers["middleware"] = f.app(strict, f.payFor(&runs), layers...)
			for kind, h := range handlers {
				if kind == "handler" && c.inside != nil {
					continue // nothing is inside of it
				}
				if c.outside != nil {
					h = c.outside(h)
				}
				for _, order := range [][]string{{"gzip", "", "gzip"}, {"", "gzip", ""}} {
					t.Run(name+", "+kind+", first "+order[0], func(t *testing.T) {
						runs = 0
						key := name + kind + order[0]
						for i, coding := range order {
							r := takes(coding)
							r.key = strings.ReplaceAll(strings.ReplaceAll(key, " ", "_"), ",", "")
							a := send(h, r)
							require.Equal(t, 201, a.status)
							assert.Equal(t, i > 0, a.replayed())
							if i > 0 && tombstone {
								assert.Empty(t, plainText(t, a))
								assert.Equal(t, "not-kept", a.header.Get("Idempotency-Response"))
								continue
							}
							assert.Equal(t, `{"run": 1}`, plainText(t, a))
							if c.outside == nil {
								assert.Equal(t, c.stored, a.header.Get("Content-Encoding"))
							}
						}
					})
				}
			}
		}
	}
}

func TestProblemBelowALayerThatAnnouncedItsCoding(t *testing.T) {
	f := newFixture(t)
	h := gzipped(true, false)(f.app(strict, f.payFor(new(int)), authenticated))
	a := send(h, call{noKey: true, header: http.Header{"Accept-Encoding": {"gzip"}}})
	assert.Equal(t, 400, a.status)
	assert.Contains(t, plainText(t, a), "IDEMPOTENCY_KEY_MISSING")
}

// An upgrade has no outcome, whatever the framework thinks of it.
func TestSwitchingProtocolsIsNoOutcome(t *testing.T) {
	f := newFixture(t)
	a := send(recorded(t, f, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusSwitchingProtocols) }), call{})
	assert.Equal(t, 500, a.status)
	h := f.app(strict, func(context.Context, *execution, paymentCommand) (idem.Response, error) {
		return idem.Response{Status: http.StatusSwitchingProtocols}, nil
	}, authenticated)
	assert.Equal(t, 500, send(h, call{}).status)
	assert.Equal(t, 201, send(f.app(strict, f.payFor(new(int)), authenticated), call{}).status, "the key is free")
}
