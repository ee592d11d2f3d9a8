package idem_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// clock is a clock that stands until it is told.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) get() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// scopes records the scope of the last claim.
type scopes struct {
	idem.Store[*memstore.Tx]
	last string
}

func (s *scopes) Claim(ctx context.Context, c idem.Claim) (idem.Held[*memstore.Tx], idem.Prior, error) {
	s.last = c.Scope
	return s.Store.Claim(ctx, c)
}

func TestScope(t *testing.T) {
	part := func(p idem.RequestPart) idem.ScopePart { return idem.ScopePart{Dimension: -1, From: p} }
	tenant, user := idem.ScopePart{Dimension: 0}, idem.ScopePart{Dimension: 1}
	inBody := part(idem.RequestPart{In: idem.KeyInBody, Path: []string{"a", "b"}})
	inHeader := part(idem.RequestPart{In: idem.KeyInHeader, Name: "Stripe-Account"})
	inQuery := part(idem.RequestPart{In: idem.KeyInQuery, Name: "account"})
	inPath := part(idem.RequestPart{In: idem.KeyInPath, Name: "accountId", Index: 0})
	global := idem.ScopePart{Dimension: -1, Literal: "global"}
	supply := func(values ...string) func(context.Context) ([]string, error) {
		return func(context.Context) ([]string, error) { return values, nil }
	}
	cases := []struct {
		name    string
		scope   []idem.ScopePart
		resolve func(context.Context) ([]string, error)
		call    call
		want    string
		code    idem.Code
	}{
		{"dimension", []idem.ScopePart{tenant}, supply("acme", ""), call{}, `["acme"]`, ""},
		{"two in the annotation's order", []idem.ScopePart{user, tenant}, supply("acme", "bob"), call{}, `["bob","acme"]`, ""},
		{"quotes and brackets cannot pose as another scope", []idem.ScopePart{tenant}, supply(`a","b`, "x"), call{}, `["a\",\"b"]`, ""},
		{"control characters and markup", []idem.ScopePart{tenant}, supply("a\x00\n<é>", "x"), call{}, "[\"a\\u0000\\n<é>\"]", ""},
		{"empty dimension", []idem.ScopePart{tenant}, supply("", "bob"), call{}, "", idem.CodeScopeUnresolved},
		{"empty second dimension", []idem.ScopePart{tenant, user}, supply("acme", ""), call{}, "", idem.CodeScopeUnresolved},
		{"invalid UTF-8", []idem.ScopePart{tenant}, supply("a\xff", "bob"), call{}, "", idem.CodeScopeUnresolved},
		{"too few values", []idem.ScopePart{tenant}, supply("acme"), call{}, "", idem.CodeScopeUnresolved},
		{"error", []idem.ScopePart{tenant}, func(context.Context) ([]string, error) { return nil, errors.New("anonymous") }, call{}, "", idem.CodeScopeUnresolved},
		{"the resolver is not asked in vain", []idem.ScopePart{global}, func(context.Context) ([]string, error) { return nil, errors.New("anonymous") }, call{}, `["global"]`, ""},
		{"header", []idem.ScopePart{inHeader}, nil, call{header: http.Header{"Stripe-Account": {"acct_1"}}}, `["acct_1"]`, ""},
		{"header missing", []idem.ScopePart{inHeader}, nil, call{}, "", idem.CodeRequestMalformed},
		{"header empty", []idem.ScopePart{inHeader}, nil, call{header: http.Header{"Stripe-Account": {""}}}, "", idem.CodeRequestMalformed},
		{"header twice", []idem.ScopePart{inHeader}, nil, call{header: http.Header{"Stripe-Account": {"a", "b"}}}, "", idem.CodeRequestMalformed},
		{"header in another encoding", []idem.ScopePart{inHeader}, nil, call{header: http.Header{"Stripe-Account": {"a\xff"}}}, "", idem.CodeRequestMalformed},
		{"query", []idem.ScopePart{inQuery}, nil, call{path: "/accounts/a/payments?account=%C3%A9"}, `["é"]`, ""},
		{"query twice", []idem.ScopePart{inQuery}, nil, call{path: "/accounts/a/payments?account=a&account=b"}, "", idem.CodeRequestMalformed},
		{"query missing", []idem.ScopePart{inQuery}, nil, call{}, "", idem.CodeRequestMalformed},
		{"path", []idem.ScopePart{inPath, tenant}, supply("acme", ""), call{path: "/v1/accounts/a%2F1/payments"}, `["a/1","acme"]`, ""},
		{"body", []idem.ScopePart{inBody}, nil, call{body: `{"a":{"b":"x"}}`}, `["x"]`, ""},
		{"body number", []idem.ScopePart{inBody}, nil, call{body: `{"a":{"b":17}}`}, `["17"]`, ""},
		{"body null", []idem.ScopePart{inBody}, nil, call{body: `{"a":{"b":null}}`}, "", idem.CodeRequestMalformed},
		{"body object", []idem.ScopePart{inBody}, nil, call{body: `{"a":{"b":{}}}`}, "", idem.CodeRequestMalformed},
		{"body absent", []idem.ScopePart{inBody}, nil, call{body: `{}`}, "", idem.CodeRequestMalformed},
		{"body no JSON", []idem.ScopePart{inBody}, nil, call{body: `{`}, "", idem.CodeRequestMalformed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			store := &scopes{Store: memstore.New()}
			op := createPayment()
			op.Scope, op.Versions = c.scope, nil
			resolve := c.resolve
			if resolve == nil {
				resolve = supply("acme", "bob")
			}
			contract := idem.Contract{Dimensions: []string{"tenant", "user"}, Operations: []*idem.Operation{op}}
			seen := &events{}
			engine, err := idem.NewEngine[*memstore.Tx](store, contract, resolve, idem.Options{Observer: seen})
			require.NoError(t, err)
			ran := false
			h := idem.Handle(engine, op, func(*canon.Request) (int, error) { return 0, nil },
				func(ctx, *execution, int) (idem.Response, error) { ran = true; return idem.Response{Status: 200}, nil })
			a := send(h, c.call)
			assert.Equal(t, c.want, store.last)
			assert.Equal(t, c.code == "", ran, "nothing is claimed for a scope that is not known")
			if c.code == "" {
				assert.Equal(t, 200, a.status)
				return
			}
			assert.Equal(t, c.code, a.code())
			if c.code != idem.CodeScopeUnresolved {
				assert.Equal(t, 400, a.status)
				return
			}
			assert.Equal(t, 500, a.status)
			assert.Equal(t, idem.EventScopeUnresolved, seen.last().Kind)
			assert.NotContains(t, a.body, "anonymous")
		})
	}
}
