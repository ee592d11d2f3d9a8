package idem_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// panicking is an observer that panics at its first claim.
type panicking struct{ done bool }

func (p *panicking) Observe(_ context.Context, e idem.Event) {
	if e.Kind == idem.EventClaimed && !p.done {
		p.done = true
		panic("observer")
	}
}

func TestObserverThatPanicsFreesTheKey(t *testing.T) {
	f := newFixture(t, func(_ *fixture, o *idem.Options) { o.Observer = &panicking{} })
	runs := 0
	h := f.handler(f.pay(&runs))
	assert.PanicsWithValue(t, "observer", func() { send(h, call{}) })
	assert.Equal(t, 201, send(h, call{}).status, "the claim was released")
	assert.Equal(t, 1, runs)
}

var errNotSerialized = errors.New("could not serialize access")

// serializing is a store that knows one error of the handler's statements.
type serializing struct{ idem.Store[*memstore.Tx] }

func (serializing) NotSerialized(err error) bool { return errors.Is(err, errNotSerialized) }

func TestSerialisationFailureInAHandlerSaysTryAgain(t *testing.T) {
	fails := func(_ context.Context, ex *execution, _ paymentCommand) (idem.Response, error) {
		ex.Tx().OnCommit(func() { t.Error("it was rolled back") })
		return idem.Response{}, errNotSerialized
	}
	f := newFixture(t)
	f.engine = newEngineOn(t, f, serializing{f.store})
	a := send(f.handler(fails), call{})
	assert.Equal(t, 503, a.status)
	assert.Equal(t, idem.CodeTryAgain, a.code())
	assert.Equal(t, "1", a.header.Get("Retry-After"))
	eachShape(t, func(t *testing.T, s shape) {
		a := send(f.app(s, fails, authenticated), call{})
		assert.Equal(t, 503, a.status)
		assert.Equal(t, idem.CodeTryAgain, a.code())
	})
	runs := 0
	assert.Equal(t, 201, send(f.handler(f.pay(&runs)), call{}).status, "the key is free")
}

func newEngineOn(t *testing.T, f *fixture, store idem.Store[*memstore.Tx]) *idem.Engine[*memstore.Tx] {
	t.Helper()
	contract := idem.Contract{BasePath: "/v1", Dimensions: []string{"tenant"}, Operations: []*idem.Operation{f.op}}
	engine, err := idem.NewEngine(store, contract, tenantScope, idem.Options{})
	require.NoError(t, err)
	return engine
}

func TestHandleInsideOfMiddleware(t *testing.T) {
	f := newFixture(t)
	runs := 0
	h := f.engine.Middleware(f.handler(f.pay(&runs)))
	assert.Equal(t, 201, send(h, call{}).status, "it settles by itself")
	assert.True(t, send(h, call{}).replayed())
	assert.Equal(t, 422, send(h, call{body: `{"amount":"11","currency":"EUR"}`}).status)
	assert.Equal(t, 1, runs)
	broken := f.engine.Middleware(f.handler(func(context.Context, *execution, paymentCommand) (idem.Response, error) { panic("business") }))
	assert.PanicsWithValue(t, "business", func() { send(broken, call{key: "other"}) })
	assert.Equal(t, 201, send(h, call{key: "other"}).status)
}

func TestScopeIsBounded(t *testing.T) {
	f := newFixture(t)
	f.op.Scope = append(f.op.Scope, idem.ScopePart{Dimension: -1, From: idem.RequestPart{In: idem.KeyInHeader, Name: "X-Account"}})
	f.engine = newEngineOn(t, f, f.store)
	h := f.handler(f.pay(new(int)))
	long := func(n int) http.Header { return http.Header{"X-Account": {strings.Repeat("a", n)}} }
	assert.Equal(t, 201, send(h, call{header: long(255)}).status)
	assert.Equal(t, 400, send(h, call{header: long(256)}).status, "the client's fault, not the store's")

	op := createPayment()
	f.engine, f.op = nil, op
	engine, err := idem.NewEngine(f.store, idem.Contract{Dimensions: []string{"tenant"}, Operations: []*idem.Operation{op}},
		func(context.Context) ([]string, error) { return []string{strings.Repeat("t", 256)}, nil }, idem.Options{})
	require.NoError(t, err)
	f.engine = engine
	assert.Equal(t, idem.CodeScopeUnresolved, send(f.handler(f.pay(new(int))), call{}).code(), "the program's fault")
}

func TestScopeValuesAreNormalised(t *testing.T) {
	f := newFixture(t)
	account := idem.RequestPart{In: idem.KeyInHeader, Name: "X-Account", As: canon.UUID}
	f.op.Scope = append(f.op.Scope, idem.ScopePart{Dimension: -1, From: account})
	f.engine = newEngineOn(t, f, f.store)
	runs := 0
	h := f.handler(f.pay(&runs))
	of := func(id string) answer { return send(h, call{header: http.Header{"X-Account": {id}}}) }
	require.Equal(t, 201, of("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11").status)
	assert.True(t, of("A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11").replayed(), "one account, spelled in capitals")
	assert.Equal(t, 400, of("no-uuid").status)
	assert.Equal(t, 1, runs)
}

func TestWebhookIsServedWhereverItIsMounted(t *testing.T) {
	f := newFixture(t)
	f.op.Method, f.op.Path = "", ""
	f.op.Versions = nil // its contract counts a path parameter
	f.engine = newEngineOn(t, f, f.store)
	runs := 0
	h := authenticated(idem.Handle(f.engine, f.op, func(*canon.Request) (paymentCommand, error) { return paymentCommand{Amount: "10.00"}, nil }, f.pay(&runs)))
	assert.Equal(t, 201, send(h, call{}).status)
	assert.True(t, send(h, call{}).replayed())
	assert.Equal(t, 1, runs)
	outside := f.engine.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	assert.Equal(t, 204, send(outside, call{}).status, "it has no place in the matcher")
}
