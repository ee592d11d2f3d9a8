package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func raceCases[Tx any]() []testCase[Tx] {
	all := []testCase[Tx]{
		{"released key goes to exactly one follower", followers[Tx]},
		{"many clients on few keys have one effect a key", hammer[Tx]},
	}
	for _, n := range []int{2, 8, 64} {
		all = append(all, testCase[Tx]{fmt.Sprintf("%d simultaneous claims have one winner", n), func(t *testing.T, f *fixture[Tx]) {
			f.race(t, n, "k")
			f.requireEffects(t, 1, "k")
		}})
	}
	return all
}

// race claims key n times at once. Exactly one claim must win, write under the key's name and complete; each of the others must
// be told that the key is in flight, or be given the winner's outcome.
func (f *fixture[Tx]) race(t *testing.T, n int, key string) {
	t.Helper()
	var (
		start   = make(chan struct{})
		winners atomic.Int32
		winner  atomic.Value
		replays = make(chan string, n)
		all     sync.WaitGroup
	)
	for range n {
		all.Go(func() {
			c := newClaim(key)
			<-start
			held, prior, err := f.try(f.ctx, c)
			switch {
			case !assert.NoError(t, err):
			case held != nil:
				winners.Add(1)
				winner.Store(c.Token.String())
				time.Sleep(5 * time.Millisecond) // the others meet a key in flight
				assert.NoError(t, f.effects.Write(f.ctx, held.Tx(), key))
				assert.NoError(t, held.Complete(f.ctx, completed(c.Token.String())))
			case prior.State == idem.StateCompleted:
				replays <- string(prior.Response.Body)
			default:
				assert.Equal(t, idem.StateInFlight, prior.State)
			}
		})
	}
	close(start)
	all.Wait()
	close(replays)
	require.EqualValues(t, 1, winners.Load(), "winners")
	for body := range replays {
		assert.Equal(t, winner.Load(), body)
	}
	assert.Equal(t, winner.Load(), string(f.find(t, newClaim(key)).Response.Body))
}

// followers wait on a holder that ends without an outcome.
func followers[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, newClaim("k"))
	f.write(t, held, "k")
	done := later(func() error { return held.Release(f.ctx) })
	var winners atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			c := newClaim("k")
			c.LockTimeout = patience
			next, prior, err := f.try(f.ctx, c)
			if !assert.NoError(t, err) || next == nil {
				assert.Equal(t, idem.StateCompleted, prior.State)
				return
			}
			winners.Add(1)
			assert.NoError(t, f.effects.Write(f.ctx, next.Tx(), "k"))
			assert.NoError(t, next.Complete(f.ctx, completed("{}")))
		})
	}
	all.Wait()
	require.NoError(t, <-done)
	require.EqualValues(t, 1, winners.Load())
	f.requireEffects(t, 1, "k")
}

const (
	hammerClients = 100
	hammerKeys    = 5
)

// hammer lets many clients ask for few keys until each has an answer. Holders release, fail and complete at random; whatever
// happens, a key has one effect and one answer.
func hammer[Tx any](t *testing.T, f *fixture[Tx]) {
	ctx, cancel := context.WithTimeout(f.ctx, patience)
	defer cancel()
	answers := make([]sync.Map, hammerKeys)
	var all sync.WaitGroup
	for client := range hammerClients {
		all.Go(func() {
			key := client % hammerKeys
			body, err := f.ask(ctx, fmt.Sprint(key), rand.New(rand.NewPCG(1, uint64(client))))
			if assert.NoError(t, err) {
				answers[key].Store(body, true)
			}
		})
	}
	all.Wait()
	for key := range answers {
		f.requireEffects(t, 1, fmt.Sprint(key))
		seen := 0
		answers[key].Range(func(any, any) bool { seen++; return true })
		assert.Equal(t, 1, seen, "different answers for key %d", key)
	}
}

// ask is one client: it claims until it has an answer, and gives up its own attempts half of the time.
func (f *fixture[Tx]) ask(ctx context.Context, key string, dice *rand.Rand) (string, error) {
	for ctx.Err() == nil {
		c := newClaim(key)
		held, prior, err := f.try(ctx, c)
		switch {
		case err != nil:
			return "", err
		case held == nil && prior.State == idem.StateCompleted:
			return string(prior.Response.Body), nil
		case held == nil:
			time.Sleep(time.Duration(dice.IntN(10)) * time.Millisecond)
			continue
		}
		written, err := f.tryWrite(ctx, held.Tx(), key)
		if err != nil {
			return "", errors.Join(err, held.Release(ctx))
		}
		if !written || dice.IntN(2) == 0 {
			if err := held.Release(ctx); err != nil {
				return "", err
			}
			continue
		}
		err = held.Complete(ctx, completed(c.Token.String()))
		if err == nil {
			return c.Token.String(), nil
		}
		if !errors.Is(err, idem.ErrSerialization) {
			return "", err
		}
	}
	return "", ctx.Err()
}
