package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table has a line for each comparison. Ratios are not asserted: a second on a busy machine says nothing.
func TestRunPrintsEveryComparison(t *testing.T) {
	var out strings.Builder
	_, err := run(&out, time.Second)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2+9)
	for _, line := range lines {
		assert.Equal(t, 7, strings.Count(line, "|"), line)
		assert.Len(t, []rune(line), len([]rune(lines[0])), line)
	}
}

func TestRatioIsThatOfTheMedians(t *testing.T) {
	sleep := func(d time.Duration) operation {
		return func(context.Context) error { time.Sleep(d); return nil }
	}
	c := comparison{name: "sleep", clients: 2, floor: sleep(4 * time.Millisecond), run: sleep(16 * time.Millisecond), goal: 1.5, fail: 2}
	r, err := c.measure(t.Context(), 400*time.Millisecond)
	require.NoError(t, err)
	assert.InDelta(t, 4, r.ratio, 1.5)
	assert.Equal(t, "FAIL", r.verdict())
	assert.Equal(t, "over the goal", row{comparison: c, ratio: 1.6}.verdict())
	assert.Equal(t, "goal met", row{comparison: c, ratio: 1.5}.verdict())

	c.run = func(context.Context) error { return errors.New("broken") }
	_, err = c.measure(t.Context(), 50*time.Millisecond)
	require.ErrorContains(t, err, "broken")
}
