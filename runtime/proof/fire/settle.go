//go:build unix

package fire

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/history"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

// settlePatience is how long a key may take to be settled when all is quiet: a handler may fail by chance several times, and a
// recovery that failed waits before it tries again.
const settlePatience = 30 * time.Second

// settle calls every key that was used until it has an outcome, and gives those that get none: they are stuck.
func (r *run) settle(ctx context.Context) (stuck []string, err error) {
	for _, p := range r.dealer.servers {
		p.thaw(p.current())
	}
	if err := r.awaitDatabase(ctx); err != nil {
		return nil, err
	}
	if err := r.passDelays(ctx); err != nil {
		return nil, err
	}
	calls, _, err := readJournal(r.journalPath())
	if err != nil {
		return nil, err
	}
	j, err := openJournal(r.journalPath())
	if err != nil {
		return nil, err
	}
	defer func() { _ = j.file.Close() }()
	return r.insistOnAll(ctx, ordersOf(calls), j)
}

// lastCustomers share the keys among them.
const lastCustomers = 8

func (r *run) insistOnAll(ctx context.Context, orders []shop.Order, j journal) (stuck []string, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range lastCustomers {
		all.Go(func() {
			c := newCustomer(r.dealer.clients[0].settings, fmt.Sprintf("last-%d", i), j)
			for n := i; n < len(orders); n += lastCustomers {
				o := orders[n]
				done, errInsist := c.insist(ctx, o)
				mu.Lock()
				if errInsist != nil {
					err = errInsist
				} else if !done {
					stuck = append(stuck, fmt.Sprintf("stuck: %s %s has no outcome after %s of quiet", o.Path, o.Key, settlePatience))
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return stuck, err
}

// passDelays waits until every lease is over, and ends the delays of recoveries that failed: they may be minutes.
func (r *run) passDelays(ctx context.Context) error {
	if !r.scenario.Leased {
		return nil
	}
	time.Sleep(lease)
	_, err := r.pool.Exec(ctx, "update idempotency_records set lease_until = clock_timestamp() where state = 1 and lease_until > clock_timestamp()")
	if err != nil {
		return fmt.Errorf("fire: end the delays: %w", err)
	}
	return nil
}

// awaitDatabase returns when the database answers.
func (r *run) awaitDatabase(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		_, err := r.pool.Exec(ctx, "select 1")
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("fire: the database did not come back: %w", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// ordersOf gives one order for each key.
func ordersOf(calls []*call) []shop.Order {
	seen := map[place]bool{}
	var all []shop.Order
	for _, c := range calls {
		if at := c.at(); !seen[at] {
			seen[at] = true
			all = append(all, shop.Order{Path: c.Path, Key: c.Key, Command: shop.Command{Amount: c.Amount}})
		}
	}
	return all
}

// insist sends the order until the key has an outcome. A mismatch says that it has one, or will have when its own command comes.
func (c *customer) insist(ctx context.Context, o shop.Order) (done bool, err error) {
	for end := time.Now().Add(settlePatience); time.Now().Before(end); {
		a, err := c.send(ctx, o, longest)
		switch {
		case err != nil:
			return false, err
		case a.Kind == history.Ran, a.Kind == history.Replayed:
			return true, nil
		case a.Kind == history.Mismatch:
			o.Amount = map[idem.Number]idem.Number{"10": "11", "11": "10"}[o.Amount]
			continue
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false, nil
}
