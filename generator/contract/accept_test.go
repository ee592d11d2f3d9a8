package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
)

func TestAcceptedChangesStayInTheLock(t *testing.T) {
	user := func(op *openapi.Operation) { op.Annotation.Scope.Value.Now = []openapi.ScopeTerm{{Dimension: "user"}} }
	first, found := Build(document(payment()), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	released, _ := ParseLock(EncodeLock(first), "lock")

	build := func(opts Options, change func(*openapi.Operation)) (*API, []string, map[string]bool) {
		opts.Base, opts.Released, opts.Used = "payments", released, map[string]bool{}
		api, found := Build(document(payment(change)), opts)
		return api, errorsOf(found), opts.Used
	}
	_, errors, _ := build(Options{Lock: released}, user)
	require.Len(t, errors, 1)

	for _, name := range []string{"createPayment", "createPayment.scope"} {
		api, errors, used := build(Options{Lock: released, Accept: []string{name, "createPayment.key"}, Reason: "nobody retries: it's new"}, user)
		require.Empty(t, errors, name)
		assert.Equal(t, map[string]bool{name: true}, used)
		text := EncodeLock(api)
		assert.Contains(t, string(text), "    accepted:\n      - change: 'scope: [tenant] -> [user]'\n        reason: 'nobody retries: it''s new'\n")

		lock, found := ParseLock(text, "lock")
		require.Empty(t, found.All())
		again, errors, _ := build(Options{Lock: lock}, user)
		require.Empty(t, errors, "the lock remembers, though what is released is still the same")
		assert.Equal(t, text, EncodeLock(again))
		_, errors, _ = build(Options{Lock: lock}, func(op *openapi.Operation) { op.Annotation.Scope.Value.Now = []openapi.ScopeTerm{{Dimension: "shop"}} })
		assert.Len(t, errors, 1, "another change is not the accepted one")
	}
	_, errors, _ = build(Options{Lock: released, Accept: []string{"createPayment.key", "scope", "other"}, Reason: "x"}, user)
	assert.Len(t, errors, 1)
	_, errors, _ = build(Options{Lock: released}, func(*openapi.Operation) {})
	assert.Empty(t, errors)

	unreleased := &Lock{}
	_, found = Build(document(payment(user)), Options{Base: "payments", Lock: released, Released: unreleased})
	assert.Empty(t, errorsOf(found), "nobody has records of what was never released")
}

func TestReasons(t *testing.T) {
	for text, ok := range map[string]bool{"because": true, "": false, " x": false, "x ": false, "a\nb": false, "\t": false} {
		assert.Equal(t, ok, ValidReason(text), "%q", text)
	}
}
