package idem_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// Programs of a change of scope, from [tenant] to [tenant, user].
var (
	tenantPart, userPart = idem.ScopePart{Dimension: 0}, idem.ScopePart{Dimension: 1}

	oldScope  = func(op *idem.Operation) { op.Scope = []idem.ScopePart{tenantPart} }
	bothScope = func(op *idem.Operation) {
		op.Scope, op.Before = []idem.ScopePart{tenantPart, userPart}, []idem.ScopePart{tenantPart}
	}
	newScope = func(op *idem.Operation) { op.Scope = []idem.ScopePart{tenantPart, userPart} }
)

type userKey struct{}

// scoped is one of them on a store that it shares with the others.
func scoped(t *testing.T, f *fixture, change func(*idem.Operation), h paymentHandler, opts idem.Options) http.Handler {
	t.Helper()
	op := createPayment()
	op.Wait = f.op.Wait
	change(op)
	contract := idem.Contract{BasePath: "/v1", Dimensions: []string{"tenant", "user"}, Operations: []*idem.Operation{op}}
	opts.Observer = f.events
	engine, err := idem.NewEngine(f.store, contract, func(ctx context.Context) ([]string, error) {
		user, _ := ctx.Value(userKey{}).(string)
		tenant, err := tenantScope(ctx)
		return append(tenant, user), err
	}, opts)
	require.NoError(t, err)
	next := authenticated(idem.Handle(engine, op, decodePayment, h))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, r.Header.Get("X-User"))))
	})
}

func of(user, key string) call { return call{key: key, header: http.Header{"X-User": {user}}} }

// Whichever program had a key first, the next one knows it: forward, back, and when the old scope is left out.
func TestChangeOfScopeKeepsItsRecords(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		var opts idem.Options
		if sealed {
			opts.Sealer = sealer(t)
		}
		for name, c := range map[string]struct {
			first, second func(*idem.Operation)
			known         bool
		}{
			"forward":             {oldScope, bothScope, true},
			"back":                {bothScope, oldScope, true},
			"side by side":        {bothScope, bothScope, true},
			"the end":             {bothScope, newScope, true},
			"and before it":       {newScope, bothScope, true},
			"changed all at once": {oldScope, newScope, false},
		} {
			t.Run(fmt.Sprint(name, " ", sealed), func(t *testing.T) {
				f := newFixture(t)
				runs := 0
				first, second := scoped(t, f, c.first, f.pay(&runs), opts), scoped(t, f, c.second, f.pay(&runs), opts)
				require.Equal(t, 201, send(first, of("ann", "k")).status)
				again := send(second, of("ann", "k"))
				assert.Equal(t, 201, again.status, again.body)
				assert.Equal(t, c.known, again.replayed())
				if c.known {
					other := of("ann", "k")
					other.body = `{"amount":"11","currency":"EUR"}`
					assert.Equal(t, idem.CodeMismatch, send(second, other).code())
					assert.Equal(t, 1, runs)
				}
			})
		}
	}
}

// As long as both scopes hold, a key is a tenant's, as it was.
func TestKeyOfTheOldScopeIsSharedUntilItGoes(t *testing.T) {
	f := newFixture(t)
	runs := 0
	both := scoped(t, f, bothScope, f.pay(&runs), idem.Options{})
	require.Equal(t, 201, send(both, of("ann", "k")).status)
	assert.True(t, send(both, of("bob", "k")).replayed())
	after := scoped(t, f, newScope, f.pay(&runs), idem.Options{})
	assert.False(t, send(after, of("bob", "k")).replayed())
	assert.Equal(t, 2, runs)
}

func TestReleaseFreesBothScopes(t *testing.T) {
	f := newFixture(t)
	runs := 0
	fails := func(ctx, *execution, paymentCommand) (idem.Response, error) { return idem.Response{}, assert.AnError }
	require.Equal(t, 500, send(scoped(t, f, bothScope, fails, idem.Options{}), of("ann", "k")).status)
	for _, scope := range []func(*idem.Operation){oldScope, newScope} {
		assert.False(t, send(scoped(t, f, scope, f.pay(&runs), idem.Options{}), of("ann", "k")).replayed())
	}
	assert.Equal(t, 2, runs)
}

// An old and a new program side by side: a key runs in one of them.
func TestSimultaneousDuplicatesAcrossAChangeOfScope(t *testing.T) {
	for range 5 {
		f := newFixture(t)
		var runs atomic.Int32
		pay := func(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
			f.ledger.write(ex, "paid")
			return idem.Response{Status: 201, Body: fmt.Appendf(nil, "%d", runs.Add(1))}, nil
		}
		programs := []http.Handler{
			scoped(t, f, oldScope, pay, idem.Options{}), scoped(t, f, bothScope, pay, idem.Options{}), scoped(t, f, bothScope, pay, idem.Options{}),
		}
		var all sync.WaitGroup
		for i := range 60 {
			all.Go(func() {
				switch a := send(programs[i%3], of("ann", "k")); a.status {
				case 201:
					assert.Equal(t, "1", a.body)
				case 409:
				default:
					t.Errorf("status %d: %s", a.status, a.body)
				}
			})
		}
		all.Wait()
		assert.Len(t, f.ledger.all(), 1)
	}
}

// The map of running keys knows the old scope too: another user's request does not reach the store.
func TestKeyOfTheOldScopeThatRunsIsKnownInTheProcess(t *testing.T) {
	store := &counted{Store: memstore.New()}
	f := newFixture(t, func(f *fixture, _ *idem.Options) { f.store = store })
	s := newStage(f)
	both := scoped(t, f, bothScope, s.handle, idem.Options{})
	first := follow(both, 1, of("ann", "k"))
	soon(t, s.begun)
	assert.Equal(t, 409, send(both, of("bob", "k")).status)
	assert.EqualValues(t, 1, store.claims.Load())
	s.end <- made
	assert.Equal(t, 201, soon(t, first).status)
}

func TestWaitAcrossAChangeOfScope(t *testing.T) {
	f := newFixture(t, waiting(long))
	s := newStage(f)
	old, both := scoped(t, f, oldScope, s.handle, idem.Options{}), scoped(t, f, bothScope, s.handle, idem.Options{})
	first := follow(old, 1, of("ann", "k"))
	soon(t, s.begun)
	second := follow(both, 1, of("ann", "k"))
	s.end <- made
	assert.Equal(t, 201, soon(t, first).status)
	assert.True(t, soon(t, second).replayed())
}

// A request that today's contract refuses is looked up under both scopes.
func TestRefusedRequestIsLookedUpUnderBothScopes(t *testing.T) {
	unknownMember := of("ann", "k")
	unknownMember.body = `{"amount":"10","note":"version 1 ignored it"}`
	for name, first := range map[string]func(*idem.Operation){"old": oldScope, "new": bothScope} {
		f := newFixture(t)
		runs := 0
		earlier := scoped(t, f, func(op *idem.Operation) {
			first(op)
			op.Versions = []idem.Version{paymentV1}
		}, f.pay(&runs), idem.Options{})
		require.Equal(t, 201, send(earlier, unknownMember).status, name)
		now := scoped(t, f, bothScope, f.pay(&runs), idem.Options{})
		assert.True(t, send(now, unknownMember).replayed(), name)
		fresh := unknownMember
		fresh.key = "l"
		assert.Equal(t, idem.CodeRequestMalformed, send(now, fresh).code(), name)
		assert.Equal(t, 1, runs)
	}
}

// Two scopes of one length can have the same values; that is one place, not two that stand in each other's way.
func TestScopesThatAreOneForSomeCaller(t *testing.T) {
	store := &glass{Store: memstore.New()}
	f := newFixture(t, func(f *fixture, _ *idem.Options) { f.store = store })
	runs := 0
	h := scoped(t, f, func(op *idem.Operation) {
		op.Scope, op.Before = []idem.ScopePart{userPart}, []idem.ScopePart{tenantPart}
	}, f.pay(&runs), idem.Options{})
	require.Equal(t, 201, send(h, of("acme", "k")).status)
	assert.True(t, send(h, of("acme", "k")).replayed())
	assert.Equal(t, 1, runs)
	assert.Empty(t, store.claim.Before)
	send(h, of("ann", "l"))
	assert.Equal(t, `["acme"]`, store.claim.Before)
}

func TestScopesOfARequestAreBothNeeded(t *testing.T) {
	f := newFixture(t)
	account := idem.ScopePart{Dimension: -1, From: idem.RequestPart{In: idem.KeyInHeader, Name: "X-Account", As: canon.Exact}}
	h := scoped(t, f, func(op *idem.Operation) {
		op.Scope, op.Before = []idem.ScopePart{tenantPart}, []idem.ScopePart{tenantPart, account}
	}, f.pay(new(int)), idem.Options{})
	assert.Equal(t, 400, send(h, of("ann", "k")).status)
	noUser := scoped(t, f, func(op *idem.Operation) {
		op.Scope, op.Before = []idem.ScopePart{tenantPart}, []idem.ScopePart{userPart}
	}, f.pay(new(int)), idem.Options{})
	assert.Equal(t, idem.CodeScopeUnresolved, send(noUser, call{}).code())
}
