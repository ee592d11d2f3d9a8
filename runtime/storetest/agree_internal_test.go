package storetest

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestAgreementFindsAStoreThatDiffers(t *testing.T) {
	for name, broken := range map[string]func(*memstore.Store) idem.Store[*memstore.Tx]{
		"loses nothing": func(s *memstore.Store) idem.Store[*memstore.Tx] { return loser{s} },
		"has no fence":  func(s *memstore.Store) idem.Store[*memstore.Tx] { return fenceless{s} },
	} {
		found := false
		for i := range 60 {
			found = found || failsWith(func(t *testing.T) {
				agree(t, side(nil), side(broken), newNarrator(rand.New(rand.NewPCG(1, uint64(i))), nil))
			})
		}
		assert.True(t, found, "a store that %s", name)
	}
	Agree(t, side(nil), side(nil), 1, 20)
}

func side(change func(*memstore.Store) idem.Store[*memstore.Tx]) Side[*memstore.Tx] {
	return Side[*memstore.Tx]{
		New: func(_ *testing.T, now func() time.Time) idem.Store[*memstore.Tx] {
			s := memstore.New(memstore.WithClock(now))
			if change == nil {
				return s
			}
			return change(s)
		},
		Effects: Effects[*memstore.Tx]{
			Write: func(context.Context, *memstore.Tx, string) error { return nil },
			Count: func(context.Context, *memstore.Tx, string) (int, error) { return 0, nil },
		},
	}
}

// loser tells nobody that a lease is lost.
type loser struct{ *memstore.Store }

func (l loser) Extend(ctx context.Context, leases []idem.LeaseRef) (lost, passed []idem.LeaseRef, err error) {
	_, passed, err = l.Store.Extend(ctx, leases)
	return nil, passed, err
}

// fenceless lets any attempt settle.
type fenceless struct{ *memstore.Store }

func (f fenceless) Settle(ctx context.Context, l idem.LeaseRef, c idem.Completion) error {
	if p, err := f.Lookup(ctx, l.Scope, l.Keyspace, l.Key); err == nil {
		l.Token = p.Token
	}
	return f.Store.Settle(ctx, l, c)
}
