package storetest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func scopesRaceCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"old and new programs side by side have one effect", twoPrograms[Tx]},
		{"keys and business keys of old and new programs that cross end", twoCross[Tx]},
	}
}

func twoPrograms[Tx any](t *testing.T, f *fixture[Tx]) {
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			c := programs(newClaim, "k")[i%2]
			c.LockTimeout = patience
			_, err := f.runBriefly(c, i%5 != 0)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	_, err := f.runBriefly(twoScopes(newClaim("k")), true) // none of them, if none could be serialised
	require.NoError(t, err)
	f.requireEffects(t, 1, "k")
}

// twoCross: whatever order the programs come in, nobody waits for somebody who waits for him.
func twoCross[Tx any](t *testing.T, f *fixture[Tx]) {
	f.cross(t, func(client int, key, business string) idem.Claim {
		return programs(func(key string) idem.Claim { return about(key, business) }, key)[client%2]
	})
}
