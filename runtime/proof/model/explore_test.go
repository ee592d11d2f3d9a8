package model_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/proof/model"
)

// counter goes up by one or two to limit, from where nothing leads on.
func counter(limit int) model.System[int] {
	return model.System[int]{
		Steps: func(n int) (steps []model.Step[int]) {
			for _, by := range []int{1, 2} {
				if n+by <= limit {
					steps = append(steps, model.Step[int]{Name: fmt.Sprint("+", by), Next: n + by})
				}
			}
			return steps
		},
		Check:    func(int) error { return nil },
		CheckEnd: func(int) error { return nil },
	}
}

func TestExploreSeesEveryState(t *testing.T) {
	r, violation := counter(10).Explore()
	require.Nil(t, violation)
	assert.Equal(t, model.Result{States: 11, Steps: 19, Ends: 1}, r)
}

func TestExploreGivesTheShortestWay(t *testing.T) {
	sys := counter(10)
	sys.Check = func(n int) error {
		if n == 5 {
			return errors.New("five")
		}
		return nil
	}
	_, violation := sys.Explore()
	require.NotNil(t, violation)
	assert.Len(t, violation.Trace, 3)
	assert.Contains(t, violation.String(), "five, after\n   1. +")
}

func TestExploreChecksEnds(t *testing.T) {
	sys := counter(10)
	sys.CheckEnd = func(n int) error { return fmt.Errorf("end %d", n) }
	_, violation := sys.Explore()
	require.NotNil(t, violation)
	assert.Contains(t, violation.String(), "end 10")
}

func TestExploreFindsWhatIsStuck(t *testing.T) {
	sys := counter(10)
	up := sys.Steps
	sys.Steps = func(n int) []model.Step[int] {
		if n == 7 || n == -7 { // a circle that nothing leaves
			return []model.Step[int]{{Name: "turn", Next: -n}}
		}
		return up(n)
	}
	_, violation := sys.Explore()
	require.NotNil(t, violation)
	assert.Contains(t, violation.String(), "stuck")
}
