package idem_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/runtime/idem"
)

// leasedStage is a leased handler whose runs a test lets end one by one.
func leasedStage(f *leasedFixture) (handle leaseHandler, begun <-chan int, end chan<- error) {
	starts, ends := make(chan int, 100), make(chan error)
	return func(_ ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		starts <- l.Attempt()
		if err := <-ends; err != nil {
			return idem.Response{}, idem.NothingDone(err)
		}
		return idem.Response{Status: 201, Body: []byte("made")}, nil
	}, starts, ends
}

// A leased record in flight shows whose it is: the same command waits for it, another one is refused at once, here and in another
// process. An attempt that did nothing is followed by exactly one of those that wait.
func TestLeasedDuplicatesWaitForTheOutcome(t *testing.T) {
	for _, place := range []string{"one process", "two processes"} {
		t.Run(place, func(t *testing.T) {
			f := newLeasedFixture(t, idem.Retake, waiting(long))
			handle, begun, end := leasedStage(f)
			here := f.serves(t, handle, nil)
			there, engine := here, f.engine
			if place == "two processes" {
				engine = newEngine(t, f.fixture, idem.Options{Recover: -1, Sweep: -1})
				run(t, engine)
				there = authenticated(idem.HandleLeased(engine, f.op, decodePayment, handle, nil))
			}
			first := follow(here, 1, call{})
			assert.Equal(t, 1, soon(t, begun))
			const n = 8
			answers := follow(there, n, call{})
			awaitWaiting(t, engine, n)
			start := time.Now()
			assert.Equal(t, idem.CodeMismatch, send(there, call{body: `{"amount":"11","currency":"EUR"}`}).code())
			assert.Less(t, time.Since(start), long/3, "at once")

			end <- errors.New("limit reached")
			assert.Equal(t, 500, soon(t, first).status)
			assert.Equal(t, 2, soon(t, begun), "the next attempt of the same record")
			awaitWaiting(t, engine, n-1)
			end <- nil
			replays := 0
			for range n {
				a := soon(t, answers)
				assert.Equal(t, "made", a.body)
				if a.replayed() {
					replays++
				}
			}
			assert.Equal(t, n-1, replays)
			assert.Empty(t, begun)
		})
	}
}

// What is left of the lease is when to come again, in whole seconds between 1 and 60.
func TestLeasedRetryAfterIsClamped(t *testing.T) {
	for _, c := range []struct {
		lease time.Duration
		past  time.Duration
		want  string
	}{
		{time.Hour, 0, "60"}, {time.Minute, 0, "60"}, {30 * time.Second, 0, "30"}, {30 * time.Second, 15500 * time.Millisecond, "15"},
		{30 * time.Second, 29999 * time.Millisecond, "1"}, {30 * time.Second, -time.Hour, "60"}, // a clock that went back
	} {
		f := newLeasedFixture(t, idem.Retake, func(f *fixture, _ *idem.Options) { f.op.Lease = c.lease })
		handle, begun, end := leasedStage(f)
		first := follow(f.serves(t, handle, nil), 1, call{})
		soon(t, begun)
		f.clock.advance(c.past)
		other := newEngine(t, f.fixture, idem.Options{Recover: -1, Sweep: -1})
		run(t, other)
		there := authenticated(idem.HandleLeased(other, f.op, decodePayment, handle, nil))
		a := send(there, call{})
		assert.Equal(t, 409, a.status)
		assert.Equal(t, c.want, a.header.Get("Retry-After"), "%v after %v", c.lease, c.past)
		end <- nil
		soon(t, first)
	}
}

// A business key leads to the record of another key, also when that one waits for its next attempt.
func TestLeasedDuplicatesByBusinessKey(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, unique)
	handle, begun, end := leasedStage(f)
	h := f.serves(t, handle, nil)
	for _, c := range [][2]string{{"a", "b"}, {"", "c"}, {"d", ""}} {
		reference := "order " + c[0] + c[1]
		first := follow(h, 1, purchase(c[0], reference, "10"))
		assert.Equal(t, 1, soon(t, begun))
		assert.Equal(t, 409, send(h, purchase(c[1], reference, "10")).status)
		assert.Equal(t, idem.CodeDuplicateDiffers, send(h, purchase(c[1], reference, "11")).code(), "its row is visible")
		end <- errors.New("limit reached")
		assert.Equal(t, 500, soon(t, first).status)

		second := follow(h, 1, purchase(c[1], reference, "10"))
		assert.Equal(t, 2, soon(t, begun), "the next attempt of the same record")
		end <- nil
		assert.Equal(t, 201, soon(t, second).status)
		assert.True(t, send(h, purchase(c[0], reference, "10")).replayed())
		assert.True(t, send(h, purchase(c[1], reference, "10")).replayed())
	}
}
