package memstore_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func claimOf(key string) idem.Claim {
	return idem.Claim{
		Scope: `["acme"]`, Keyspace: "createPayment", Key: key, Operation: "createPayment",
		Token: idem.NewUUID(), RecordID: idem.NewUUID(), Fingerprints: []byte("fp"), Fields: []byte("ffff"),
		Retention: time.Hour,
	}
}

func claimed(t *testing.T, s *memstore.Store, c idem.Claim) idem.Held[*memstore.Tx] {
	t.Helper()
	held, prior, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, idem.StateAbsent, prior.State)
	require.NotNil(t, held)
	return held
}

func created() idem.Completion {
	return idem.Completion{State: idem.StateCompleted, Response: idem.Response{
		Status: 201, Header: http.Header{"Location": {"/payments/1"}}, Body: []byte("{\x00\xff}")}}
}

func TestClaimThenReplay(t *testing.T) {
	s := memstore.New()
	c := claimOf("k")
	held := claimed(t, s, c)
	require.NoError(t, held.Complete(t.Context(), created()))

	again, prior, err := s.Claim(t.Context(), claimOf("k"))
	require.NoError(t, err)
	require.True(t, again == nil, "nothing is open")
	assert.Equal(t, idem.Prior{
		State: idem.StateCompleted, Operation: "createPayment", RecordID: c.RecordID, Token: c.Token, Attempt: 1,
		Fingerprints: []byte("fp"), Fields: []byte("ffff"), Response: created().Response,
		Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key,
	}, prior)

	prior.Response.Body[0] = 'X'
	prior.Response.Header.Set("Location", "elsewhere")
	looked, err := s.Lookup(t.Context(), c.Scope, c.Keyspace, c.Key)
	require.NoError(t, err)
	assert.Equal(t, created().Response, looked.Response, "what was handed out is a copy")
}

func TestReleaseFreesTheKeyAndDropsEffects(t *testing.T) {
	s := memstore.New()
	held := claimed(t, s, claimOf("k"))
	ran := false
	held.Tx().OnCommit(func() { ran = true })
	require.NoError(t, held.Release(t.Context()))
	assert.False(t, ran)
	looked, err := s.Lookup(t.Context(), `["acme"]`, "createPayment", "k")
	require.NoError(t, err)
	assert.Equal(t, idem.StateAbsent, looked.State)
	require.NoError(t, claimed(t, s, claimOf("k")).Release(t.Context()))
}

func TestEffectsRunInOrderBeforeTheOutcomeShows(t *testing.T) {
	s := memstore.New()
	held := claimed(t, s, claimOf("k"))
	var order []string
	for _, name := range []string{"a", "b", "c"} {
		held.Tx().OnCommit(func() {
			looked, err := s.Lookup(context.Background(), `["acme"]`, "createPayment", "k")
			require.NoError(t, err)
			assert.Equal(t, idem.StateInFlight, looked.State)
			order = append(order, name)
		})
	}
	require.NoError(t, held.Complete(t.Context(), created()))
	assert.Equal(t, []string{"a", "b", "c"}, order)
}

func TestRollBackWritesDropsEffectsAndKeepsTheOutcome(t *testing.T) {
	s := memstore.New()
	held := claimed(t, s, claimOf("k"))
	held.Tx().OnCommit(func() { t.Error("a write that was rolled back happened") })
	c := idem.Completion{State: idem.StateFailedReplayable, Response: idem.Response{Status: 422}, RollBackWrites: true}
	require.NoError(t, held.Complete(t.Context(), c))
	looked, err := s.Lookup(t.Context(), `["acme"]`, "createPayment", "k")
	require.NoError(t, err)
	assert.Equal(t, idem.StateFailedReplayable, looked.State)
	assert.Equal(t, 422, looked.Response.Status)
}

func TestWithoutAClaimEffectsCommitOrRollBack(t *testing.T) {
	s := memstore.New()
	for _, rollBack := range []bool{false, true} {
		held, err := s.Begin(t.Context(), idem.BeginOptions{})
		require.NoError(t, err)
		ran := false
		held.Tx().OnCommit(func() { ran = true })
		require.NoError(t, held.Complete(t.Context(), idem.Completion{State: idem.StateCompleted, RollBackWrites: rollBack}))
		assert.Equal(t, !rollBack, ran)
	}
}

func TestUseAfterSettlingFails(t *testing.T) {
	s := memstore.New()
	held := claimed(t, s, claimOf("k"))
	tx := held.Tx()
	require.NoError(t, held.Complete(t.Context(), created()))
	require.ErrorIs(t, held.Complete(t.Context(), created()), idem.ErrSettled)
	require.ErrorIs(t, held.Release(t.Context()), idem.ErrSettled)
	defer func() {
		err, ok := recover().(error)
		require.True(t, ok, "OnCommit must panic with an error")
		require.ErrorIs(t, err, idem.ErrSettled)
	}()
	tx.OnCommit(func() {})
}

func TestAPanickingEffectDoesNotFreeTheKey(t *testing.T) {
	s := memstore.New()
	held := claimed(t, s, claimOf("k"))
	held.Tx().OnCommit(func() { panic("boom") })
	require.PanicsWithValue(t, "boom", func() { _ = held.Complete(t.Context(), created()) })
	looked, err := s.Lookup(t.Context(), `["acme"]`, "createPayment", "k")
	require.NoError(t, err)
	assert.Equal(t, idem.StateCompleted, looked.State)
}

func TestExpiryIsExact(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := memstore.New(memstore.WithClock(func() time.Time { return now }))
	first := claimOf("k")
	require.NoError(t, claimed(t, s, first).Complete(t.Context(), created()))

	now = now.Add(time.Hour - time.Nanosecond)
	_, prior, err := s.Claim(t.Context(), claimOf("k"))
	require.NoError(t, err)
	require.Equal(t, idem.StateCompleted, prior.State)

	now = now.Add(time.Nanosecond)
	looked, err := s.Lookup(t.Context(), first.Scope, first.Keyspace, first.Key)
	require.NoError(t, err)
	assert.Equal(t, idem.Prior{}, looked)
	held := claimed(t, s, claimOf("k"))
	now = now.Add(24 * time.Hour)
	_, prior, err = s.Claim(t.Context(), claimOf("k"))
	require.NoError(t, err)
	assert.Equal(t, idem.StateInFlight, prior.State, "a record in flight does not expire")
	require.NoError(t, held.Release(t.Context()))
}

func TestForeverDoesNotExpire(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := memstore.New(memstore.WithClock(func() time.Time { return now }))
	c := claimOf("k")
	c.Retention = idem.Forever
	require.NoError(t, claimed(t, s, c).Complete(t.Context(), created()))
	now = now.AddDate(500, 0, 0)
	_, prior, err := s.Claim(t.Context(), claimOf("k"))
	require.NoError(t, err)
	assert.Equal(t, idem.StateCompleted, prior.State)
}

func TestAClaimWaitsForTheHolder(t *testing.T) {
	s := memstore.New()
	held := claimed(t, s, claimOf("k"))

	start := time.Now()
	_, prior, err := s.Claim(t.Context(), claimOf("k"))
	require.NoError(t, err)
	require.Equal(t, idem.StateInFlight, prior.State)
	require.Less(t, time.Since(start), 5*time.Second, "no LockTimeout: at once")

	waiting := claimOf("k")
	waiting.LockTimeout = 20 * time.Millisecond
	_, prior, err = s.Claim(t.Context(), waiting)
	require.NoError(t, err)
	require.Equal(t, idem.StateInFlight, prior.State)

	waiting.LockTimeout = time.Minute
	time.AfterFunc(20*time.Millisecond, func() { _ = held.Complete(context.Background(), created()) })
	_, prior, err = s.Claim(t.Context(), waiting)
	require.NoError(t, err)
	require.Equal(t, idem.StateCompleted, prior.State)
}

func TestACancelledClaimTakesNothing(t *testing.T) {
	s := memstore.New()
	held := claimed(t, s, claimOf("k"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	c := claimOf("k")
	c.LockTimeout = time.Minute
	_, _, err := s.Claim(ctx, c)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, held.Release(t.Context()))
}

func TestOneOfManySimultaneousClaimsWins(t *testing.T) {
	s := memstore.New()
	var winners atomic.Int32
	effects := 0 // guarded by the store: effects of two transactions never run at once
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			c := claimOf("k")
			c.LockTimeout = 10 * time.Second
			held, prior, err := s.Claim(context.Background(), c)
			if !assert.NoError(t, err) {
				return
			}
			if held == nil {
				assert.Equal(t, idem.StateCompleted, prior.State)
				return
			}
			winners.Add(1)
			held.Tx().OnCommit(func() { effects++ })
			assert.NoError(t, held.Complete(context.Background(), created()))
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, winners.Load())
	assert.Equal(t, 1, effects)
}
