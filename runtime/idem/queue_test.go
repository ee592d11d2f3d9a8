package idem_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// queueing is a store whose transactions take statements.
type queueing struct {
	idem.Store[*memstore.Tx]
	queued [][]any
}

func (s *queueing) Claim(ctx context.Context, c idem.Claim) (idem.Held[*memstore.Tx], idem.Prior, error) {
	held, prior, err := s.Store.Claim(ctx, c)
	if held == nil {
		return nil, prior, err
	}
	return &queueingHeld{held, s}, prior, err
}

type queueingHeld struct {
	idem.Held[*memstore.Tx]
	store *queueing
}

func (h *queueingHeld) Queue(sql string, args ...any) {
	h.store.queued = append(h.store.queued, append([]any{sql}, args...))
}

func TestQueueHandsStatementsToTheTransaction(t *testing.T) {
	store := &queueing{Store: memstore.New()}
	f := newFixture(t, func(f *fixture, _ *idem.Options) { f.store = store })
	var kept *execution
	h := f.handler(func(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
		kept = ex
		require.NoError(t, ex.Queue("insert into payments values ($1, $2)", "p", 10))
		require.NoError(t, ex.Queue("notify payments"))
		return idem.Response{Status: 201}, nil
	})
	require.Equal(t, 201, send(h, call{}).status)
	want := [][]any{{"insert into payments values ($1, $2)", "p", 10}, {"notify payments"}}
	assert.Equal(t, want, store.queued)
	require.ErrorIs(t, kept.Queue("late"), idem.ErrSettled)
	assert.Equal(t, want, store.queued)
}

func TestQueueSaysWhenTheStoreHasNone(t *testing.T) {
	f := newFixture(t)
	h := f.handler(func(_ ctx, ex *execution, _ paymentCommand) (idem.Response, error) {
		err := ex.Queue("insert into payments values (1)")
		assert.ErrorIs(t, err, idem.ErrNoQueue)
		assert.ErrorContains(t, err, "createPayment")
		return idem.Response{}, err
	})
	assert.Equal(t, 500, send(h, call{}).status)
}
