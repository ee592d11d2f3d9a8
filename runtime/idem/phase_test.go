package idem_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// attempts serves a handler that gets the number of its run; all but the last n runs end with an error.
func attempts(t *testing.T, f *leasedFixture, h func(ctx ctx, l *lease, run int) error) func() answer {
	t.Helper()
	runs := 0
	served := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		runs++
		return created(runs), h(ctx, l, runs)
	}, nil)
	return func() answer { return send(served, call{}) }
}

var errAttempt = errors.New("attempt ended")

func TestRecordedPhaseIsNotRunAgain(t *testing.T) {
	type result struct {
		ID     int64  `json:"id"`
		Hidden string `json:"-"`
	}
	for _, sealed := range []bool{false, true} {
		f := newLeasedFixture(t, idem.Retake, func(_ *fixture, o *idem.Options) {
			if sealed {
				o.Sealer = sealer(t)
			}
		})
		ran := 0
		next := attempts(t, f, func(ctx ctx, l *lease, run int) error {
			got, err := idem.Phase(ctx, l, "create", func(tx *memstore.Tx) (result, error) {
				ran++
				f.ledger.in(tx, "create")
				return result{math.MaxInt64, "not recorded"}, nil
			})
			require.NoError(t, err)
			assert.Equal(t, result{ID: math.MaxInt64}, got, "in the first attempt as in every other")
			if run < 3 {
				return errAttempt
			}
			_, err = f.write(ctx, l, "second")
			return err
		})
		next()
		next()
		require.Equal(t, 201, next().status)
		assert.Equal(t, 1, ran)
		assert.Equal(t, []string{"create", "second"}, f.ledger.all())
		assert.True(t, next().replayed())
	}
}

func TestLastPhaseOfAFailedAttemptRunsAgain(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	next := attempts(t, f, func(ctx ctx, l *lease, run int) error {
		_, err := idem.LastPhase(ctx, l, "confirm", func(tx *memstore.Tx) (int, error) {
			f.ledger.in(tx, fmt.Sprint("run ", run))
			return run, nil
		})
		require.NoError(t, err)
		if run == 1 {
			return errAttempt
		}
		return nil
	})
	require.Equal(t, 500, next().status)
	require.Empty(t, f.ledger.all())
	require.Equal(t, 201, next().status)
	assert.Equal(t, []string{"run 2"}, f.ledger.all())
}

// A program that made its last phase an ordinary one before finds it recorded.
func TestLastPhaseThatWasRecordedAsAnotherOne(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	next := attempts(t, f, func(ctx ctx, l *lease, run int) error {
		if run == 1 {
			_, err := f.write(ctx, l, "confirm")
			require.NoError(t, err)
			return errAttempt
		}
		got, err := idem.LastPhase(ctx, l, "confirm", func(*memstore.Tx) (string, error) {
			t.Error("it ran again")
			return "", nil
		})
		assert.Equal(t, "confirm", got)
		return err
	})
	next()
	require.Equal(t, 201, next().status)
	assert.True(t, next().replayed())
}

func TestPhaseThatFailsHasNotHappened(t *testing.T) {
	fails := errors.New("no")
	ends := map[string]func() (int, error){
		"error":  func() (int, error) { return 1, fails },
		"panic":  func() (int, error) { panic("boom") },
		"Goexit": func() (int, error) { runtime.Goexit(); return 1, nil },
	}
	for name, end := range ends {
		for _, last := range []bool{false, true} {
			t.Run(fmt.Sprint(name, last), func(t *testing.T) {
				f := newLeasedFixture(t, idem.Retake)
				h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
					phase := idem.Phase[int, *memstore.Tx]
					if last {
						phase = idem.LastPhase[int, *memstore.Tx]
					}
					inGoroutine := make(chan struct{})
					go func() { // so that Goexit ends only that
						defer close(inGoroutine)
						defer func() { _ = recover() }()
						got, err := phase(ctx, l, "p", func(tx *memstore.Tx) (int, error) {
							f.ledger.in(tx, "written")
							return end()
						})
						assert.Zero(t, got)
						assert.Equal(t, fails, err, "f's own error, as it is")
					}()
					<-inGoroutine
					_, err := f.write(ctx, l, "p")
					return created(1), err
				}, nil)
				require.Equal(t, 201, send(h, call{}).status, "its name is free again")
				assert.Equal(t, []string{"p"}, f.ledger.all())
			})
		}
	}
}

func TestPhaseRules(t *testing.T) {
	noop := func(*memstore.Tx) (any, error) { return nil, nil }
	cases := []struct {
		name string
		run  func(ctx ctx, f *leasedFixture, l *lease) error
		want string
		is   error
	}{
		{"a name twice", func(ctx ctx, f *leasedFixture, l *lease) error {
			_, err := f.write(ctx, l, "p")
			require.NoError(t, err)
			_, err = f.write(ctx, l, "p")
			return err
		}, `phase "p"`, idem.ErrPhaseTwice},
		{"a name twice, the last one", func(ctx ctx, f *leasedFixture, l *lease) error {
			_, err := f.write(ctx, l, "p")
			require.NoError(t, err)
			_, err = idem.LastPhase(ctx, l, "p", noop)
			return err
		}, "", idem.ErrPhaseTwice},
		{"one in another", func(ctx ctx, f *leasedFixture, l *lease) error {
			_, err := idem.Phase(ctx, l, "outer", func(*memstore.Tx) (any, error) { return idem.Phase(ctx, l, "inner", noop) })
			return err
		}, "phases follow one another", nil},
		{"one after the last", func(ctx ctx, f *leasedFixture, l *lease) error {
			_, err := idem.LastPhase(ctx, l, "last", noop)
			require.NoError(t, err)
			_, err = f.write(ctx, l, "p")
			return err
		}, "return the outcome", nil},
		{"two last ones", func(ctx ctx, _ *leasedFixture, l *lease) error {
			_, err := idem.LastPhase(ctx, l, "last", noop)
			require.NoError(t, err)
			_, err = idem.LastPhase(ctx, l, "again", noop)
			return err
		}, "return the outcome", nil},
		{"no name", func(ctx ctx, f *leasedFixture, l *lease) error { _, err := f.write(ctx, l, ""); return err }, "1 to 255", nil},
		{"a long name", func(ctx ctx, f *leasedFixture, l *lease) error {
			_, err := f.write(ctx, l, strings.Repeat("x", 256))
			return err
		}, "1 to 255", nil},
		{"NUL in a name", func(ctx ctx, f *leasedFixture, l *lease) error { _, err := f.write(ctx, l, "a\x00"); return err }, "1 to 255", nil},
		{"a name that is no text", func(ctx ctx, f *leasedFixture, l *lease) error { _, err := f.write(ctx, l, "\xff"); return err }, "1 to 255", nil},
		{"a result without JSON", func(ctx ctx, f *leasedFixture, l *lease) error {
			_, err := idem.Phase(ctx, l, "p", func(tx *memstore.Tx) (float64, error) { f.ledger.in(tx, "nan"); return math.NaN(), nil })
			return err
		}, "has no JSON", nil},
		{"a result that nobody could read", func(ctx ctx, f *leasedFixture, l *lease) error {
			_, err := idem.Phase(ctx, l, "p", func(tx *memstore.Tx) (error, error) {
				f.ledger.in(tx, "written")
				return errors.New("an interface"), nil
			})
			return err
		}, "could not be read again", nil},
		{"a context that is over", func(ctx ctx, f *leasedFixture, l *lease) error {
			own, cancel := context.WithCancelCause(ctx)
			cancel(errAttempt)
			_, err := f.write(own, l, "p")
			return err
		}, "", errAttempt},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newLeasedFixture(t, idem.Retake)
			var before []string
			next := attempts(t, f, func(ctx ctx, l *lease, _ int) error {
				err := c.run(ctx, f, l)
				require.Error(t, err)
				require.ErrorContains(t, err, c.want)
				if c.is != nil {
					require.ErrorIs(t, err, c.is)
				}
				before = f.ledger.all()
				return errAttempt
			})
			next()
			assert.Equal(t, before, f.ledger.all())
			for _, effect := range before {
				assert.Equal(t, "p", effect, "the phase that failed wrote nothing")
			}
		})
	}
}

// Nobody can say any more what the phase did: it is not run again, and a handler that goes on all the same has no outcome.
func TestPhaseThatCannotBeDecoded(t *testing.T) {
	for _, goesOn := range []bool{true, false} {
		f := newLeasedFixture(t, idem.Retake)
		next := attempts(t, f, func(ctx ctx, l *lease, run int) error {
			if run == 1 {
				_, err := f.write(ctx, l, "create")
				require.NoError(t, err)
				return errAttempt
			}
			got, err := idem.Phase(ctx, l, "create", func(*memstore.Tx) (int, error) {
				t.Error("it ran again")
				return 1, nil
			})
			require.Error(t, err)
			assert.Zero(t, got)
			_, again := f.write(ctx, l, "another")
			require.Error(t, again)
			if goesOn {
				return nil
			}
			return idem.NothingDone(err)
		})
		next()
		a := next()
		assert.Equal(t, 409, a.status)
		assert.Equal(t, idem.CodeOutcomeUnknown, a.code())
		assert.Equal(t, idem.EventGaveUp, f.events.last().Kind)
		assert.Equal(t, idem.StateUnknown, f.state(t, "key-1").State)
		assert.Equal(t, idem.CodeOutcomeUnknown, next().code())
		assert.Equal(t, []string{"create"}, f.ledger.all())
	}
}

// A phase that commits beside the handler's return is part of the attempt, or has not happened.
func TestPhaseThatCommitsWhileTheHandlerReturns(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(time.Minute))
	committing, returned := make(chan struct{}), make(chan struct{})
	f.tapped().set(func(call string, _ int) error {
		if call == "commit" {
			close(committing)
			<-returned
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	}, nil)
	ended := make(chan error, 1)
	next := attempts(t, f, func(ctx ctx, l *lease, _ int) error {
		go func() {
			_, err := f.write(ctx, l, "beside")
			ended <- err
		}()
		<-committing
		close(returned)
		return nil
	})
	require.Equal(t, 201, next().status)
	require.NoError(t, <-ended)
	assert.Equal(t, []string{"beside"}, f.ledger.all())
}

func TestRecordedPhaseTwiceInOneAttempt(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	next := attempts(t, f, func(ctx ctx, l *lease, run int) error {
		_, err := f.write(ctx, l, "create")
		require.NoError(t, err)
		if run == 1 {
			return errAttempt
		}
		_, err = f.write(ctx, l, "create")
		require.ErrorIs(t, err, idem.ErrPhaseTwice, "also when both were recorded")
		return err
	})
	next()
	require.Equal(t, 500, next().status)
}

func TestTransactionsOfPhasesAreReleased(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake, quick(time.Minute))
	next := attempts(t, f, func(ctx ctx, l *lease, _ int) error {
		_, err := idem.Phase(ctx, l, "p", func(*memstore.Tx) (int, error) { return 0, errAttempt })
		require.Equal(t, errAttempt, err)
		assert.Equal(t, 1, f.tapped().count("release"))
		_, err = idem.LastPhase(ctx, l, "last", func(*memstore.Tx) (int, error) { return 0, nil })
		require.NoError(t, err)
		return errAttempt
	})
	next()
	assert.Equal(t, 2, f.tapped().count("release"))
}

func TestPhaseThatCouldNotBeSerialisedMayBeTriedAgainByTheHandler(t *testing.T) {
	f := newLeasedFixture(t, idem.Hold, quick(time.Minute))
	f.tapped().set(func(call string, n int) error {
		if call == "commit" && n == 1 {
			return idem.ErrSerialization
		}
		return nil
	}, nil)
	next := attempts(t, f, func(ctx ctx, l *lease, _ int) error {
		_, err := f.write(ctx, l, "create")
		require.ErrorIs(t, err, idem.ErrSerialization)
		_, err = f.write(ctx, l, "create")
		return err
	})
	require.Equal(t, 201, next().status)
	assert.Equal(t, []string{"create"}, f.ledger.all())
}

func TestPhaseAfterTheHandlerHasReturned(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	var kept *lease
	inPhase, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	next := attempts(t, f, func(ctx ctx, l *lease, _ int) error {
		kept = l
		go func() {
			_, err := idem.Phase(ctx, l, "beside", func(tx *memstore.Tx) (int, error) {
				f.ledger.in(tx, "beside")
				close(inPhase)
				<-goOn
				return 1, nil
			})
			ended <- err
		}()
		<-inPhase
		return nil
	})
	require.Equal(t, 201, next().status)
	close(goOn)
	require.ErrorIs(t, <-ended, idem.ErrSettled)
	_, err := f.write(t.Context(), kept, "late")
	require.ErrorIs(t, err, idem.ErrSettled)
	assert.Empty(t, f.ledger.all(), "what has an outcome does not change any more")
	a := f.engine.FinishLeased(t.Context(), kept, idem.Outcome{})
	require.ErrorIs(t, a.Err, idem.ErrSettled)
}

func TestDownstreamKeys(t *testing.T) {
	f := newLeasedFixture(t, idem.Retake)
	keys := map[string]bool{}
	var first string
	served := f.serves(t, func(_ ctx, l *lease, _ paymentCommand) (idem.Response, error) {
		if first == "" {
			first = l.DownstreamKey("psp")
			assert.Regexp(t, "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", first)
			assert.NotEqual(t, l.RecordID().String(), first)
			assert.Equal(t, []string{"acme"}, l.Scope())
			return idem.Response{}, errAttempt
		}
		keys[l.DownstreamKey("psp")] = true
		keys[l.DownstreamKey("mail")] = true
		return created(1), nil
	}, nil)
	send(served, call{})
	send(served, call{})
	assert.True(t, keys[first], "the same in the next attempt")
	send(served, call{key: "key-2"})
	send(served, call{tenant: "initech"})
	assert.Len(t, keys, 6, "another one for every record and system")
}

// What it is made of never changes: other systems know the keys of yesterday's records.
func TestDownstreamKeyIsPinned(t *testing.T) {
	l := idem.LeaseOf[*memstore.Tx](idem.UUID{1, 2, 3})
	assert.Equal(t, "307c9703-305b-4ff5-a0fb-b25f287a2339", l.DownstreamKey("psp"))
}
