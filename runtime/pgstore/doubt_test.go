package pgstore_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

const lostCommits = 100

// lossy is a bench whose connections a test can lose. Statements are not prepared, so that a completion is one request: a request
// that is lost may then have been the commit.
func lossy(t *testing.T) (*bench, *pgtest.Wire) {
	t.Helper()
	var wire *pgtest.Wire
	b := newBench(t, func(c *pgxpool.Config) {
		c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
		wire = pgtest.Watch(c)
	})
	return b, wire
}

// The commit happened and its answer was lost: the client gets its answer all the same, and so does whoever tries again.
func TestCommitWhoseAnswerWasLostIsAnswered(t *testing.T) {
	b, wire := lossy(t)
	h := newAPI(t, b, nil).handler(paying)
	for i := range lostCommits {
		key := fmt.Sprint("k", i)
		wire.LoseNextCommit()
		first := ask(h, key)
		require.Equal(t, 201, first.status, first.body)
		assert.False(t, first.replayed, "it is the first answer")
		assert.Equal(t, "only", first.header.Get("X-First"))
		again := ask(h, key)
		assert.True(t, again.replayed)
		assert.Equal(t, first.body, again.body)
		assert.Equal(t, 1, b.count(key))
	}
	b.requireHealthy()
}

// The server never heard of the commit: the client is told to try again, and the key is free.
func TestCommitThatWasLostIsTriedAgain(t *testing.T) {
	b, wire := lossy(t)
	a := newAPI(t, b, nil)
	losing := a.handler(func(ctx ctx, ex *apiExecution) (idem.Response, error) {
		response, err := paying(ctx, ex)
		wire.LoseNextRequest()
		return response, err
	})
	h := a.handler(paying)
	for i := range lostCommits {
		key := fmt.Sprint("k", i)
		lost := ask(losing, key)
		require.Equal(t, 503, lost.status, lost.body)
		require.Equal(t, idem.CodeTryAgain, lost.code())
		assert.Equal(t, "1", lost.header.Get("Retry-After"))
		assert.Empty(t, lost.header.Get("X-First"))
		assert.Zero(t, b.count(key))
		first := ask(h, key)
		require.Equal(t, 201, first.status, first.body)
		assert.False(t, first.replayed)
		assert.Equal(t, 1, b.count(key))
	}
	b.requireHealthy()
}

// Clients try again until they are answered, while connections are lost at any moment: one effect and one answer for each key.
func TestConnectionsLostAtRandom(t *testing.T) {
	b, wire := lossy(t)
	h := newAPI(t, b, nil).handler(paying)
	stop := make(chan struct{})
	var chaos, clients sync.WaitGroup
	chaos.Go(func() {
		dice := rand.New(rand.NewPCG(1, 2))
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(dice.IntN(20)) * time.Millisecond):
			}
			if dice.IntN(2) == 0 {
				wire.LoseNextCommit()
			} else {
				wire.LoseNextRequest()
			}
		}
	})
	const keys, clientsOfAKey = 200, 3
	answers := make([]sync.Map, keys)
	for client := range keys * clientsOfAKey {
		clients.Go(func() {
			key := client % keys
			for b.ctx.Err() == nil {
				r := ask(h, fmt.Sprint("k", key))
				if r.status == 201 {
					answers[key].Store(r.body, true)
					return
				}
				if !assert.Contains(t, []int{409, 500, 503}, r.status, r.body) { // 500: a statement of the handler met the loss
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
			assert.Fail(t, "no answer")
		})
	}
	clients.Wait()
	close(stop)
	chaos.Wait()
	wire.Spare()
	for key := range answers {
		assert.Equal(t, 1, b.count(fmt.Sprint("k", key)), "effects of key %d", key)
		seen := 0
		answers[key].Range(func(any, any) bool { seen++; return true })
		assert.Equal(t, 1, seen, "answers for key %d", key)
	}
	b.requireHealthy()
}
