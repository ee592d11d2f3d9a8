package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/control"
	"github.com/idemgen/idemgen/runtime/proof/shop"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// Equal requests that arrive together, half of them at another process, have one effect and one answer under every isolation
// level; who comes too early is told so, and gets the same answer when he comes again.
func TestSimultaneousDuplicates(t *testing.T) {
	for _, level := range []string{"read committed", "repeatable read", "serializable"} {
		for name, op := range map[string]*idem.Operation{"transactional": shop.Operation("order", nil), "leased": leased()} {
			t.Run(name+", "+level, func(t *testing.T) {
				cfg := pgtest.Config(t)
				cfg.ConnConfig.RuntimeParams["default_transaction_isolation"] = level
				migrated(t, cfg)
				processes := []process{serve(t, cfg, op, place, nil), serve(t, cfg, op, place, nil)}
				for _, n := range []int{2, 8, 64} {
					t.Run(fmt.Sprint(n), func(t *testing.T) { storms(t, processes, op, n) })
				}
			})
		}
	}
}

// storms sends n equal requests at once, several times.
func storms(t *testing.T, processes []process, op *idem.Operation, n int) {
	t.Helper()
	for round := range 5 {
		key := fmt.Sprintf("%d-%d", n, round)
		receipts, firsts := storm(t, processes, shop.Order{Path: op.Path, Key: key}, n)
		assert.Len(t, receipts, 1, "different answers to one key")
		assert.Equal(t, 1, firsts, "answers that are no replay")
		assert.Equal(t, 1, effects(t, processes[0].pool, key))
	}
}

// The control: the same storm on a store that reads, then writes.
func TestSimultaneousDuplicatesOnTheControl(t *testing.T) {
	cfg := migrated(t, pgtest.Config(t))
	op := shop.Operation("order", nil)
	wrong := func(right idem.Store[pgx.Tx]) idem.Store[pgx.Tx] { return control.ReadThenWrite(right) }
	processes := []process{serve(t, cfg, op, place, wrong), serve(t, cfg, op, place, wrong)}
	require.Eventually(t, func() bool {
		o := shop.Order{Path: op.Path, Key: idem.NewUUID().String()}
		receipts, _ := storm(t, processes, o, 8)
		return len(receipts) > 1 && effects(t, processes[0].pool, o.Key) > 1
	}, time.Minute, time.Millisecond, "the storm finds nothing wrong with a store that is")
}

// storm sends an order n times at once, the requests dealt to the processes in turn, and again as long as an answer says to come
// later. It gives the different receipts, and how many answers were no replay.
func storm(t *testing.T, processes []process, o shop.Order, n int) (receipts map[shop.Receipt]int, firsts int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var (
		mu    sync.Mutex
		start = make(chan struct{})
		all   sync.WaitGroup
	)
	receipts = map[shop.Receipt]int{}
	for i := range n {
		all.Go(func() {
			<-start
			mine := o
			mine.Command = shop.Command{Amount: "10", Call: fmt.Sprint(i)}
			a, err := settled(ctx, processes[i%len(processes)].client, mine)
			if !assert.NoError(t, err) || !assert.Equal(t, 201, a.Status, "%s", a.Body) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			receipts[a.Receipt]++
			if !a.Replayed {
				firsts++
			}
		})
	}
	close(start)
	all.Wait()
	return receipts, firsts
}

// settled sends an order until it has an answer.
func settled(ctx context.Context, c shop.Client, o shop.Order) (shop.Answer, error) {
	for {
		a, err := c.Send(ctx, o)
		if err != nil || a.Code != idem.CodeInFlight && a.Code != idem.CodeTryAgain {
			return a, err
		}
		select {
		case <-ctx.Done():
			return a, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}
