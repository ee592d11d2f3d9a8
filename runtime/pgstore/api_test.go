package pgstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// api is one operation on a real store, for what only both together can show.
type api struct {
	b      *bench
	op     *idem.Operation
	engine *idem.Engine[pgx.Tx]
}

type (
	ctx          = context.Context
	pgxTx        = pgx.Tx
	apiExecution = idem.Execution[pgx.Tx]
	apiHandler   = func(ctx context.Context, ex *apiExecution) (idem.Response, error)
)

func payOperation() *idem.Operation {
	return &idem.Operation{
		Name: "pay", Method: "POST", Path: "/payments", Keyspace: "pay", Retention: time.Hour, Execution: idem.Transactional,
		Key:          idem.KeySource{In: idem.KeyInHeader, Name: "Idempotency-Key", Required: true, MinLength: 1, MaxLength: 255},
		Scope:        []idem.ScopePart{{Dimension: 0}},
		KeepExcept:   []int{408, 425, 429, 502, 503, 504},
		ReplayMarker: "Idempotent-Replayed",
		Versions:     []idem.Version{{Number: 1, ID: "1111111111111111", Fields: []string{"body"}, Fingerprint: fingerprintWhole}},
	}
}

// fingerprintWhole makes every byte of the body count.
func fingerprintWhole(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
	s.Start(r)
	if s.Body(true, canon.JSON) == canon.JSON {
		s.Generic(0)
	}
	return s.Finish("pay", "1111111111111111")
}

// newAPI serves payOperation from b. change may be nil.
func newAPI(t testing.TB, b *bench, change func(*idem.Operation, *idem.Options)) *api {
	t.Helper()
	a := &api{b: b, op: payOperation()}
	var opts idem.Options
	if change != nil {
		change(a.op, &opts)
	}
	a.engine = a.another(t, b.store, opts)
	return a
}

// another is a second program on the same operation.
func (a *api) another(t testing.TB, store *pgstore.Store, opts idem.Options) *idem.Engine[pgx.Tx] {
	t.Helper()
	contract := idem.Contract{Dimensions: []string{"tenant"}, Operations: []*idem.Operation{a.op}}
	engine, err := idem.NewEngine(store, contract, func(context.Context) ([]string, error) { return []string{"acme"}, nil }, opts)
	require.NoError(t, err)
	return engine
}

func serving(engine *idem.Engine[pgx.Tx], op *idem.Operation, h apiHandler) http.Handler {
	decode := func(*canon.Request) (struct{}, error) { return struct{}{}, nil }
	return idem.Handle(engine, op, decode, func(ctx context.Context, ex *apiExecution, _ struct{}) (idem.Response, error) { return h(ctx, ex) })
}

func (a *api) handler(h apiHandler) http.Handler { return serving(a.engine, a.op, h) }

// paying writes one effect under the key's name.
func paying(ctx context.Context, ex *apiExecution) (idem.Response, error) {
	if err := effects.Write(ctx, ex.Tx(), ex.Key()); err != nil {
		return idem.Response{}, err
	}
	return idem.Response{Status: 201, Header: http.Header{"X-First": {"only"}}, Body: []byte(ex.RecordID().String())}, nil
}

type reply struct {
	status   int
	header   http.Header
	body     string
	replayed bool
}

func (r reply) code() idem.Code {
	var p struct {
		Code idem.Code `json:"code"`
	}
	if err := json.Unmarshal([]byte(r.body), &p); err != nil {
		return idem.Code("no problem: " + r.body)
	}
	return p.Code
}

// ask sends one request; without a body `{}`.
func ask(h http.Handler, key string, body ...string) reply {
	text := "{}"
	if len(body) > 0 {
		text = body[0]
	}
	return roundTrip(h, request(key, text))
}

func request(key, body string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/payments", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	return r
}

func roundTrip(h http.Handler, r *http.Request) reply {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	result := w.Result()
	text, err := io.ReadAll(result.Body)
	if err = errors.Join(err, result.Body.Close()); err != nil {
		panic(err)
	}
	return reply{result.StatusCode, result.Header, string(text), result.Header.Get("Idempotent-Replayed") == "true"}
}
