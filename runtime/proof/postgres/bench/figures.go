package main

import (
	"context"
	"strconv"
)

const (
	// othersRecords are more than a process remembers, so that nearly none of them is.
	othersRecords = 200_000
	fewRecords    = 1000
)

// figures prepares everything and gives what is measured, in the order of the table. Goals and limits are those of the design.
func (b *bench) figures(ctx context.Context, many int) ([]figure, error) {
	var near, far, alone, shared, few, full side
	for _, s := range []struct {
		side    *side
		schema  string
		conns   int32
		far     bool
		records int // 0: the schema is there
	}{
		{&near, "bench", mostClients, false, min(othersRecords, many)}, {&far, "bench", mostClients, true, 0},
		{&alone, "bench", 1, false, 0}, {&shared, "bench", stormPool, false, 0},
		{&few, "few", 1, false, fewRecords}, {&full, "many", 1, false, many},
	} {
		delay := roundTrip
		if !s.far {
			delay = 0
		}
		var err error
		if *s.side, err = b.open(ctx, s.schema, s.conns, delay); err != nil {
			return nil, err
		}
		if s.records > 0 {
			if err := s.side.prepare(ctx, s.schema, s.records); err != nil {
				return nil, err
			}
		}
	}
	all := []figure{
		{name: "T, 1 ms away: p50 ÷ BEGIN; INSERT; COMMIT", clients: 8, goal: 1.05, fail: 1.3, measure: latency(far.floor, far.first)},
		{name: "T, loopback: p50", clients: 1, goal: 1.30, fail: 1.5, measure: latency(near.floor, near.first)},
		{name: "T, loopback: p50", clients: 8, goal: 1.20, fail: 1.5, measure: latency(near.floor, near.first)},
		{name: "T with queued writes, 1 ms away: p50", clients: 8, goal: 0.80, fail: 1.0, measure: latency(far.floor, far.queued)},
		{name: "T with queued writes, loopback: p50", clients: 1, goal: 1.20, fail: 1.5, measure: latency(near.floor, near.queued)},
		{name: "T, loopback: throughput", clients: 32, goal: 0.60, fail: 0.5, measure: throughput(near.floor, near.first), atLeast: true},
		{name: "T, loopback: p50 ÷ its two writes without protocol", clients: 1, goal: 1.1, fail: 1.25, measure: latency(near.writes, near.first)},
		{name: "T, loopback: p50 ÷ its two writes without protocol", clients: 8, goal: 1.1, fail: 1.25, measure: latency(near.writes, near.first)},
		{name: "L, 1 ms away: p50", clients: 8, goal: 1.25, fail: 1.5, measure: latency(far.floor, far.leased)},
		{name: "replay, 1 ms away: p50 ÷ SELECT", clients: 8, goal: 1.1, fail: 3, measure: latency(far.read, far.replay)},
		{name: "replay, loopback: p50 ÷ SELECT", clients: 1, goal: 1.4, fail: 3, measure: latency(near.read, near.replay)},
		{name: "replay, loopback: p50 ÷ SELECT", clients: 8, goal: 1.4, fail: 3, measure: latency(near.read, near.replay)},
		{name: "replay by lookup, loopback: p50 ÷ SELECT", clients: 1, goal: 1.4, fail: 3, measure: latency(near.read, near.lookup)},
		// Two round trips instead of one; code written by hand takes four.
		{name: "replay of what others stored, loopback: p50 ÷ SELECT", clients: 1, goal: 3, fail: 4.5, measure: latency(near.read, near.replayElsewhere)},
		{name: "unrelated p99 in a storm of 64 ÷ without", clients: 4, goal: 1.5, fail: 3, measure: storm(shared)},
		{name: "T, " + strconv.Itoa(many) + " records ÷ 1000: p50", clients: 1, goal: 1.5, fail: 2, measure: latency(few.first, full.first)},
		{name: "replay, " + strconv.Itoa(many) + " records ÷ 1000: p50", clients: 1, goal: 1.5, fail: 2, measure: latency(few.lookupOther, full.lookupOther)},
	}
	if cpuMeasured {
		all = append(all,
			figure{name: "T: CPU ÷ BEGIN; INSERT; COMMIT", clients: 1, goal: 1.40, fail: 1.7, measure: cpu(alone, alone.floor, alone.first)},
			figure{name: "T: CPU ÷ its two writes without protocol", clients: 1, goal: 1.15, fail: 1.3, measure: cpu(alone, alone.writes, alone.first)},
		)
	}
	return all, nil
}
