package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// operation is one variant of a measurement: what a client does again and again. It must leave nothing open.
type operation func(ctx context.Context) error

// comparison is an operation against its floor.
type comparison struct {
	name       string
	clients    int
	floor, run operation
	goal, fail float64
}

// row is a line of the table.
type row struct {
	comparison
	ratio float64
}

// verdict puts the ratio between goal and limit.
func (r row) verdict() string {
	switch {
	case r.ratio <= r.goal:
		return "goal met"
	case r.ratio <= r.fail:
		return "over the goal"
	default:
		return "FAIL"
	}
}

// warmUp is the share of the time that is not counted: connections, plans, pages.
const warmUp = 0.1

// measure runs both operations in turn in every client for d.
func (c comparison) measure(ctx context.Context, d time.Duration) (row, error) {
	start := time.Now()
	counted := start.Add(time.Duration(float64(d) * warmUp))
	times := make([]samples, c.clients)
	errs := make([]error, c.clients)
	var all sync.WaitGroup
	for i := range c.clients {
		all.Go(func() { errs[i] = times[i].collect(ctx, c, counted, start.Add(d)) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return row{}, fmt.Errorf("%s, %d clients: %w", c.name, c.clients, err)
	}
	var floor, run []time.Duration
	for _, s := range times {
		floor, run = append(floor, s.floor...), append(run, s.run...)
	}
	if len(floor) == 0 {
		return row{}, fmt.Errorf("%s, %d clients: no operation ended in %s", c.name, c.clients, d)
	}
	return row{comparison: c, ratio: float64(median(run)) / float64(median(floor))}, nil
}

// samples are one client's times.
type samples struct{ floor, run []time.Duration }

// collect alternates which of the two comes first, because each finds the caches as the other left them.
func (s *samples) collect(ctx context.Context, c comparison, counted, end time.Time) error {
	for round := 0; time.Now().Before(end); round++ {
		pair := []operation{c.floor, c.run}
		if round%2 == 1 {
			slices.Reverse(pair)
		}
		var took [2]time.Duration
		for i, op := range pair {
			start := time.Now()
			if err := op(ctx); err != nil {
				return err
			}
			took[i] = time.Since(start)
		}
		if round%2 == 1 {
			took[0], took[1] = took[1], took[0]
		}
		if time.Now().After(counted) {
			s.floor, s.run = append(s.floor, took[0]), append(s.run, took[1])
		}
	}
	return nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
