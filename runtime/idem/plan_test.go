package idem_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestNewEngineSaysWhatIsWrong(t *testing.T) {
	type parts struct {
		store    idem.Store[*memstore.Tx]
		contract idem.Contract
		op       *idem.Operation
		scope    func(context.Context) ([]string, error)
		opts     idem.Options
	}
	cases := []struct {
		name  string
		spoil func(p *parts)
		want  string
	}{
		{"nothing", func(*parts) {}, ""},
		{"nil store", func(p *parts) { p.store = nil }, "the store is nil"},
		{"nil scope", func(p *parts) { p.scope = nil }, "the scope resolver is nil"},
		{"no operations", func(p *parts) { p.contract.Operations = nil }, "no operations"},
		{"nil operation", func(p *parts) { p.contract.Operations = append(p.contract.Operations, nil) }, "Operations[1] is nil"},
		{"no name", func(p *parts) { p.op.Name = "" }, "has no Name"},
		{"name twice", func(p *parts) {
			other := createPayment()
			other.Path = "/other/{accountId}"
			p.contract.Operations = append(p.contract.Operations, other)
		}, `"createPayment" stands there twice`},
		{"path twice", func(p *parts) {
			other := createPayment()
			other.Name = "other"
			p.contract.Operations = append(p.contract.Operations, other)
		}, "belongs to another operation"},
		{"annotated and not", func(p *parts) { p.contract.Others = []idem.Route{{Method: "POST", Path: p.op.Path}} }, "Others has POST"},
		{"method", func(p *parts) { p.op.Method = "post" }, "in upper case"},
		{"path", func(p *parts) { p.op.Path = "payments" }, "begins with a slash"},
		{"keyspace", func(p *parts) { p.op.Keyspace = "" }, "Keyspace is empty"},
		{"zero retention", func(p *parts) { p.op.Retention = 0 }, "idem.Forever"},
		{"negative retention", func(p *parts) { p.op.Retention = -2 }, "idem.Forever"},
		{"for ever", func(p *parts) { p.op.Retention = idem.Forever }, ""},
		{"leased", func(p *parts) { *p.op = *chargeCard(idem.Recover) }, ""},
		{"leased, a store without leases", func(p *parts) { *p.op, p.store = *chargeCard(idem.Recover), onlyStore{p.store} }, "keeps no leases"},
		{"leased, a store that is not set up for it", func(p *parts) { *p.op, p.store = *chargeCard(idem.Recover), unfit{memstore.New()} }, "too few"},
		{"a store that is not set up for leases", func(p *parts) { p.store = unfit{memstore.New()} }, ""},
		{"leased without a lease", func(p *parts) { *p.op = *chargeCard(idem.Recover); p.op.Lease = 0 }, "Lease is 0s"},
		{"leased without a policy", func(p *parts) { *p.op = *chargeCard(0) }, "Takeover is 0"},
		{"leased without attempts", func(p *parts) { *p.op = *chargeCard(idem.Hold); p.op.Attempts = 0 }, "Attempts is 0"},
		{"leased with an optional key", func(p *parts) { *p.op = *chargeCard(idem.Hold); p.op.Key.Required = false }, "business key"},
		{"leased with a header that is none", func(p *parts) { *p.op = *chargeCard(idem.Recover); p.op.CommandHeaders = []string{"x y"} }, "CommandHeaders"},
		{"no execution", func(p *parts) { p.op.Execution = 0 }, "idem.Transactional"},
		{"no key source", func(p *parts) { p.op.Key.In = 0 }, "Key.In is 0"},
		{"key length", func(p *parts) { p.op.Key.MinLength = 0 }, "lengths 0 to 255"},
		{"key lengths crossed", func(p *parts) { p.op.Key.MaxLength = 0 }, "lengths 1 to 0"},
		{"key header not canonical", func(p *parts) { p.op.Key.Name = "idempotency-key" }, `"Idempotency-Key"`},
		{"key header empty", func(p *parts) { p.op.Key.Name = "" }, "Key.Name is empty"},
		{"key query empty", func(p *parts) { p.op.Key = idem.KeySource{In: idem.KeyInQuery, MinLength: 1, MaxLength: 9} }, "Key.Name is empty"},
		{"key body empty", func(p *parts) { p.op.Key.In = idem.KeyInBody }, "Key.Path is empty"},
		{"key no path parameter", func(p *parts) { p.op.Key.In = idem.KeyInPath }, "no parameter of the path"},
		{"no scope", func(p *parts) { p.op.Scope = nil }, "whom a key belongs to"},
		{"waiting", func(p *parts) { p.op.Wait = time.Second }, ""},
		{"negative wait", func(p *parts) { p.op.Wait = -time.Second }, "Wait is -1s"},
		{"business key", func(p *parts) {
			p.op.Unique = &idem.BusinessKey{Fields: []string{"body.metadata"}, Digest: digestReference}
		}, ""},
		{"business key of nothing", func(p *parts) { p.op.Unique = &idem.BusinessKey{Digest: digestReference} }, "Unique has no Fields"},
		{"business key without its function", func(p *parts) { p.op.Unique = &idem.BusinessKey{Fields: []string{"body.metadata"}} }, "no Digest"},
		{"before", func(p *parts) { p.op.Before = []idem.ScopePart{{Dimension: -1, Literal: "global"}} }, ""},
		{"before nothing", func(p *parts) { p.op.Before = []idem.ScopePart{} }, "Before is empty"},
		{"before the same", func(p *parts) { p.op.Before = []idem.ScopePart{{Dimension: 0}} }, "Before is the scope itself"},
		{"before beyond the dimensions", func(p *parts) { p.op.Before = []idem.ScopePart{{Dimension: 1}} }, "Before[0].Dimension is 1"},
		{"scope beyond the dimensions", func(p *parts) { p.op.Scope[0].Dimension = 1 }, "the contract has 1"},
		{"scope of nothing", func(p *parts) { p.op.Scope[0].Dimension = -1 }, "neither Dimension, From nor Literal"},
		{"scope part unknown", func(p *parts) { p.op.Scope[0] = idem.ScopePart{Dimension: -1, From: idem.RequestPart{In: 9}} }, "In is 9"},
		{"scope header", func(p *parts) {
			p.op.Scope[0] = idem.ScopePart{Dimension: -1, From: idem.RequestPart{In: idem.KeyInHeader, Name: "x-a"}}
		}, `"X-A"`},
		{"scope query", func(p *parts) {
			p.op.Scope[0] = idem.ScopePart{Dimension: -1, From: idem.RequestPart{In: idem.KeyInQuery}}
		}, "Name is empty"},
		{"scope body", func(p *parts) {
			p.op.Scope[0] = idem.ScopePart{Dimension: -1, From: idem.RequestPart{In: idem.KeyInBody}}
		}, "Path is empty"},
		{"scope path", func(p *parts) {
			p.op.Scope[0] = idem.ScopePart{Dimension: -1, From: idem.RequestPart{In: idem.KeyInPath, Index: 1}}
		}, "the path has 1 parameters"},
		{"contract id short", func(p *parts) { p.op.Versions[0].ID = "abc" }, "16 hexadecimal digits"},
		{"contract id in capitals", func(p *parts) { p.op.Versions[0].ID = "ABCDEF0123456789" }, "lower-case"},
		{"contract id no hex", func(p *parts) { p.op.Versions[0].ID = "ghijklmnopqrstuv" }, "hexadecimal"},
		{"contract id twice", func(p *parts) { p.op.Versions[1].ID = p.op.Versions[0].ID }, "stands there twice"},
		{"no fingerprint", func(p *parts) { p.op.Versions[0].Fingerprint = nil }, "Fingerprint is nil"},
		{"view without a body", func(p *parts) {
			p.op.Versions[0].View, p.contract.Views = "amount", map[string]idem.View{"amount": amountOf}
		}, "Versions[0].View and ViewBody need each other"},
		{"body without a view", func(p *parts) { p.op.Versions[0].ViewBody = &viewedSpec }, "Versions[0].View and ViewBody need each other"},
		{"view that nobody gave", func(p *parts) { p.op.Versions[1].View, p.op.Versions[1].ViewBody = "amount", &viewedSpec },
			`Versions[1].View is "amount", and that view is nil`},
		{"view that is nil", func(p *parts) {
			p.op.Versions[1].View, p.op.Versions[1].ViewBody, p.contract.Views = "amount", &viewedSpec, map[string]idem.View{"amount": nil}
		}, `Versions[1].View is "amount", and that view is nil`},
		{"oldest first", func(p *parts) { p.op.Versions[0].Number = 0 }, "the newest version comes first"},
		{"success excepted", func(p *parts) { p.op.KeepExcept = []int{201} }, "only 400 to 599"},
		{"cookie replayed", func(p *parts) { p.op.ReplayHeaders = []string{"Set-Cookie"} }, "never replayed"},
		{"replay header not canonical", func(p *parts) { p.op.ReplayHeaders = []string{"ETag"} }, `"Etag"`},
		{"replay header no token", func(p *parts) { p.op.ReplayHeaders = []string{"A B"} }, "give a header name"},
		{"no marker", func(p *parts) { p.op.ReplayMarker = "" }, "ReplayMarker is empty"},
		{"status of a problem", func(p *parts) { p.op.Statuses.InFlight = 200 }, "400 to 599"},
		{"base path", func(p *parts) { p.opts.BasePath = "v1" }, "begin it with a slash"},
		{"negative deadline", func(p *parts) { p.opts.Deadline = -1 }, "cannot be negative"},
		{"negative limit", func(p *parts) { p.opts.MaxBody = -1 }, "cannot be negative"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			op := createPayment()
			p := &parts{memstore.New(), idem.Contract{Dimensions: []string{"tenant"}, Operations: []*idem.Operation{op}}, op, tenantScope, idem.Options{}}
			c.spoil(p)
			engine, err := idem.NewEngine(p.store, p.contract, p.scope, p.opts)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			assert.Contains(t, err.Error(), "idem: new engine: ")
			assert.Nil(t, engine)
		})
	}
}

func TestNewEngineNamesEverything(t *testing.T) {
	op := createPayment()
	op.Keyspace, op.Retention = "", 0
	_, err := idem.NewEngine[*memstore.Tx](nil, idem.Contract{Operations: []*idem.Operation{op}}, nil, idem.Options{})
	for _, part := range []string{"store is nil", "resolver is nil", "Keyspace", "Retention", "Scope[0]"} {
		assert.ErrorContains(t, err, part)
	}
}
