package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func scopesCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"record of two scopes is found under either", twoFound[Tx]},
		{"both scopes must be free", twoMustBeFree[Tx]},
		{"claim of two scopes is in flight under both", twoInFlight[Tx]},
		{"release frees both scopes", twoReleased[Tx]},
		{"failure is stored under both scopes", twoRolledBack[Tx]},
		{"record of two scopes expires under both", twoExpire[Tx]},
		{"business key beside two scopes", twoAndBusiness[Tx]},
	}
}

func scopesLeaseCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"lease of two scopes is one lease", twoLease[Tx]},
		{"lease of two scopes is settled under both", twoLeaseSettled[Tx]},
		{"takeover through either scope takes both", twoTakenOver[Tx]},
		{"record of two scopes is due once", twoDue[Tx]},
		{"record that stood under the scope from before is taken over alone", oneTakenOver[Tx]},
	}
}

const (
	scopeBefore = `["acme"]`
	scopeNow    = `["acme","ann"]`
)

// under gives c as the programs before, during and after a change of the scope claim it.
func under(c idem.Claim, before, now string) idem.Claim {
	c.Scope, c.Before = now, before
	if now == "" {
		c.Scope, c.Before = before, ""
	}
	return c
}

func twoScopes(c idem.Claim) idem.Claim { return under(c, scopeBefore, scopeNow) }

// programs are the claims of key by the programs that know the scope from before, both, and the new one.
func programs(make func(string) idem.Claim, key string) []idem.Claim {
	return []idem.Claim{under(make(key), scopeBefore, ""), twoScopes(make(key)), under(make(key), "", scopeNow)}
}

func twoFound[Tx any](t *testing.T, f *fixture[Tx]) {
	c := twoScopes(newClaim("k"))
	held := f.hold(t, c)
	f.write(t, held, "w")
	f.complete(t, held, completed("{}"))
	want := idem.Prior{
		State: idem.StateCompleted, Operation: c.Operation, RecordID: c.RecordID, Token: c.Token, Attempt: 1,
		Fingerprints: c.Fingerprints, Fields: c.Fields, Response: completed("{}").Response,
		Scope: scopeNow, Keyspace: c.Keyspace, Key: "k", Before: scopeBefore,
	}
	for _, claim := range programs(newClaim, "k") {
		assert.Equal(t, want, f.find(t, claim))
		assert.Equal(t, want, f.lookup(t, claim))
	}
	f.requireEffects(t, 1, "w")
	f.requireFree(t, under(newClaim("k"), "", `["acme","bob"]`))
}

func twoMustBeFree[Tx any](t *testing.T, f *fixture[Tx]) {
	f.complete(t, f.hold(t, under(newClaim("old"), scopeBefore, "")), completed("old"))
	p := f.find(t, twoScopes(newClaim("old")))
	assert.Equal(t, "old", string(p.Response.Body))
	assert.Equal(t, [2]string{scopeBefore, ""}, [2]string{p.Scope, p.Before})
	f.requireFree(t, under(newClaim("old"), "", scopeNow))

	f.complete(t, f.hold(t, under(newClaim("new"), "", scopeNow)), completed("new"))
	p = f.find(t, twoScopes(newClaim("new")))
	assert.Equal(t, "new", string(p.Response.Body))
	assert.Equal(t, [2]string{scopeNow, ""}, [2]string{p.Scope, p.Before})
	f.requireFree(t, under(newClaim("new"), scopeBefore, ""))

	// Two callers who were one bucket before still are: the same key of another user is found.
	f.complete(t, f.hold(t, twoScopes(newClaim("bucket"))), completed("ann's"))
	assert.Equal(t, "ann's", string(f.find(t, under(newClaim("bucket"), scopeBefore, `["acme","bob"]`)).Response.Body))
}

func twoInFlight[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, twoScopes(newClaim("k")))
	for _, c := range programs(newClaim, "k") {
		assert.Equal(t, idem.StateInFlight, f.find(t, c).State, c.Scope)
	}
	f.complete(t, held, completed("{}"))

	for _, holder := range []idem.Claim{under(newClaim("other"), scopeBefore, ""), under(newClaim("other"), "", scopeNow)} {
		held = f.hold(t, holder)
		assert.Equal(t, idem.StateInFlight, f.find(t, twoScopes(newClaim("other"))).State, holder.Scope)
		f.release(t, held)
	}
	f.requireFree(t, twoScopes(newClaim("other")))
}

func twoReleased[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, twoScopes(newClaim("k")))
	f.write(t, held, "w")
	f.release(t, held)
	f.requireEffects(t, 0, "w")
	for _, c := range programs(newClaim, "k") {
		f.requireFree(t, c)
	}
}

func twoRolledBack[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, twoScopes(newClaim("k")))
	f.write(t, held, "w")
	done := failed(422)
	done.RollBackWrites = true
	f.complete(t, held, done)
	f.requireEffects(t, 0, "w")
	for _, c := range programs(newClaim, "k") {
		assert.Equal(t, 422, f.find(t, c).Response.Status)
	}
}

func twoExpire[Tx any](t *testing.T, f *fixture[Tx]) {
	for i, again := range programs(newClaim, "") {
		c := twoScopes(shorter(fmt.Sprint("key ", i), time.Minute))
		f.complete(t, f.hold(t, c), completed("old"))
		f.clock.advance(time.Minute - time.Millisecond)
		again.Key = c.Key
		assert.Equal(t, "old", string(f.find(t, again).Response.Body))
		f.clock.advance(time.Millisecond)
		for _, program := range programs(newClaim, c.Key) {
			assert.Equal(t, idem.StateAbsent, f.lookup(t, program).State)
		}
		f.release(t, f.hold(t, again)) // the old record does not come back under either scope
		for _, program := range programs(newClaim, c.Key) {
			f.requireFree(t, program)
		}
		f.complete(t, f.hold(t, again), completed("new"))
		assert.Equal(t, "new", string(f.find(t, twoScopes(newClaim(c.Key))).Response.Body))
	}
}

func twoAndBusiness[Tx any](t *testing.T, f *fixture[Tx]) {
	f.complete(t, f.hold(t, twoScopes(about("first", "order 1"))), completed("{}"))
	p := f.find(t, twoScopes(about("second", "order 1")))
	assert.True(t, p.Business)
	assert.Equal(t, [3]string{scopeNow, scopeBefore, "first"}, [3]string{p.Scope, p.Before, p.Key})
	for _, c := range programs(newClaim, "second") {
		f.requireFree(t, c)
	}
	assert.False(t, f.find(t, under(about("first", "order 1"), scopeBefore, "")).Business, "found by its key")

	// The programs before, during and after the change make one thing once. The first and the last never run side by side.
	for i := range 3 {
		made := func(key string) idem.Claim { return about(key, fmt.Sprint("made by program ", i)) }
		first := programs(made, fmt.Sprint("of program ", i))[i]
		f.complete(t, f.hold(t, first), completed("{}"))
		for j, second := range programs(made, "another") {
			if i == 1 || j == 1 || i == j {
				p := f.find(t, second)
				assert.True(t, p.Business, "program %d after program %d", j, i)
				assert.Equal(t, first.Key, p.Key)
			}
		}
	}
}

func twoLease[Tx any](t *testing.T, f *fixture[Tx]) {
	c := twoScopes(newLease("k"))
	l := f.lease(t, c)
	again, err := f.tryLease(f.ctx, c)
	require.NoError(t, err)
	assert.Equal(t, idem.StateAbsent, again.State, "own token")
	f.clock.advance(leaseTime - time.Second)
	require.Empty(t, f.extend(t, l))
	for _, program := range programs(newLease, "k") {
		p := f.findLeased(t, program)
		assert.Equal(t, idem.StateInFlight, p.State)
		assert.Equal(t, c.Token, p.Token)
		assert.Equal(t, c.RecordID, p.RecordID)
		assert.Equal(t, leaseTime, p.LeaseLeft)
		assert.Equal(t, [2]string{scopeNow, scopeBefore}, [2]string{p.Scope, p.Before})
		assert.Equal(t, p, f.lookup(t, program))
	}
}

func twoLeaseSettled[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, end := range []idem.Completion{
		completed("done"), failed(422), {State: idem.StateFailedRetryable}, {State: idem.StateUnknown}, {State: idem.StateInFlight, Delay: time.Hour},
	} {
		c := twoScopes(newLease(fmt.Sprint(end.State)))
		end.Retention = 2 * retention
		f.settle(t, f.lease(t, c), end)
		for _, program := range programs(newLease, c.Key) {
			p := f.findLeased(t, program)
			assert.Equal(t, end.State, p.State)
			assert.Equal(t, end.Response.Status, p.Response.Status)
			assert.Equal(t, end.Delay, p.LeaseLeft)
		}
	}
	f.clock.advance(retention)
	for _, program := range programs(newLease, fmt.Sprint(idem.StateCompleted)) {
		assert.Equal(t, idem.StateCompleted, f.lookup(t, program).State, "the retention of a late completion, under both")
	}
	l := f.lease(t, twoScopes(newLease("last phase")))
	done := completed("last")
	f.phase(t, l, phase{name: "a"})
	f.phase(t, l, phase{name: "last", outcome: &done})
	for _, program := range programs(newLease, "last phase") {
		assert.Equal(t, "last", string(f.findLeased(t, program).Response.Body))
	}
}

func twoTakenOver[Tx any](t *testing.T, f *fixture[Tx]) {
	for i := range 3 {
		key := fmt.Sprint("key ", i)
		first := f.lease(t, twoScopes(newLease(key)))
		f.phase(t, first, phase{name: "a"})
		f.clock.advance(leaseTime)
		found := f.findLeased(t, programs(newLease, key)[i]) // as this program finds it, it takes it over
		second, p := f.takeOver(t, leaseOn(found))
		assert.Equal(t, [2]string{scopeNow, scopeBefore}, [2]string{p.Scope, p.Before})
		assert.Len(t, p.Phases, 1)
		assert.Equal(t, 2, p.Attempt)
		f.requireFenced(t, first)
		for _, program := range programs(newLease, key) {
			p := f.findLeased(t, program)
			assert.Equal(t, second.Token, p.Token)
			assert.Equal(t, 2, p.Attempt)
			assert.Equal(t, leaseTime, p.LeaseLeft)
		}
		f.settle(t, second, completed("second"))
		for _, program := range programs(newLease, key) {
			assert.Equal(t, "second", string(f.findLeased(t, program).Response.Body))
		}
	}
}

func twoDue[Tx any](t *testing.T, f *fixture[Tx]) {
	f.lease(t, twoScopes(newLease("two")))
	f.lease(t, newLease("one"))
	f.clock.advance(leaseTime)
	taken := f.due(t, 9, "createPayment")
	require.Len(t, taken, 2)
	assert.Empty(t, f.due(t, 9, "createPayment"))
	for _, p := range taken {
		before := ""
		if p.Key == "two" {
			before = scopeBefore
			assert.Equal(t, scopeNow, p.Scope)
		}
		assert.Equal(t, before, p.Before)
		f.settle(t, leaseOn(p), completed("{}"))
	}
	for _, program := range programs(newLease, "two") {
		assert.Equal(t, idem.StateCompleted, f.findLeased(t, program).State)
	}
}

// oneTakenOver: the new program finds a record of the old one, which knows one scope.
func oneTakenOver[Tx any](t *testing.T, f *fixture[Tx]) {
	f.lease(t, under(newLease("k"), scopeBefore, ""))
	f.clock.advance(leaseTime)
	found := f.findLeased(t, twoScopes(newLease("k")))
	assert.Equal(t, [2]string{scopeBefore, ""}, [2]string{found.Scope, found.Before})
	second, p := f.takeOver(t, leaseOn(found))
	assert.Empty(t, p.Before)
	require.Empty(t, f.extend(t, second))
	f.settle(t, second, completed("{}"))
	assert.Equal(t, idem.StateCompleted, f.findLeased(t, twoScopes(newLease("k"))).State)
	assert.Equal(t, idem.StateAbsent, f.lookup(t, under(newLease("k"), "", scopeNow)).State)
}
