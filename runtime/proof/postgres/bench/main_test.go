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

// The table has a line for each figure. Ratios are not asserted: a second on a busy machine says nothing.
func TestRunPrintsEveryFigure(t *testing.T) {
	var out strings.Builder
	_, err := run(&out, time.Second, 2000, "")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	figures := 17
	if cpuMeasured {
		figures += 2
	}
	require.Len(t, lines, 2+figures)
	for _, line := range lines {
		assert.Equal(t, 7, strings.Count(line, "|"), line)
		assert.Len(t, []rune(line), len([]rune(lines[0])), line)
	}
}

func sleep(d time.Duration) operation {
	return func(context.Context) error { time.Sleep(d); return nil }
}

func TestLatencyComparesMedians(t *testing.T) {
	f := figure{clients: 2, measure: latency(sleep(4*time.Millisecond), sleep(16*time.Millisecond))}
	ratio, err := f.measure(t.Context(), f, 400*time.Millisecond)
	require.NoError(t, err)
	assert.InDelta(t, 4, ratio, 1.5)
}

func TestThroughputComparesRates(t *testing.T) {
	f := figure{clients: 2, measure: throughput(sleep(4*time.Millisecond), sleep(16*time.Millisecond))}
	ratio, err := f.measure(t.Context(), f, 600*time.Millisecond)
	require.NoError(t, err)
	assert.InDelta(t, 0.25, ratio, 0.1)
}

func TestFailingOperationEndsTheMeasurement(t *testing.T) {
	broken := func(context.Context) error { return errors.New("broken") }
	for _, measure := range []func(context.Context, figure, time.Duration) (float64, error){
		latency(sleep(time.Millisecond), broken), throughput(sleep(time.Millisecond), broken),
	} {
		f := figure{clients: 2, measure: measure}
		_, err := f.measure(t.Context(), f, 50*time.Millisecond)
		require.ErrorContains(t, err, "broken")
	}
}

func TestVerdict(t *testing.T) {
	f := figure{goal: 1.5, fail: 2}
	assert.Equal(t, []string{"goal met", "over the goal", "FAIL"}, []string{f.verdict(1.5), f.verdict(1.6), f.verdict(2.1)})
	f = figure{goal: 0.6, fail: 0.5, atLeast: true}
	assert.Equal(t, []string{"goal met", "over the goal", "FAIL"}, []string{f.verdict(0.6), f.verdict(0.55), f.verdict(0.49)})
}

func TestQuantile(t *testing.T) {
	d := []time.Duration{5, 3, 1, 4, 2}
	assert.Equal(t, time.Duration(3), quantile(d, 0.5))
	assert.Equal(t, time.Duration(5), quantile(d, 0.99))
}
