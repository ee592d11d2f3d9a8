package idem_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// What cannot be stored is given up in time: ten seconds for the outcome, two for handing the record back.
func TestLeasedCompletionThatHangs(t *testing.T) {
	type phase = func(ctx, *lease, string, func(*memstore.Tx) (int, error)) (int, error)
	for name, step := range map[string]phase{
		"settle": nil, "phase": idem.Phase[int, *memstore.Tx], "last phase": idem.LastPhase[int, *memstore.Tx],
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newLeasedFixture(t, idem.Retake, quick(time.Minute))
				f.store = hanging{f.tapped()}
				f.engine = newEngine(t, f.fixture, idem.Options{Recover: -1, Sweep: -1, Observer: f.events})
				run(t, f.engine)
				h := f.serves(t, func(ctx ctx, l *lease, _ paymentCommand) (idem.Response, error) {
					var err error
					if step != nil {
						_, err = step(ctx, l, "step", func(*memstore.Tx) (int, error) { return 1, nil })
					}
					return created(1), err
				}, nil)
				start := time.Now()
				a := send(h, call{})
				assert.Equal(t, idem.CodeTryAgain, a.code())
				assert.Equal(t, 12*time.Second, time.Since(start))
			})
		})
	}
}

// hanging settles nothing: its database does not answer.
type hanging struct{ *tapped }

func (h hanging) Settle(ctx context.Context, _ idem.LeaseRef, _ idem.Completion) error {
	return hang(ctx)
}

func (h hanging) BeginPhase(ctx context.Context, l idem.LeaseRef, o idem.BeginOptions) (idem.HeldPhase[*memstore.Tx], error) {
	held, err := h.tapped.BeginPhase(ctx, l, o)
	return hangingPhase{held}, err
}

type hangingPhase struct{ idem.HeldPhase[*memstore.Tx] }

func (h hangingPhase) Commit(ctx context.Context, _ idem.PhaseRecord, _ *idem.Completion) error {
	return errors.Join(hang(ctx), h.Release(ctx))
}

// hang waits as pgstore does, for as long as ctx has, or ten seconds where that has ended before.
func hang(ctx context.Context) error {
	if ctx.Err() != nil {
		time.Sleep(10 * time.Second)
	}
	<-ctx.Done()
	return idem.ErrCommitUnknown
}
