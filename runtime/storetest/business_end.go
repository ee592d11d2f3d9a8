package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func businessRaceCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"one of many keys gets the business key", businessRace[Tx]},
		{"business key of an expired record goes to one of many keys", businessRaceExpired[Tx]},
		{"keys and business keys that cross end", businessCross[Tx]},
	}
}

func businessSweepCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{{"sweep takes business keys along, and only their record's", businessSwept[Tx]}}
}

func businessEraseCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{{"erase takes business keys along", businessErased[Tx]}}
}

func businessResolveCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{{"freed record frees its business key, resolved one keeps it", businessResolved[Tx]}}
}

func businessRace[Tx any](t *testing.T, f *fixture[Tx]) {
	f.raceForBusiness(t, lockTimeout)
	f.requireEffects(t, 1, "order 1")
}

// businessRaceExpired: who waited for the winner must not take his business key for that of the expired record.
func businessRaceExpired[Tx any](t *testing.T, f *fixture[Tx]) {
	old := about("old", "order 1")
	old.Retention = short
	held := f.hold(t, old)
	f.write(t, held, "order 1")
	f.complete(t, held, completed("{}"))
	require.Eventually(t, func() bool { return f.lookup(t, old).State == idem.StateAbsent }, patience, time.Millisecond)
	f.raceForBusiness(t, patience)
	f.requireEffects(t, 2, "order 1")
}

// raceForBusiness lets many keys claim one business key at once.
func (f *fixture[Tx]) raceForBusiness(t *testing.T, lockTimeout time.Duration) {
	t.Helper()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			c := about(fmt.Sprint("key ", i), "order 1")
			c.LockTimeout = lockTimeout
			_, err := f.runBriefly(c, true)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	_, err := f.runBriefly(about("late", "order 1"), true) // none of them, if none could be serialised
	require.NoError(t, err)
	assert.True(t, f.find(t, about("later", "order 1")).Business)
}

func businessCross[Tx any](t *testing.T, f *fixture[Tx]) {
	f.cross(t, func(_ int, key, business string) idem.Claim { return about(key, business) })
}

// cross lets every key meet every business key, in waits that are long enough for a deadlock to show. Each may have one effect.
func (f *fixture[Tx]) cross(t *testing.T, claim func(client int, key, business string) idem.Claim) {
	t.Helper()
	var (
		all    sync.WaitGroup
		mu     sync.Mutex
		writes = map[string]int{}
	)
	for client := range 16 {
		all.Go(func() {
			dice := rand.New(rand.NewPCG(3, uint64(client)))
			for range 6 {
				c := claim(client, fmt.Sprint("key ", dice.IntN(3)), fmt.Sprint("order ", dice.IntN(3)))
				c.LockTimeout = patience
				done, err := f.runBriefly(c, dice.IntN(3) > 0)
				if !assert.NoError(t, err) {
					return
				}
				if done {
					mu.Lock()
					writes[c.Key]++
					writes[string(c.Business)]++
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	assert.NotEmpty(t, writes)
	for name, n := range writes {
		assert.Equal(t, 1, n, name)
		f.requireEffects(t, 1, name)
	}
}

// runBriefly claims c and writes under its key and its business key, and reports whether both were committed.
func (f *fixture[Tx]) runBriefly(c idem.Claim, complete bool) (bool, error) {
	held, _, err := f.try(f.ctx, c)
	if err != nil || held == nil {
		return false, err
	}
	time.Sleep(time.Millisecond)
	for _, name := range []string{c.Key, string(c.Business)} {
		if written, err := f.tryWrite(f.ctx, held.Tx(), name); !written {
			return false, errors.Join(err, held.Release(f.ctx))
		}
	}
	if !complete {
		return false, held.Release(f.ctx)
	}
	err = held.Complete(f.ctx, completed("{}"))
	if errors.Is(err, idem.ErrSerialization) {
		return false, nil
	}
	return err == nil, err
}

func businessSwept[Tx any](t *testing.T, f *fixture[Tx]) {
	for i := range 3 {
		c := about(fmt.Sprint("key ", i), fmt.Sprint("order ", i))
		c.Retention = time.Minute
		f.complete(t, f.hold(t, c), completed("old"))
	}
	f.clock.advance(time.Minute)
	f.complete(t, f.hold(t, about("new", "order 0")), completed("new")) // took it from a record that is still there
	assert.Equal(t, 3, f.sweep(t, 9))
	assert.Equal(t, "new", f.find(t, about("other", "order 0")).Key, "the sweep took a business key that had changed hands")
	f.complete(t, f.hold(t, about("other", "order 1")), completed("other"))
	f.complete(t, f.hold(t, about("key 2", "order 2")), completed("again"))
	assert.Equal(t, "other", f.find(t, about("third", "order 1")).Key)
}

func businessErased[Tx any](t *testing.T, f *fixture[Tx]) {
	f.complete(t, f.hold(t, about("first", "order 1")), completed("{}"))
	elsewhere := about("first", "order 1")
	elsewhere.Scope = `["initech"]`
	f.complete(t, f.hold(t, elsewhere), completed("{}"))
	erased, _ := f.erase(t, "acme")
	assert.Equal(t, 1, erased)
	f.complete(t, f.hold(t, about("second", "order 1")), completed("{}"))
	elsewhere.Key = "second"
	assert.True(t, f.find(t, elsewhere).Business)
}

func businessResolved[Tx any](t *testing.T, f *fixture[Tx]) {
	freed, resolved := f.lease(t, aboutLease("freed", "order 1")), f.lease(t, aboutLease("resolved", "order 2"))
	f.clock.advance(leaseTime)
	require.NoError(t, f.tryFree(freed.RecordID))
	require.NoError(t, f.tryResolve(resolved.RecordID, completed("resolved")))
	f.lease(t, aboutLease("other", "order 1"))
	p := f.findLeased(t, aboutLease("other too", "order 2"))
	assert.True(t, p.Business)
	assert.Equal(t, "resolved", string(p.Response.Body))
}
