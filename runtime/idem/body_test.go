package idem_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.String()
}

func TestRequestBody(t *testing.T) {
	const limit = 200
	padded := func(n int) string { return tenPayment + strings.Repeat(" ", n-len(tenPayment)) }
	coding := func(lines ...string) http.Header { return http.Header{"Content-Encoding": lines} }
	cases := []struct {
		name   string
		body   string
		header http.Header
		code   idem.Code // empty: it runs and is the same command as tenPayment
	}{
		{"plain", tenPayment, nil, ""},
		{"identity", tenPayment, coding("identity"), ""},
		{"empty coding", tenPayment, coding(""), ""},
		{"gzip", zipped(t, tenPayment), coding("gzip"), ""},
		{"gzip in capitals", zipped(t, tenPayment), coding(" GZIP "), ""},
		{"x-gzip", zipped(t, tenPayment), coding("x-gzip"), ""},
		{"at the limit", padded(limit), nil, ""},
		{"over the limit", padded(limit + 1), nil, idem.CodeRequestTooLarge},
		{"decoded at the limit", zipped(t, padded(limit)), coding("gzip"), ""},
		{"decoded over the limit", zipped(t, padded(limit+1)), coding("gzip"), idem.CodeRequestTooLarge},
		{"a bomb", zipped(t, strings.Repeat(" ", 10_000)), coding("gzip"), idem.CodeRequestTooLarge},
		{"compressed over the limit", zipped(t, tenPayment) + strings.Repeat("x", limit), coding("gzip"), idem.CodeRequestTooLarge},
		{"deflate", tenPayment, coding("deflate"), idem.CodeRequestEncoding},
		{"brotli", tenPayment, coding("br"), idem.CodeRequestEncoding},
		{"twice gzip", tenPayment, coding("gzip, gzip"), idem.CodeRequestEncoding},
		{"two lines", tenPayment, coding("gzip", "identity"), idem.CodeRequestEncoding},
		{"no gzip at all", tenPayment, coding("gzip"), idem.CodeRequestMalformed},
		{"gzip cut short", zipped(t, tenPayment)[:20], coding("gzip"), idem.CodeRequestMalformed},
		{"text after gzip", zipped(t, tenPayment) + "x", coding("gzip"), idem.CodeRequestMalformed},
		{"charset parameter", tenPayment, http.Header{"Content-Type": {"application/json; charset=utf-8"}}, ""},
		{"another content type", tenPayment, http.Header{"Content-Type": {"text/plain"}}, idem.CodeRequestEncoding},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, func(_ *fixture, o *idem.Options) { o.MaxBody = limit })
			runs := 0
			h := f.handler(f.pay(&runs))
			require.Equal(t, 201, send(h, call{key: "same"}).status)
			a := send(h, call{body: c.body, header: c.header})
			if c.code == "" {
				assert.Equal(t, 201, a.status, a.body)
				assert.Equal(t, 2, runs)
				a = send(h, call{key: "same", body: c.body, header: c.header})
				assert.True(t, a.replayed(), "the encoding does not count")
				return
			}
			assert.Equal(t, c.code, a.code())
			assert.Equal(t, map[idem.Code]int{idem.CodeRequestTooLarge: 413, idem.CodeRequestEncoding: 415, idem.CodeRequestMalformed: 400}[c.code], a.status)
			assert.Equal(t, 1, runs)
			media := c.header.Get("Content-Type") != ""
			assert.Equal(t, c.code == idem.CodeRequestEncoding && !media, a.header.Get("Accept-Encoding") != "")
			assert.Equal(t, c.code == idem.CodeRequestEncoding && media, a.header.Get("Accept") != "")
			assert.Equal(t, idem.EventRefused, f.events.last().Kind)
		})
	}
}

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

func TestBodyThatCannotBeRead(t *testing.T) {
	f := newFixture(t)
	for err, code := range map[error]idem.Code{
		errors.New("connection reset"): idem.CodeRequestMalformed,
		io.ErrUnexpectedEOF:            idem.CodeRequestMalformed,
		&http.MaxBytesError{Limit: 10}: idem.CodeRequestTooLarge,
	} {
		r := httptest.NewRequest(http.MethodPost, "/accounts/a/payments", io.MultiReader(strings.NewReader("{"), brokenReader{err}))
		r.Header.Set("Authorization", "Bearer acme")
		w := httptest.NewRecorder()
		f.handler(f.pay(new(int))).ServeHTTP(w, r)
		assert.Contains(t, w.Body.String(), string(code))
		assert.NotContains(t, w.Body.String(), "connection reset")
	}
}

func TestMethodAndMount(t *testing.T) {
	f := newFixture(t)
	h := f.handler(f.pay(new(int)))
	a := send(h, call{method: "GET"})
	assert.Equal(t, 405, a.status)
	assert.Equal(t, "POST", a.header.Get("Allow"))
	a = send(h, call{path: "/v1/payments"})
	assert.Equal(t, idem.CodeNotBound, a.code())
	assert.Equal(t, idem.EventNotBound, f.events.last().Kind)
	assert.ErrorIs(t, f.events.last().Err, idem.ErrNotBound)

	stripped := http.StripPrefix("/api", h)
	assert.Equal(t, 201, send(stripped, call{path: "/api/accounts/a%2Fb/payments"}).status)
	assert.Equal(t, []string{"a/b 10.00"}, f.ledger.all())

	foreign := authenticated(idem.Handle(newFixture(t).engine, f.op, decodePayment, f.pay(new(int))))
	assert.Equal(t, idem.CodeNotBound, send(foreign, call{}).code())
	assert.Panics(t, func() { idem.Handle(f.engine, f.op, decodePayment, nil) })

	get := newFixture(t, func(f *fixture, _ *idem.Options) {
		f.op.Method, f.op.Versions = "GET", nil
	})
	a = send(get.handler(get.pay(new(int))), call{method: "HEAD"})
	assert.Equal(t, 201, a.status)
	assert.Empty(t, a.body)
	a = send(get.handler(get.pay(new(int))), call{method: "HEAD"})
	assert.True(t, a.replayed())
	assert.Empty(t, a.body)
	a = send(get.handler(get.pay(new(int))), call{method: "GET"})
	assert.Equal(t, `{"run": 1}`, a.body)
}
