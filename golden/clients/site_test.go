package clients

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	api "github.com/idemgen/idemgen/golden/pipeline/what-clients-send/openapiidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// site is a program with all operations of the package, behind its middleware, on a port.
type site struct {
	address string
	runs    atomic.Int64 // of handlers, and of the operation that nobody annotated
}

type tenantKey struct{}

// newSite starts a site. Its authentication takes the caller from X-Tenant; a caller without one is nobody.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{}
	scope := func(ctx context.Context) (api.Scope, error) {
		tenant, _ := ctx.Value(tenantKey{}).(string)
		return api.Scope{Tenant: tenant}, nil
	}
	engine, err := api.NewEngine(memstore.New(), scope, idem.Options{})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("POST /accounts/{accountId}/payments", api.HandleCreatePayment(engine, counted[api.CreatePaymentCommand](s)))
	mux.Handle("POST /refunds", api.HandleCreateRefund(engine, counted[api.CreateRefundCommand](s)))
	mux.Handle("POST /payouts", api.HandleCreatePayout(engine, counted[api.CreatePayoutCommand](s)))
	mux.Handle("POST /orders", api.HandleCreateOrder(engine, counted[api.CreateOrderCommand](s)))
	mux.Handle("POST /batches", api.HandleCreateBatch(engine, counted[api.CreateBatchCommand](s)))
	mux.Handle("POST /charges", api.HandleCreateCharge(engine, counted[api.CreateChargeCommand](s)))
	mux.Handle("POST /documents", api.HandleCreateDocument(engine, counted[api.CreateDocumentCommand](s)))
	mux.Handle("POST /jobs", api.HandleCreateJob(engine, counted[api.CreateJobCommand](s)))
	mux.Handle("DELETE /sessions/{sessionId}", api.HandleDeleteSession(engine, counted[api.DeleteSessionCommand](s)))
	mux.Handle("GET /reports", api.HandleMakeReport(engine, counted[api.MakeReportCommand](s)))
	mux.HandleFunc("POST /pings", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, s.runs.Add(1))
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), tenantKey{}, r.Header.Get("X-Tenant"))
		engine.Middleware(mux).ServeHTTP(w, r.WithContext(ctx))
	}))
	t.Cleanup(server.Close)
	s.address = server.Listener.Addr().String()
	return s
}

// counted is a handler that tells how often handlers ran.
func counted[Command any](s *site) func(context.Context, *idem.Execution[*memstore.Tx], Command) (idem.Response, error) {
	return func(context.Context, *idem.Execution[*memstore.Tx], Command) (idem.Response, error) {
		return idem.Response{Status: http.StatusCreated, Body: []byte(strconv.FormatInt(s.runs.Add(1), 10))}, nil
	}
}

// request is a request as its bytes stand on the wire, but for the lines that every request has.
type request struct {
	method string
	target string
	lines  []string // of the header
	body   string
}

// with gives r with more header lines.
func (r request) with(lines ...string) request {
	r.lines = append(append([]string(nil), r.lines...), lines...)
	return r
}

func (r request) String() string {
	return fmt.Sprintf("%s %s %q %q", r.method, r.target, r.lines, r.body)
}

// verdict is what became of a request.
type verdict string

const (
	runs      verdict = "it runs"
	replay    verdict = "it gets the first one's answer"
	mismatch  verdict = "it is another command"
	noKey     verdict = "it has no key"
	badKey    verdict = "its key is malformed"
	refused   verdict = "it is refused: no canonical form"
	encoding  verdict = "it is refused: a type or encoding that is not taken"
	noCaller  verdict = "it is refused: nobody knows whose key it is"
	bySending verdict = "the HTTP server refuses it" // before any handler
)

// problems are the verdicts of the codes of idemgen's own answers, with their statuses.
var problems = map[idem.Code]struct {
	verdict verdict
	status  int
}{
	idem.CodeMismatch: {mismatch, 422}, idem.CodeKeyMissing: {noKey, 400}, idem.CodeKeyMalformed: {badKey, 400}, idem.CodeRequestMalformed: {refused, 400},
	idem.CodeRequestEncoding: {encoding, 415}, idem.CodeScopeUnresolved: {noCaller, 500},
}

// send sends r as the tenant's and says what became of it, and the answer's body.
func (s *site) send(t *testing.T, tenant string, r request) (verdict, string) {
	t.Helper()
	before := s.runs.Load()
	status, header, body := s.roundTrip(t, tenant, r)
	ran := s.runs.Load() - before
	switch {
	case header.Get("Idempotent-Replayed") == "true":
		require.Less(t, status, 300, "%s", r)
		require.Zero(t, ran, "%s", r)
		return replay, body
	case status < 300:
		require.Equal(t, int64(1), ran, "%s", r)
		return runs, body
	case header.Get("Content-Type") != "application/problem+json":
		require.Equal(t, http.StatusBadRequest, status, "%s: %s", r, body)
		require.Zero(t, ran, "%s", r)
		return bySending, body
	}
	var p struct{ Code idem.Code }
	require.NoError(t, json.Unmarshal([]byte(body), &p))
	known, ok := problems[p.Code]
	require.True(t, ok, "%s: %s", r, body)
	require.Equal(t, known.status, status, "%s: %s", r, body)
	require.Zero(t, ran, "%s", r)
	return known.verdict, body
}

// roundTrip writes r onto a connection of its own, and reads the answer.
func (s *site) roundTrip(t *testing.T, tenant string, r request) (status int, header http.Header, answer string) {
	t.Helper()
	conn, err := net.Dial("tcp", s.address)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	lines := append([]string{r.method + " " + r.target + " HTTP/1.1", "Host: site", "Connection: close", "Content-Length: " + strconv.Itoa(len(r.body))}, r.lines...)
	if tenant != "" {
		lines = append(lines, "X-Tenant: "+tenant)
	}
	_, err = io.WriteString(conn, strings.Join(lines, "\r\n")+"\r\n\r\n"+r.body)
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: r.method})
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, response.Header, string(body)
}

// expect sends r as the usual tenant's and holds it to a verdict.
func (s *site) expect(t *testing.T, want verdict, r request) {
	t.Helper()
	got, body := s.send(t, "acme", r)
	assert.Equal(t, want, got, "%s: %s", r, body)
}
