package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func claimOf(key string, patience time.Duration) *idem.Claim {
	return &idem.Claim{Scope: `["acme"]`, Keyspace: "pay", Key: key, LockTimeout: patience}
}

func TestWritersComeInTheOrderInWhichTheyAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w writers
		first, err := w.take(t.Context(), nil, time.Minute)
		require.NoError(t, err)
		var order []int
		var all sync.WaitGroup
		for i := range 5 {
			all.Go(func() {
				turn, err := w.take(t.Context(), claimOf(string(rune('a'+i)), 0), time.Minute)
				if assert.NoError(t, err) {
					order = append(order, i) // in turn: nobody else is here
					time.Sleep(time.Second)
					turn.leave()
				}
			})
			synctest.Wait()
		}
		time.Sleep(10 * time.Second)
		first.leave()
		first.leave() // again is nothing
		all.Wait()
		assert.Equal(t, []int{0, 1, 2, 3, 4}, order)
		assert.Nil(t, w.holder)
	})
}

// Whoever waits for one of its own keys is told so after its patience; who waits for others, after the bound.
func TestWhatAWriterIsToldThatWaitsTooLong(t *testing.T) {
	holder := claimOf("k", 0)
	holder.Before, holder.Business = `["old"]`, []byte("order")
	other := func(change func(*idem.Claim)) *idem.Claim {
		c := claimOf("other", time.Second)
		change(c)
		return c
	}
	for name, c := range map[string]struct {
		claim *idem.Claim
		want  error
		after time.Duration
	}{
		"same key":                   {claimOf("k", time.Second), errInFlight, time.Second},
		"same key, at once":          {claimOf("k", 0), errInFlight, 0},
		"same key, patience beyond":  {claimOf("k", time.Hour), errInFlight, time.Hour},
		"second scope":               {other(func(c *idem.Claim) { c.Scope, c.Key = `["old"]`, "k" }), errInFlight, time.Second},
		"business key":               {other(func(c *idem.Claim) { c.Business = []byte("order") }), errInFlight, time.Second},
		"another key":                {other(func(*idem.Claim) {}), errBusy, time.Minute},
		"another business key":       {other(func(c *idem.Claim) { c.Business = []byte("other") }), errBusy, time.Minute},
		"same key, another scope":    {other(func(c *idem.Claim) { c.Scope, c.Key = `["new"]`, "k" }), errBusy, time.Minute},
		"same key, another keyspace": {other(func(c *idem.Claim) { c.Keyspace, c.Key = "refund", "k" }), errBusy, time.Minute},
		"no claim":                   {nil, errBusy, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var w writers
				turn, err := w.take(t.Context(), holder, time.Minute)
				require.NoError(t, err)
				start := time.Now()
				_, err = w.take(t.Context(), c.claim, time.Minute)
				require.ErrorIs(t, err, c.want)
				assert.Equal(t, errors.Is(c.want, errBusy), errors.Is(err, idem.ErrStoreUnavailable))
				assert.InDelta(t, c.after, time.Since(start), float64(2*overlapPause))
				turn.leave()
				turn, err = w.take(t.Context(), c.claim, time.Minute) // who gave up has left the queue
				require.NoError(t, err)
				turn.leave()
			})
		})
	}
}

// A writer whose caller goes while he waits takes no turn with him.
func TestWriterThatGoesWhileHeWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w writers
		first, err := w.take(t.Context(), nil, time.Minute)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() { _, err := w.take(ctx, nil, time.Hour); gone <- err }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-gone, context.Canceled)
		first.leave()
		second, err := w.take(t.Context(), nil, 0)
		require.NoError(t, err)
		second.leave()
		_, err = w.take(ctx, nil, time.Hour)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// The text of an array, as PostgreSQL reads it (section 8.15.6 of its manual).
func TestListsOfPostgres(t *testing.T) {
	for want, values := range map[string][]string{
		`{}`:                        nil,
		`{"a","b c",""}`:            {"a", "b c", ""},
		`{"[\"x\",\"y\"]","\\xff"}`: {`["x","y"]`, `\xff`},
		`{"NULL","{,}"}`:            {"NULL", "{,}"},
	} {
		assert.Equal(t, want, postgres{}.list(values))
	}
}

// codedError is one of a driver whose codes have no method Code() int.
type codedError struct{ number int }

func (codedError) Error() string { return "it went wrong" }

func TestErrorCodesOfOtherDrivers(t *testing.T) {
	code := func(err error) (int, bool) {
		var c codedError
		is := errors.As(err, &c)
		return c.number, is
	}
	s := NewSQLite(nil, WithErrorCode(code))
	busy := fmt.Errorf("wrapped: %w", codedError{5 | 2<<8}) // SQLITE_BUSY_SNAPSHOT
	assert.True(t, s.NotSerialized(busy))
	require.ErrorIs(t, s.startError(busy), idem.ErrSerialization)
	require.ErrorIs(t, s.startError(codedError{13}), idem.ErrStoreUnavailable)
	assert.Equal(t, failureOther, s.failure(codedError{19}))
	assert.Equal(t, failureNone, NewSQLite(nil).failure(busy))
}
