package main

import (
	"context"
	"time"
)

// burst is how many operations run between two readings of the clocks of CPU time.
const burst = 25

// cpu compares how much CPU time two operations take, here and in the process of the session, which is the only one of s.
func cpu(s side, floor, run operation) func(context.Context, figure, time.Duration) (float64, error) {
	return func(ctx context.Context, _ figure, d time.Duration) (float64, error) {
		var pid uint32
		if err := s.pool.QueryRow(ctx, "select pg_backend_pid()").Scan(&pid); err != nil {
			return 0, err
		}
		var used [2]time.Duration
		for end, round := time.Now().Add(d), 0; time.Now().Before(end) || round < 4; round++ {
			which := round % 2
			before, err := cpuTime(pid)
			if err != nil {
				return 0, err
			}
			for range burst {
				if err := []operation{floor, run}[which](ctx); err != nil {
					return 0, err
				}
			}
			after, err := cpuTime(pid)
			if err != nil {
				return 0, err
			}
			if round >= 2 {
				used[which] += after - before
			}
		}
		return float64(used[1]) / float64(used[0]), nil
	}
}
