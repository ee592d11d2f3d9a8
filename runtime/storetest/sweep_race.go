package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/runtime/idem"
)

// These cases use the store's own clock: records expire as soon as they are there, and every claim meets a sweeper.

func sweepRaceCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{{"claims race with a sweeper that never rests", sweepRace[Tx]}}
}

func sweepLeaseRaceCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{{"leases race with a sweeper that never rests", sweepLeaseRace[Tx]}}
}

// besideSweeper lets clients run keys for a while, beside a sweeper. run says how many writes it has committed under the key: none
// may be lost or done twice, and nothing may fail.
func (f *fixture[Tx]) besideSweeper(t *testing.T, run func(key string) (int, error)) {
	t.Helper()
	ctx, stop := context.WithTimeout(f.ctx, 300*time.Millisecond)
	defer stop()
	var (
		clients, sweeper sync.WaitGroup
		mu               sync.Mutex
		committed        = map[string]int{}
		swept            int
	)
	sweeper.Go(func() {
		for ctx.Err() == nil {
			n, err := f.trySweep(5)
			if !assert.NoError(t, err) {
				return
			}
			swept += n
		}
	})
	for client := range 6 {
		clients.Go(func() {
			dice := rand.New(rand.NewPCG(7, uint64(client)))
			for ctx.Err() == nil {
				key := fmt.Sprint("key ", dice.IntN(12)) // more than clients: some rest, and are swept
				n, err := run(key)
				if !assert.NoError(t, err) {
					return
				}
				mu.Lock()
				committed[key] += n
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	stop()
	sweeper.Wait()
	for key, n := range committed {
		f.requireEffects(t, n, key)
	}
	assert.NotEmpty(t, committed)
	assert.Positive(t, swept)
}

func sweepRace[Tx any](t *testing.T, f *fixture[Tx]) { f.besideSweeper(t, f.claimBriefly) }

// claimBriefly makes a record that lives for a millisecond and says how many writes it committed.
func (f *fixture[Tx]) claimBriefly(key string) (int, error) {
	held, _, err := f.try(f.ctx, shorter(key, time.Millisecond))
	if err != nil || held == nil {
		return 0, err
	}
	if written, err := f.tryWrite(f.ctx, held.Tx(), key); !written {
		return 0, errors.Join(err, held.Release(f.ctx))
	}
	err = held.Complete(f.ctx, completed("{}"))
	if errors.Is(err, idem.ErrSerialization) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return 1, nil
}

func sweepLeaseRace[Tx any](t *testing.T, f *fixture[Tx]) {
	f.besideSweeper(t, f.leaseBriefly)
}

// leaseBriefly makes a leased record that lives for a millisecond, with a phase that has the name of those before.
func (f *fixture[Tx]) leaseBriefly(key string) (int, error) {
	c := newLease(key)
	c.Retention = time.Millisecond
	p, err := f.tryLease(f.ctx, c)
	if err != nil || p.State != idem.StateAbsent {
		return 0, err
	}
	time.Sleep(2 * time.Millisecond) // it is past its retention, and in flight
	n, err := f.phaseBriefly(leaseOf(c), key)
	if err != nil {
		return 0, err
	}
	done := completed("{}")
	done.Retention = time.Millisecond
	return n, f.trySettle(leaseOf(c), done)
}

// phaseBriefly commits a phase that writes under key, unless that could not be serialised.
func (f *fixture[Tx]) phaseBriefly(l idem.LeaseRef, key string) (int, error) {
	held, err := f.leases().BeginPhase(f.ctx, l, idem.BeginOptions{IdleTimeout: idleTimeout})
	if err != nil {
		return 0, err
	}
	if written, err := f.tryWrite(f.ctx, held.Tx(), key); !written {
		return 0, errors.Join(err, held.Release(f.ctx))
	}
	err = held.Commit(f.ctx, idem.PhaseRecord{Name: "write"}, nil)
	if errors.Is(err, idem.ErrSerialization) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return 1, nil
}
