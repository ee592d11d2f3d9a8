package simulation

import (
	"context"
	"errors"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/proof/control"
)

type right = idem.LeaseStore[*memstore.Tx]

// claims is a store with the claims of another one.
type claims struct {
	right
	wrong idem.Store[*memstore.Tx]
}

func (c claims) Claim(ctx context.Context, claim idem.Claim) (idem.Held[*memstore.Tx], idem.Prior, error) {
	return c.wrong.Claim(ctx, claim)
}

func readThenWrite(r right) right { return claims{r, control.ReadThenWrite[*memstore.Tx](r)} }

// unfenced commits what a phase wrote, whoever holds the record by then.
type unfenced struct{ right }

func newUnfenced(r right) right { return unfenced{r} }

func (u unfenced) BeginPhase(ctx context.Context, l idem.LeaseRef, o idem.BeginOptions) (idem.HeldPhase[*memstore.Tx], error) {
	writes, err := u.Begin(ctx, o)
	return unfencedPhase{writes, u.right, l}, err
}

type unfencedPhase struct {
	idem.Held[*memstore.Tx]
	store right
	lease idem.LeaseRef
}

func (p unfencedPhase) Commit(ctx context.Context, r idem.PhaseRecord, outcome *idem.Completion) error {
	if err := p.Complete(ctx, idem.Completion{State: idem.StateCompleted}); err != nil {
		return err
	}
	record, err := p.store.BeginPhase(ctx, p.lease, idem.BeginOptions{})
	if err != nil {
		return err
	}
	if err := record.Commit(ctx, r, outcome); !errors.Is(err, idem.ErrFenced) && !errors.Is(err, idem.ErrPhaseTwice) {
		return err
	}
	return nil
}

// forgetful gives no attempt what earlier ones recorded.
type forgetful struct{ right }

func newForgetful(r right) right { return forgetful{r} }

func (f forgetful) TakeOver(ctx context.Context, t idem.TakeOver) (idem.Prior, error) {
	prior, err := f.right.TakeOver(ctx, t)
	prior.Phases = nil
	return prior, err
}

func (f forgetful) Due(ctx context.Context, d idem.Due) ([]idem.Prior, error) {
	priors, err := f.right.Due(ctx, d)
	for i := range priors {
		priors[i].Phases = nil
	}
	return priors, err
}

// BeginPhase gives each phase a name that no other has, so that the record does not refuse its second run.
func (f forgetful) BeginPhase(ctx context.Context, l idem.LeaseRef, o idem.BeginOptions) (idem.HeldPhase[*memstore.Tx], error) {
	held, err := f.right.BeginPhase(ctx, l, o)
	return renamedPhase{held}, err
}

type renamedPhase struct{ idem.HeldPhase[*memstore.Tx] }

func (p renamedPhase) Commit(ctx context.Context, r idem.PhaseRecord, outcome *idem.Completion) error {
	r.Name += idem.NewUUID().String()
	return p.HeldPhase.Commit(ctx, r, outcome)
}
