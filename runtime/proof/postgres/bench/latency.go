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

// warmUp is the share of the time that is not counted: connections, plans, pages.
const warmUp = 0.1

// latency compares the medians of how long two operations take. Every client runs both in turn.
func latency(floor, run operation) func(context.Context, figure, time.Duration) (float64, error) {
	return func(ctx context.Context, f figure, d time.Duration) (float64, error) {
		start := time.Now()
		counted := start.Add(time.Duration(float64(d) * warmUp))
		times := make([]samples, f.clients)
		errs := make([]error, f.clients)
		var all sync.WaitGroup
		for i := range f.clients {
			all.Go(func() { errs[i] = times[i].collect(ctx, [2]operation{floor, run}, counted, start.Add(d)) })
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			return 0, err
		}
		var both samples
		for _, s := range times {
			for i := range both {
				both[i] = append(both[i], s[i]...)
			}
		}
		if len(both[0]) == 0 {
			return 0, fmt.Errorf("no operation ended in %s", d)
		}
		return float64(quantile(both[1], 0.5)) / float64(quantile(both[0], 0.5)), nil
	}
}

// samples are times of the floor and of what is compared with it.
type samples [2][]time.Duration

// collect alternates which of the two comes first, because each finds the caches as the other left them.
func (s *samples) collect(ctx context.Context, ops [2]operation, counted, end time.Time) error {
	for round := 0; time.Now().Before(end); round++ {
		var took [2]time.Duration
		for i := range ops {
			which := (i + round) % 2
			start := time.Now()
			if err := ops[which](ctx); err != nil {
				return err
			}
			took[which] = time.Since(start)
		}
		if time.Now().After(counted) {
			for i := range s {
				s[i] = append(s[i], took[i])
			}
		}
	}
	return nil
}

// quantile gives the time below which a share of the others lies.
func quantile(d []time.Duration, share float64) time.Duration {
	slices.Sort(d)
	return d[min(int(float64(len(d))*share), len(d)-1)]
}
