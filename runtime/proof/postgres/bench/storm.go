package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

const (
	stormSize = 64
	stormPool = 16
	// slowFor is how long the key that everybody asks for runs.
	slowFor = 300 * time.Millisecond
	// stormPause is how long a duplicate waits before it comes again.
	stormPause = 20 * time.Millisecond
	quietSlice = 500 * time.Millisecond
)

// shopOn is a handler on the side's store, without a network: it waits as long as the key says.
func shopOn(s side) (shop.Client, string, error) {
	op := shop.Operation("order", nil)
	engine, err := idem.NewEngine[pgx.Tx](s.store, shop.Contract(op), shop.Scope, idem.Options{})
	if err != nil {
		return shop.Client{}, "", err
	}
	return shop.Local(idem.Handle(engine, op, shop.Decode, func(ctx context.Context, ex *idem.Execution[pgx.Tx], cmd shop.Command) (idem.Response, error) {
		var id int64
		if err := ex.Tx().QueryRow(ctx, insertSQL, int64(100)).Scan(&id); err != nil {
			return idem.Response{}, err
		}
		if cmd.Call == "slow" {
			time.Sleep(slowFor)
		}
		return shop.Receipt{Call: cmd.Call}.Response(http.StatusCreated)
	})), op.Path, nil
}

// storm compares the 99th percentiles of unrelated requests with and without a storm of duplicates of a slow one.
func storm(s side) func(context.Context, figure, time.Duration) (float64, error) {
	return func(ctx context.Context, f figure, d time.Duration) (float64, error) {
		client, path, err := shopOn(s)
		if err != nil {
			return 0, err
		}
		send := func(ctx context.Context, key, call string) error {
			a, err := client.Send(ctx, shop.Order{Path: path, Key: key, Command: shop.Command{Amount: "10", Call: call}})
			if err == nil && a.Status != http.StatusCreated && a.Code != idem.CodeInFlight {
				err = fmt.Errorf("answered %d: %s", a.Status, a.Body)
			}
			return err
		}
		var times samples
		for end, round := time.Now().Add(d), 0; time.Now().Before(end) || round < 2; round++ {
			which := round % 2
			stop := func() error { return nil }
			if which == 1 {
				stop = raise(ctx, send, idem.NewUUID().String())
			}
			took, err := unrelated(ctx, send, f.clients, time.Now().Add(quietSlice))
			if err := errors.Join(err, stop()); err != nil {
				return 0, err
			}
			times[which] = append(times[which], took...)
		}
		return float64(quantile(times[1], 0.99)) / float64(quantile(times[0], 0.99)), nil
	}
}

// raise begins a storm on keys that are slow for its first request, and gives what ends it.
func raise(ctx context.Context, send func(ctx context.Context, key, call string) error, name string) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	start := time.Now()
	errs := make([]error, stormSize)
	var all sync.WaitGroup
	for i := range stormSize {
		all.Go(func() {
			for ctx.Err() == nil && errs[i] == nil {
				// The next key as soon as this one is done: a slow one runs all the time.
				errs[i] = send(context.WithoutCancel(ctx), fmt.Sprintf("%s-%d", name, int(time.Since(start)/slowFor)), "slow")
				time.Sleep(stormPause)
			}
		})
	}
	return func() error {
		cancel()
		all.Wait()
		return errors.Join(errs...)
	}
}

// unrelated sends requests with keys of their own until end, and gives how long each took.
func unrelated(ctx context.Context, send func(ctx context.Context, key, call string) error, clients int, end time.Time) ([]time.Duration, error) {
	took := make([][]time.Duration, clients)
	errs := make([]error, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for time.Now().Before(end) && errs[i] == nil {
				start := time.Now()
				errs[i] = send(ctx, idem.NewUUID().String(), "fast")
				took[i] = append(took[i], time.Since(start))
			}
		})
	}
	all.Wait()
	var times []time.Duration
	for _, t := range took {
		times = append(times, t...)
	}
	return times, errors.Join(errs...)
}
