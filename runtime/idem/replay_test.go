package idem_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestReplayedHeaders(t *testing.T) {
	cases := []struct {
		name          string
		first, replay http.Header // what the handler returns, and what a replay carries besides the marker
	}{
		{"content", http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}, "Content-Language": {"de"}},
			http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}, "Content-Language": {"de"}}},
		{"listed", http.Header{"Location": {"/p/1"}, "Etag": {`"v1"`}}, http.Header{"Location": {"/p/1"}, "Etag": {`"v1"`}}},
		{"spelled otherwise", http.Header{"location": {"/p/1"}, "ETag": {`"v1"`}}, http.Header{"Location": {"/p/1"}, "Etag": {`"v1"`}}},
		{"not listed", http.Header{"X-Request-Id": {"r1"}, "Vary": {"Accept"}}, http.Header{}},
		{"several lines, commas inside", http.Header{"X-List": {"a, b", `"c,d"`, ""}}, http.Header{"X-List": {"a, b", `"c,d"`, ""}}},
		{"never", http.Header{
			"Set-Cookie": {"a=1", "b=2"}, "Date": {"then"}, "Content-Length": {"2"}, "Transfer-Encoding": {"chunked"},
			"Connection": {"close"}, "Keep-Alive": {"timeout=5"}, "Trailer": {"X-T"}, "Upgrade": {"h2c"},
			"Www-Authenticate": {"Basic"}, "Authorization": {"Bearer x"}, "Authentication-Info": {"x"}, "Proxy-Authenticate": {"x"},
		}, http.Header{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			h := f.handler(func(ctx, *execution, paymentCommand) (idem.Response, error) {
				return idem.Response{Status: 201, Header: c.first, Body: []byte("{}")}, nil
			})
			first := send(h, call{})
			require.Equal(t, 201, first.status)
			for name, lines := range c.first {
				switch name {
				case "Trailer", "Transfer-Encoding": // framing is the server's
				default:
					assert.Equal(t, lines, first.header[http.CanonicalHeaderKey(name)], "the first client gets it all")
				}
			}
			again := send(h, call{})
			c.replay.Set("Idempotent-Replayed", "true")
			if c.replay.Get("Content-Type") == "" { // what net/http makes of the bytes, both times
				again.header.Del("Content-Type")
			}
			assert.Equal(t, c.replay, again.header)
		})
	}
}

func TestReplayedBytes(t *testing.T) {
	cases := []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"order and white space", 200, "{ \"b\":1,\n\t\"a\" : 2 }", "{ \"b\":1,\n\t\"a\" : 2 }"},
		{"NUL and no UTF-8", 200, "\x00\xff\xfe", "\x00\xff\xfe"},
		{"empty", 200, "", ""},
		{"created", 201, "x", "x"},
		{"no content", 204, "a mistake", ""},
		{"not modified", 304, "a mistake", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			h := f.handler(func(ctx, *execution, paymentCommand) (idem.Response, error) {
				return idem.Response{Status: c.status, Body: []byte(c.body)}, nil
			})
			server := httptest.NewServer(h) // a real server: it would fail a body where there can be none
			defer server.Close()
			for range 2 {
				got := post(t, server, call{})
				assert.Equal(t, c.status, got.status)
				assert.Equal(t, c.want, got.body)
				assert.NotEmpty(t, got.header.Get("Date"))
			}
			assert.Equal(t, idem.EventReplayed, f.events.last().Kind)
			assert.Equal(t, c.status, f.events.last().Status)
		})
	}
}

func TestReplayBelowOuterLayers(t *testing.T) {
	f := newFixture(t)
	h := f.handler(func(ctx, *execution, paymentCommand) (idem.Response, error) {
		return idem.Response{Status: 201, Header: http.Header{"Location": {"/p/1"}}}, nil
	})
	outer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
		w.Header().Set("Etag", "stale") // of the kind that records keep: the stored response had none
		w.Header().Set("Access-Control-Allow-Origin", "https://shop.example")
		w.Header().Set("Access-Control-Expose-Headers", "Location, X-Request-Id")
		h.ServeHTTP(w, r)
	})
	require.Equal(t, 201, send(outer, call{header: http.Header{"X-Request-Id": {"r1"}}}).status)
	again := send(outer, call{header: http.Header{"X-Request-Id": {"r2"}}})
	assert.Equal(t, "r2", again.header.Get("X-Request-Id"), "of this request, not of the first")
	assert.Empty(t, again.header.Get("Etag"))
	assert.Equal(t, []string{"Location, X-Request-Id", "Idempotent-Replayed"}, again.header["Access-Control-Expose-Headers"],
		"a browser's script can read the marker")
	problem := send(outer, call{header: http.Header{"X-Request-Id": {"r3"}}, body: `{"amount":"1","currency":"EUR"}`})
	assert.Equal(t, "r3", problem.header.Get("X-Request-Id"))

	exposed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "idempotent-replayed")
		h.ServeHTTP(w, r)
	})
	assert.Equal(t, []string{"idempotent-replayed"}, send(exposed, call{}).header["Access-Control-Expose-Headers"])
}
