package simulation

import (
	"context"
	"flag"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

var worlds = flag.Int("worlds", 100, "how many worlds are simulated")

// liveIn lets a world be in simulated time.
func liveIn(t *testing.T, seed uint64, c Control, seen *counts) (violations []string) {
	synctest.Test(t, func(*testing.T) { violations = live(context.Background(), seed, c, seen) })
	return violations
}

func TestWorlds(t *testing.T) {
	seen := &counts{of: map[string]int{}}
	if testing.Short() {
		*worlds = min(*worlds, 20)
	}
	for seed := range *worlds {
		violations := liveIn(t, uint64(seed), nil, seen)
		if !assert.Empty(t, violations, "world %d", seed) {
			return
		}
	}
	t.Log(seen.of)
}

func TestControls(t *testing.T) {
	for name, c := range map[string]Control{"read then write": readThenWrite, "unfenced": newUnfenced, "forgetful": newForgetful} {
		t.Run(name, func(t *testing.T) {
			for seed := range *worlds {
				for _, v := range liveIn(t, uint64(seed), c, &counts{of: map[string]int{}}) {
					if strings.Contains(v, "effect: ") {
						t.Logf("world %d: %s", seed, v)
						return
					}
				}
			}
			t.Error("nothing wrong was found with a control")
		})
	}
}
