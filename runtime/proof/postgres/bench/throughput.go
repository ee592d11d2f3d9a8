package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// slice is how long one of the two runs before the other one does.
const slice = 150 * time.Millisecond

// throughput compares how many operations all clients do in the same time.
func throughput(floor, run operation) func(context.Context, figure, time.Duration) (float64, error) {
	return func(ctx context.Context, f figure, d time.Duration) (float64, error) {
		var done [2]int
		var spent [2]time.Duration
		for end, round := time.Now().Add(d), 0; time.Now().Before(end) || round < 4; round++ {
			which := round % 2
			start := time.Now()
			n, err := rush(ctx, []operation{floor, run}[which], f.clients, start.Add(slice))
			if err != nil {
				return 0, err
			}
			if round < 2 {
				continue // connections and plans
			}
			done[which] += n
			spent[which] += time.Since(start)
		}
		rate := func(i int) float64 { return float64(done[i]) / spent[i].Seconds() }
		return rate(1) / rate(0), nil
	}
}

// rush lets all clients run an operation until end, and counts.
func rush(ctx context.Context, op operation, clients int, end time.Time) (int, error) {
	var done atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, clients)
	for i := range clients {
		all.Go(func() {
			for time.Now().Before(end) {
				if errs[i] = op(ctx); errs[i] != nil {
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	return int(done.Load()), errors.Join(errs...)
}
