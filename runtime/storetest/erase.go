package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func eraseCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"erase ends where a value ends", eraseBorders[Tx]},
		{"erase takes values as they are", eraseCharacters[Tx]},
		{"erase goes by the leading values", eraseSeveral[Tx]},
		{"erase without a value refuses", eraseNothing[Tx]},
	}
}

func eraseLeaseCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"erase keeps what is in flight or unknown, and counts it", eraseKeeps[Tx]},
		{"erase takes phases along", erasePhases[Tx]},
	}
}

func (f *fixture[Tx]) erase(t *testing.T, scope ...string) (erased, kept int) {
	t.Helper()
	err := again(f.ctx, func() (err error) {
		erased, kept, err = f.store.(idem.Eraser).Erase(f.ctx, scope...)
		return err
	})
	require.NoError(t, err)
	return erased, kept
}

// record completes a record of key in scope.
func (f *fixture[Tx]) record(t *testing.T, scope, key string) {
	t.Helper()
	c := newClaim(key)
	c.Scope = scope
	f.complete(t, f.hold(t, c), completed("{}"))
}

// remaining gives those scopes that still have a record of key.
func (f *fixture[Tx]) remaining(t *testing.T, key string, scopes []string) (left []string) {
	t.Helper()
	for _, scope := range scopes {
		c := newClaim(key)
		c.Scope = scope
		if f.lookup(t, c).State != idem.StateAbsent {
			left = append(left, scope)
		}
	}
	return left
}

func eraseBorders[Tx any](t *testing.T, f *fixture[Tx]) {
	scopes := []string{
		`["acme"]`, `["acme","ann"]`, `["acme","ann","x"]`,
		`["acmeville"]`, `["acm"]`, `["Acme"]`, `["acme "]`, `["x","acme"]`, `["acme\""]`, `["acme\",\"ann"]`, `[""]`, `["","acme"]`,
	}
	for _, scope := range scopes {
		f.record(t, scope, "k")
	}
	f.record(t, `["acme"]`, "other key")
	erased, kept := f.erase(t, "acme")
	assert.Equal(t, 4, erased)
	assert.Zero(t, kept)
	assert.Equal(t, scopes[3:], f.remaining(t, "k", scopes))
	erased, _ = f.erase(t, "acme")
	assert.Zero(t, erased)
	f.record(t, `["acme"]`, "k")
	erased, _ = f.erase(t, "")
	assert.Equal(t, 2, erased, "the empty value is a value")
	f.record(t, `["initech"]`, "k") // the store works on
}

func eraseCharacters[Tx any](t *testing.T, f *fixture[Tx]) {
	values := map[string]string{ // a value and its scope, spelled as RFC 8785 has it
		`a"b`: `["a\"b"]`, `a\b`: `["a\\b"]`, "a_b": `["a_b"]`, "a%": `["a%"]`, "é": `["é"]`, "𝄞": `["𝄞"]`, "<&>": `["<&>"]`,
		"a\nb": `["a\nb"]`, "\x01": `["\u0001"]`, "\x00": `["\u0000"]`, "\u2028": "[\"\u2028\"]", "\x7f": "[\"\x7f\"]", "a'b": `["a'b"]`,
		"axb": `["axb"]`, "ab": `["ab"]`, "[": `["["]`, "]": `["]"]`, ",": `[","]`,
	}
	var scopes []string
	for _, scope := range values {
		scopes = append(scopes, scope)
		f.record(t, scope, "k")
	}
	for value, scope := range values {
		erased, kept := f.erase(t, value)
		assert.Equal(t, [2]int{1, 0}, [2]int{erased, kept}, "%q", value)
		assert.NotContains(t, f.remaining(t, "k", scopes), scope, "%q", value)
	}
	assert.Empty(t, f.remaining(t, "k", scopes))
}

func eraseSeveral[Tx any](t *testing.T, f *fixture[Tx]) {
	scopes := []string{`["acme","ann"]`, `["acme","ann","x"]`, `["acme","anna"]`, `["acme"]`, `["ann"]`, `["ann","acme"]`}
	for _, scope := range scopes {
		f.record(t, scope, "k")
	}
	erased, _ := f.erase(t, "acme", "ann")
	assert.Equal(t, 2, erased)
	assert.Equal(t, scopes[2:], f.remaining(t, "k", scopes))
}

func eraseNothing[Tx any](t *testing.T, f *fixture[Tx]) {
	f.record(t, `["acme"]`, "k")
	_, _, err := f.store.(idem.Eraser).Erase(f.ctx)
	require.Error(t, err)
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	_, _, err = f.store.(idem.Eraser).Erase(ctx, "acme")
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, idem.StateCompleted, f.lookup(t, newClaim("k")).State)
}

func eraseKeeps[Tx any](t *testing.T, f *fixture[Tx]) {
	end := func(state idem.State) idem.LeaseRef {
		l := f.lease(t, newLease(fmt.Sprint(state)))
		f.settle(t, l, idem.Completion{State: state})
		return l
	}
	gone := []idem.LeaseRef{end(idem.StateCompleted), end(idem.StateFailedReplayable), end(idem.StateFailedRetryable)}
	over, unknown := end(idem.StateInFlight), end(idem.StateUnknown)
	alive := f.lease(t, newLease("alive"))
	elsewhere := newLease("elsewhere")
	elsewhere.Scope = `["initech"]`
	f.lease(t, elsewhere)

	erased, kept := f.erase(t, "acme")
	assert.Equal(t, [2]int{3, 3}, [2]int{erased, kept})
	for _, l := range gone {
		f.requireState(t, idem.StateAbsent, l)
	}
	f.requireState(t, idem.StateUnknown, unknown)
	f.settle(t, alive, completed("{}"))
	f.takeOver(t, over)
	erased, kept = f.erase(t, "acme")
	assert.Equal(t, [2]int{1, 2}, [2]int{erased, kept})
	f.clock.advance(1000 * time.Hour)
	erased, kept = f.erase(t, "acme")
	assert.Equal(t, [2]int{0, 2}, [2]int{erased, kept}, "neither retention nor a lease's end makes an outcome of them")
}

func erasePhases[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newLease("k")
	l := f.lease(t, c)
	f.phase(t, l, phase{name: "a"})
	f.settle(t, l, completed("{}"))
	erased, _ := f.erase(t, "acme")
	require.Equal(t, 1, erased)
	f.requireNoPhases(t, c)
}
