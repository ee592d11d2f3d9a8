package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func scopesSweepCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{{"sweep takes both scopes of a record, and only its own", twoSwept[Tx]}}
}

func scopesEraseCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{{"erase by either scope takes the record, once", twoErased[Tx]}}
}

func scopesResolveCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{{"record of two scopes is stuck once, and is resolved and freed under both", twoResolved[Tx]}}
}

func twoSwept[Tx any](t *testing.T, f *fixture[Tx]) {
	for _, key := range []string{"swept", "replaced"} {
		f.complete(t, f.hold(t, twoScopes(shorter(key, time.Minute))), completed("old"))
	}
	f.clock.advance(time.Minute)
	f.complete(t, f.hold(t, under(newClaim("replaced"), scopeBefore, "")), completed("new")) // in one place of an expired record
	for f.sweep(t, 1) > 0 {
	}
	assert.Equal(t, "new", string(f.find(t, twoScopes(newClaim("replaced"))).Response.Body))
	for _, program := range programs(newClaim, "swept") {
		f.requireFree(t, program)
	}
	f.requireFree(t, under(newClaim("replaced"), "", scopeNow))
}

func twoErased[Tx any](t *testing.T, f *fixture[Tx]) {
	for i, by := range [][]string{{"old"}, {"new"}, {"new", "ann"}} {
		c := under(newClaim(fmt.Sprint("key ", i)), `["old"]`, `["new","ann"]`)
		f.complete(t, f.hold(t, c), completed("{}"))
		end := func() {}
		if f.can(ConcurrentTransactions) {
			running := f.hold(t, under(newClaim("elsewhere"), `["old elsewhere"]`, `["new elsewhere"]`))
			end = func() { f.release(t, running) }
		}
		erased, kept := f.erase(t, by...)
		end()
		assert.Equal(t, [2]int{1, 0}, [2]int{erased, kept}, "%q", by)
		f.requireFree(t, under(c, `["old"]`, ""))
		f.requireFree(t, under(c, "", `["new","ann"]`))
	}
}

func twoResolved[Tx any](t *testing.T, f *fixture[Tx]) {
	resolved, freed := f.lease(t, twoScopes(newLease("resolved"))), f.lease(t, twoScopes(newLease("freed")))
	f.settle(t, freed, idem.Completion{State: idem.StateUnknown})
	f.clock.advance(leaseTime)
	stuck := f.stuck(t, 9)
	require.Len(t, stuck, 2)
	for _, r := range stuck {
		assert.Equal(t, scopeNow, r.Scope)
	}
	r, err := f.resolver().Inspect(f.ctx, resolved.RecordID)
	require.NoError(t, err)
	assert.Equal(t, scopeNow, r.Scope)
	require.NoError(t, f.tryResolve(resolved.RecordID, completed("resolved")))
	require.NoError(t, f.tryFree(freed.RecordID))
	for _, program := range programs(newLease, "resolved") {
		assert.Equal(t, "resolved", string(f.findLeased(t, program).Response.Body))
	}
	for _, program := range programs(newLease, "freed") {
		assert.Equal(t, idem.StateAbsent, f.lookup(t, program).State)
	}
	f.lease(t, twoScopes(newLease("freed")))
}
