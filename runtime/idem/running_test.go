package idem

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func entered(m *running, ctx context.Context, at address, patience time.Duration) *turn {
	mine, _ := m.enter(ctx, []address{at}, &waiter{ask: patience})
	return mine
}

func TestRunningKeyIsRefusedAtOnce(t *testing.T) {
	m := newRunning()
	at := address{"s", "k", "1"}
	first := entered(m, t.Context(), at, time.Minute)
	require.NotNil(t, first)
	m.claimed(first, Prior{})
	require.Nil(t, entered(m, t.Context(), at, time.Minute))
	require.NotNil(t, entered(m, t.Context(), address{"s", "k", "2"}, time.Minute), "another key")
	require.NotNil(t, entered(m, t.Context(), address{"s", "l", "1"}, time.Minute), "another keyspace")
	require.NotNil(t, entered(m, t.Context(), address{"t", "k", "1"}, time.Minute), "another scope")
	m.leave(first)
	require.NotNil(t, entered(m, t.Context(), at, time.Minute))
}

func TestSecondWaitsUntilTheStoreHasAnsweredTheFirst(t *testing.T) {
	at := address{"s", "k", "1"}
	for _, gotTheKey := range []bool{true, false} {
		m := newRunning()
		first := entered(m, t.Context(), at, time.Minute)
		second := make(chan *turn)
		go func() { second <- entered(m, context.Background(), at, time.Minute) }()
		select {
		case <-second:
			t.Fatal("the second did not wait")
		case <-time.After(20 * time.Millisecond):
		}
		if gotTheKey {
			m.claimed(first, Prior{})
			assert.Nil(t, <-second)
			m.leave(first)
		} else {
			m.leave(first)
			assert.NotNil(t, <-second, "a record stands there: the second reads it by itself")
		}
	}
}

func TestSecondIsInFlightWhenTheFirstMetAnotherProcess(t *testing.T) {
	m := newRunning()
	at := address{"s", "k", "1"}
	first := entered(m, t.Context(), at, time.Minute)
	second := make(chan *turn)
	go func() { second <- entered(m, context.Background(), at, time.Minute) }()
	time.Sleep(10 * time.Millisecond)
	m.elsewhere(first, Prior{})
	m.leave(first)
	require.Nil(t, <-second)
	require.NotNil(t, entered(m, t.Context(), at, time.Minute), "a later one asks again")
}

func TestSecondDoesNotWaitForEver(t *testing.T) {
	m := newRunning()
	at := address{"s", "k", "1"}
	require.NotNil(t, entered(m, t.Context(), at, time.Minute))
	require.Nil(t, entered(m, t.Context(), at, time.Millisecond))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	require.Nil(t, entered(m, cancelled, at, time.Minute))
}

func TestSecondThatWinsLaterIsListed(t *testing.T) {
	m := newRunning()
	at := address{"s", "k", "1"}
	first := entered(m, t.Context(), at, time.Minute)
	second := make(chan *turn)
	go func() { second <- entered(m, context.Background(), at, time.Minute) }()
	time.Sleep(5 * time.Millisecond)
	m.leave(first)
	late := <-second
	m.claimed(late, Prior{})
	require.Nil(t, entered(m, t.Context(), at, time.Minute))
	m.leave(late)
	require.Empty(t, m.keys)
}

func TestNobodyStaysListed(t *testing.T) {
	m := newRunning()
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			mine := entered(m, context.Background(), address{"s", "k", string(rune('a' + i%3))}, time.Second)
			if mine == nil {
				return
			}
			if i%2 == 0 {
				m.claimed(mine, Prior{})
			}
			m.leave(mine)
		})
	}
	all.Wait()
	require.Empty(t, m.keys)
}

func TestHashOfKeyTellsItsPartsApart(t *testing.T) {
	seen := map[string]bool{}
	for _, at := range []address{{"s", "k", "1"}, {"sk", "", "1"}, {"s", "k1", ""}, {"", "sk", "1"}} {
		seen[hashOfKey(at)] = true
	}
	assert.Len(t, seen, 4)
}

// A turn that asks again says anew what it found; who comes meanwhile must find one or the other, and the race detector nothing.
func TestTurnThatAsksAgainIsFoundAsItIs(t *testing.T) {
	m := newRunning()
	at := address{"s", "k", "1"}
	first := entered(m, t.Context(), at, time.Minute)
	m.elsewhere(first, Prior{State: StateInFlight})
	var all sync.WaitGroup
	all.Go(func() {
		for i := range 1000 {
			m.elsewhere(first, Prior{State: StateInFlight, Attempt: i, Key: "1", Operation: "o"})
		}
	})
	for range 4 {
		all.Go(func() {
			for range 1000 {
				_, prior := m.enter(t.Context(), []address{at}, &waiter{ask: time.Minute})
				assert.Equal(t, prior.Key == "", prior.Operation == "")
			}
		})
	}
	all.Wait()
}
