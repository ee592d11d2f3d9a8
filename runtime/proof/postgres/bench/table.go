package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// figure is a line of the table: a ratio, and how good it has to be.
type figure struct {
	name    string
	clients int
	goal    float64
	fail    float64
	measure func(ctx context.Context, f figure, d time.Duration) (ratio float64, err error)
	// atLeast: more is better.
	atLeast bool
}

// verdict puts a ratio between goal and limit.
func (f figure) verdict(ratio float64) string {
	switch {
	case f.within(ratio, f.goal):
		return "goal met"
	case f.within(ratio, f.fail):
		return "over the goal"
	default:
		return "FAIL"
	}
}

func (f figure) within(ratio, limit float64) bool {
	if f.atLeast {
		return ratio >= limit
	}
	return ratio <= limit
}

const nameWidth = 52

// printTable measures each figure in about d and prints it. passed: none is past its limit.
func printTable(ctx context.Context, out io.Writer, figures []figure, d time.Duration) (passed bool, err error) {
	passed = true
	fmt.Fprintf(out, "| %-*s | clients | ratio |   goal |   fail | verdict       |\n", nameWidth, "fsync on")
	fmt.Fprintf(out, "| %s | ------: | ----: | -----: | -----: | ------------- |\n", strings.Repeat("-", nameWidth))
	for _, f := range figures {
		ratio, err := f.measure(ctx, f, d)
		if err != nil {
			return false, fmt.Errorf("%s, %d clients: %w", f.name, f.clients, err)
		}
		passed = passed && f.within(ratio, f.fail)
		sign := "≤"
		if f.atLeast {
			sign = "≥"
		}
		fmt.Fprintf(out, "| %-*s | %7d | %5.2f | %s %4.2f | %s %4.2f | %-13s |\n", nameWidth, f.name, f.clients, ratio, sign, f.goal, sign, f.fail, f.verdict(ratio))
	}
	return passed, nil
}
