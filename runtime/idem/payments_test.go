package idem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// The operation that the tests run, written as the generator writes it: createPayment with two versions of its contract.
// Version 1 knows no currency and ignores unknown members; version 2 refuses them.

func createPayment() *idem.Operation {
	return &idem.Operation{
		Name:          "createPayment",
		Method:        "POST",
		Path:          "/accounts/{accountId}/payments",
		Key:           idem.KeySource{In: idem.KeyInHeader, Name: "Idempotency-Key", Required: true, MinLength: 1, MaxLength: 255},
		Scope:         []idem.ScopePart{{Dimension: 0}},
		Keyspace:      "createPayment",
		Retention:     24 * time.Hour,
		Execution:     idem.Transactional,
		KeepExcept:    []int{408, 425, 429, 502, 503, 504},
		ReplayHeaders: []string{"Etag", "Location", "X-List"},
		ReplayMarker:  "Idempotent-Replayed",
		Statuses:      idem.Statuses{Missing: 400, Malformed: 400, Mismatch: 422, InFlight: 409, Unknown: 409, Unavailable: 503},
		Versions:      []idem.Version{paymentV2, paymentV1},
	}
}

var paymentV2 = idem.Version{Number: 2, ID: "2222222222222222",
	Fields: []string{"body.amount", "body.currency", "path.accountId"}, Fingerprint: fingerprintPaymentV2}

var paymentV1 = idem.Version{Number: 1, ID: "1111111111111111",
	Fields: []string{"body.amount", "path.accountId"}, Fingerprint: fingerprintPaymentV1}

var paymentV2Shape = canon.Shape{
	Members: []canon.Member{
		{Name: "amount", Key: `"amount":`, Required: true},
		{Name: "currency", Key: `"currency":`, Required: true},
		{Name: "metadata", Key: `"metadata":`, Ignored: true},
	},
	Unknown: canon.RejectUnknown,
}

func fingerprintPaymentV2(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
	s.Start(r)
	if s.Body(true, canon.JSON) == canon.JSON {
		var spans [3]canon.Span
		o := s.Object(&paymentV2Shape, spans[:])
		for s.Next(&o) {
			switch string(s.Name()) {
			case "amount":
				s.Member(&o, 0)
				s.Decimal(0)
			case "currency":
				s.Member(&o, 1)
				s.ASCIIUpper(1)
			case "metadata":
				s.Ignore(&o, 2)
			default:
				s.Unknown(&o)
			}
		}
	}
	s.Params([]canon.Param{{In: canon.InPath, Name: "accountId", As: canon.Exact, Required: true, Field: 2}})
	return s.Finish("createPayment", "2222222222222222")
}

var paymentV1Shape = canon.Shape{
	Members: []canon.Member{{Name: "amount", Key: `"amount":`, Required: true}},
	Unknown: canon.IgnoreUnknown,
}

func fingerprintPaymentV1(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
	s.Start(r)
	if s.Body(true, canon.JSON) == canon.JSON {
		var spans [1]canon.Span
		o := s.Object(&paymentV1Shape, spans[:])
		for s.Next(&o) {
			switch string(s.Name()) {
			case "amount":
				s.Member(&o, 0)
				s.Decimal(0)
			default:
				s.Unknown(&o)
			}
		}
	}
	s.Params([]canon.Param{{In: canon.InPath, Name: "accountId", As: canon.Exact, Required: true, Field: 1}})
	return s.Finish("createPayment", "1111111111111111")
}

type paymentCommand struct {
	Account  string          `json:"-"`
	Amount   idem.Number     `json:"amount"`
	Currency string          `json:"currency"`
	Metadata json.RawMessage `json:"metadata"`
}

func decodePayment(r *canon.Request) (paymentCommand, error) {
	cmd, err := idem.DecodeBody[paymentCommand](r)
	if err != nil {
		return paymentCommand{}, err
	}
	cmd.Account, err = idem.PathParam[string](r, 0, "accountId")
	return *cmd, err
}

// ledger is the business of the tests: effects that happen when their transaction commits.
type ledger struct {
	mu      sync.Mutex
	effects []string
}

func (l *ledger) write(ex *idem.Execution[*memstore.Tx], effect string) {
	ex.Tx().OnCommit(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.effects = append(l.effects, effect)
	})
}

func (l *ledger) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.effects...)
}

// events collects what an observer is told.
type events struct {
	mu  sync.Mutex
	all []idem.Event
}

func (o *events) Observe(_ context.Context, e idem.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, e)
}

func (o *events) kinds() []idem.EventKind {
	o.mu.Lock()
	defer o.mu.Unlock()
	var kinds []idem.EventKind
	for _, e := range o.all {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func (o *events) last() idem.Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.all) == 0 {
		return idem.Event{}
	}
	return o.all[len(o.all)-1]
}

type tenantKey struct{}

func withTenant(ctx context.Context, tenant string) context.Context {
	return context.WithValue(ctx, tenantKey{}, tenant)
}

func tenantScope(ctx context.Context) ([]string, error) {
	tenant, ok := ctx.Value(tenantKey{}).(string)
	if !ok {
		return nil, errors.New("no tenant in the context")
	}
	return []string{tenant}, nil
}

// fixture is an engine with its parts within reach.
type fixture struct {
	store  idem.Store[*memstore.Tx]
	op     *idem.Operation
	engine *idem.Engine[*memstore.Tx]
	views  map[string]idem.View
	ledger *ledger
	events *events
}

type setting func(*fixture, *idem.Options)

func newFixture(t *testing.T, settings ...setting) *fixture {
	t.Helper()
	f := &fixture{store: memstore.New(), op: createPayment(), ledger: &ledger{}, events: &events{}}
	opts := idem.Options{Observer: f.events}
	for _, s := range settings {
		s(f, &opts)
	}
	f.engine = newEngine(t, f, opts)
	return f
}

func newEngine(t *testing.T, f *fixture, opts idem.Options) *idem.Engine[*memstore.Tx] {
	t.Helper()
	contract := idem.Contract{BasePath: "/v1", Dimensions: []string{"tenant"}, Operations: []*idem.Operation{f.op}, Views: f.views}
	engine, err := idem.NewEngine(f.store, contract, tenantScope, opts)
	require.NoError(t, err)
	return engine
}

type paymentHandler = idem.HandlerFunc[*memstore.Tx, paymentCommand]

// handler serves the operation behind a layer that knows the tenant.
func (f *fixture) handler(h paymentHandler) http.Handler {
	return authenticated(idem.Handle(f.engine, f.op, decodePayment, h))
}

// authenticated takes the tenant from a bearer token, as the quickstart does.
func authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || tenant == "revoked" {
			http.Error(w, "unauthorised", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(withTenant(r.Context(), tenant)))
	})
}

// pay writes an effect and answers 201 with the number of the run.
func (f *fixture) pay(runs *int) paymentHandler {
	var mu sync.Mutex
	return func(_ context.Context, ex *idem.Execution[*memstore.Tx], cmd paymentCommand) (idem.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		*runs++
		f.ledger.write(ex, cmd.Account+" "+string(cmd.Amount))
		return idem.Response{
			Status: http.StatusCreated,
			Header: http.Header{"Content-Type": {"application/json"}, "Location": {"/payments/1"}, "X-Other": {"first only"}},
			Body:   fmt.Appendf(nil, `{"run": %d}`, *runs),
		}, nil
	}
}

const tenPayment = `{"amount":"10.00","currency":"EUR"}`

// call is one request of a test; its zero fields have usual values.
type call struct {
	method, path, key, body, tenant string
	header                          http.Header
	noKey                           bool
	ctx                             context.Context
}

func (c call) request() *http.Request {
	orElse := func(s, other string) string {
		if s == "" {
			return other
		}
		return s
	}
	ctx := c.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	r := httptest.NewRequestWithContext(ctx, orElse(c.method, "POST"), orElse(c.path, "/v1/accounts/acc_1/payments"),
		strings.NewReader(orElse(c.body, tenPayment)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+orElse(c.tenant, "acme"))
	if !c.noKey {
		r.Header.Set("Idempotency-Key", orElse(c.key, "key-1"))
	}
	for name, lines := range c.header {
		r.Header[name] = lines
	}
	return r
}

// answer is what a client got.
type answer struct {
	status int
	header http.Header
	body   string
}

func send(h http.Handler, c call) answer {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, c.request())
	result := w.Result()
	body, err := io.ReadAll(result.Body)
	if err != nil {
		panic(err)
	}
	return answer{result.StatusCode, result.Header, string(body)}
}

// code gives the code of a problem.
func (a answer) code() idem.Code {
	var p struct {
		Code idem.Code `json:"code"`
	}
	if err := json.NewDecoder(bytes.NewReader([]byte(a.body))).Decode(&p); err != nil {
		return idem.Code("no problem: " + a.body)
	}
	return p.Code
}

func (a answer) replayed() bool { return a.header.Get("Idempotent-Replayed") == "true" }

// Short names for the signatures of handlers.
type (
	ctx       = context.Context
	execution = idem.Execution[*memstore.Tx]
	tx        = memstore.Tx
)
