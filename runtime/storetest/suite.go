package storetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Effects are the writes that the suite makes and counts.
type Effects[Tx any] struct {
	// Write makes one write under name in tx. It must count from the moment tx commits, and never when tx does not.
	Write func(ctx context.Context, tx Tx, name string) error
	// Count gives the number of committed writes under name. tx is an open transaction that has written nothing.
	Count func(ctx context.Context, tx Tx, name string) (int, error)
}

const (
	retention   = time.Hour
	idleTimeout = time.Minute
	// lockTimeout is what the engine uses between processes.
	lockTimeout = 50 * time.Millisecond
	// patience bounds what should come at once, on a machine that is busy with something else.
	patience = 20 * time.Second
)

// NewStore makes an empty store. now takes the place of its clock; nil: the store has its own.
type NewStore[Tx any] func(t *testing.T, now func() time.Time) idem.Store[Tx]

// Run tries the store that newStore makes, which is called once for each case and may use t.Cleanup. lacks says which abilities
// the store does not have: their cases are skipped. A store that has one of those, or lacks another one, fails.
func Run[Tx any](t *testing.T, newStore NewStore[Tx], effects Effects[Tx], lacks ...Ability) {
	t.Helper()
	t.Run("the store has the abilities that it should", func(t *testing.T) { requireAbilities(t, newStore(t, nil), lacks) })
	for _, g := range groups[Tx]() {
		for _, c := range g.cases {
			t.Run(c.name, func(t *testing.T) {
				if ability, is := lacking(g.needs, lacks); is {
					t.Skipf("the store is said to lack %s", ability)
				}
				c.run(t, newFixture(t, newStore, effects, g.clock, lacks...))
			})
		}
	}
	runTraces(t, newStore, effects, lacks)
}

type testCase[Tx any] struct {
	name string
	run  func(*testing.T, *fixture[Tx])
}

// fixture is a store with what a case needs around it.
type fixture[Tx any] struct {
	ctx     context.Context
	store   idem.Store[Tx]
	effects Effects[Tx]
	clock   *clock // the store's, in groups with the testClock
	lacks   []Ability
}

func newFixture[Tx any](t *testing.T, newStore NewStore[Tx], effects Effects[Tx], c clocks, lacks ...Ability) *fixture[Tx] {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	t.Cleanup(cancel)
	f := &fixture[Tx]{ctx: ctx, effects: effects, lacks: lacks}
	if c == ownClock {
		f.store = newStore(t, nil)
		return f
	}
	f.clock = newClock()
	f.store = newStore(t, f.clock.now)
	return f
}

// newClaim asks for key with a token and a record id of its own.
func newClaim(key string) idem.Claim {
	return idem.Claim{
		Scope:        `["acme"]`,
		Keyspace:     "createPayment",
		Key:          key,
		Operation:    "createPayment",
		Token:        idem.NewUUID(),
		RecordID:     idem.NewUUID(),
		Fingerprints: []byte("fingerprints\x00\xff"),
		Fields:       []byte{0, 1, 2, 0xff},
		Retention:    retention,
		LockTimeout:  lockTimeout,
		IdleTimeout:  idleTimeout,
	}
}

// completed is the outcome of a handler that succeeded.
func completed(body string) idem.Completion {
	return idem.Completion{
		State:    idem.StateCompleted,
		Response: idem.Response{Status: 201, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body)},
	}
}

// try claims as the engine does: what could not be serialised is tried again.
func (f *fixture[Tx]) try(ctx context.Context, c idem.Claim) (idem.Held[Tx], idem.Prior, error) {
	for {
		held, prior, err := f.store.Claim(ctx, c)
		if errors.Is(err, idem.ErrSerialization) && ctx.Err() == nil {
			continue
		}
		return held, prior, err
	}
}

// hold claims a key that must be free.
func (f *fixture[Tx]) hold(t *testing.T, c idem.Claim) idem.Held[Tx] {
	t.Helper()
	held, prior, err := f.try(f.ctx, c)
	require.NoError(t, err)
	require.Equal(t, idem.StateAbsent, prior.State, "the key should be free")
	require.NotNil(t, held)
	t.Cleanup(func() { _ = held.Release(context.WithoutCancel(f.ctx)) }) // a case that fails must not block the next ones
	return held
}

// find claims a key that must be taken, and gives what stands there.
func (f *fixture[Tx]) find(t *testing.T, c idem.Claim) idem.Prior {
	t.Helper()
	held, prior, err := f.try(f.ctx, c)
	require.NoError(t, err)
	require.NotEqual(t, idem.StateAbsent, prior.State, "the key should be taken")
	require.True(t, held == nil, "a claim that found something must leave nothing open")
	return prior
}

// complete settles with an outcome that has to be stored.
func (f *fixture[Tx]) complete(t *testing.T, held idem.Held[Tx], c idem.Completion) {
	t.Helper()
	require.NoError(t, held.Complete(f.ctx, c))
}

func (f *fixture[Tx]) release(t *testing.T, held idem.Held[Tx]) {
	t.Helper()
	require.NoError(t, held.Release(f.ctx))
}

// tryWrite writes as a program does that tries again: a write that could not be serialised, as any statement in the strictest isolation,
// has not happened.
func (f *fixture[Tx]) tryWrite(ctx context.Context, tx Tx, name string) (written bool, err error) {
	err = f.effects.Write(ctx, tx, name)
	if s, ok := f.store.(idem.Serializer); ok && err != nil && s.NotSerialized(err) {
		return false, nil
	}
	return err == nil, err
}

func (f *fixture[Tx]) write(t *testing.T, held idem.Held[Tx], name string) {
	t.Helper()
	require.NoError(t, f.effects.Write(f.ctx, held.Tx(), name))
}

func (f *fixture[Tx]) lookup(t *testing.T, c idem.Claim) idem.Prior {
	t.Helper()
	prior, err := f.store.Lookup(f.ctx, c.Scope, c.Keyspace, c.Key)
	require.NoError(t, err)
	return prior
}

// requireEffects checks how many committed writes there are under each name.
func (f *fixture[Tx]) requireEffects(t *testing.T, want int, names ...string) {
	t.Helper()
	held, err := f.store.Begin(f.ctx, idem.BeginOptions{IdleTimeout: idleTimeout})
	require.NoError(t, err)
	got := map[string]int{}
	for _, name := range names {
		got[name], err = f.effects.Count(f.ctx, held.Tx(), name)
		require.NoError(t, err)
	}
	f.release(t, held)
	for _, name := range names {
		require.Equal(t, want, got[name], "committed writes under %q", name)
	}
}

// attempt runs f and gives its error; a panic is one too. Stores differ in how they refuse a use after settling.
func attempt(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}
