package storetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Ability is what a store may lack. Run skips the cases of those that it is told of, visibly, and fails when they are there.
type Ability string

// The optional interfaces of a store.
const (
	Leasing   Ability = "idem.LeaseStore"
	Sweeping  Ability = "idem.Sweeper"
	Erasing   Ability = "idem.Eraser"
	Resolving Ability = "idem.Resolver"
)

// The parts of claims and completions that came after the first stores. An engine takes them for granted.
const (
	BusinessKeys Ability = "business keys"
	SecondScopes Ability = "second scopes"
	Tombstones   Ability = "tombstones"
)

// ConcurrentTransactions are several transactions that are open at once, and write. A database with one writer lacks them: what a case
// does beside an open transaction is left out there.
const ConcurrentTransactions Ability = "concurrent transactions"

// requireAbilities holds a store to what it says of itself, so that no case is skipped by mistake.
func requireAbilities[Tx any](t *testing.T, store idem.Store[Tx], lacks []Ability) {
	t.Helper()
	found := map[Ability]bool{}
	_, found[Leasing] = store.(idem.LeaseStore[Tx])
	_, found[Sweeping] = store.(idem.Sweeper)
	_, found[Erasing] = store.(idem.Eraser)
	_, found[Resolving] = store.(idem.Resolver)
	for ability, there := range found {
		require.NotEqual(t, there, slices.Contains(lacks, ability), "%s: there %t; what a store lacks has to be said to Run, and nothing else", ability, there)
	}
	for _, ability := range lacks {
		_, optional := found[ability]
		require.True(t, optional || slices.Contains([]Ability{BusinessKeys, SecondScopes, Tombstones, ConcurrentTransactions}, ability), "%q is no ability", ability)
	}
}

// can reports whether the store has an ability.
func (f *fixture[Tx]) can(a Ability) bool { return !slices.Contains(f.lacks, a) }

// need skips a case whose point is an ability that the store lacks.
func (f *fixture[Tx]) need(t *testing.T, a Ability) {
	t.Helper()
	if !f.can(a) {
		t.Skipf("the store is said to lack %s", a)
	}
}

// lacking gives the first of needs that the store lacks.
func lacking(needs, lacks []Ability) (Ability, bool) {
	i := slices.IndexFunc(needs, func(a Ability) bool { return slices.Contains(lacks, a) })
	if i < 0 {
		return "", false
	}
	return needs[i], true
}
