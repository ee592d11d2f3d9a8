package pgstore_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// at is where newClaim's record stands.
func at(key string) idem.Address {
	return idem.Address{Scope: `["acme"]`, Keyspace: "createPayment", Key: key}
}

func TestDescribe(t *testing.T) {
	b := newBench(t, nil)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := start
	b.store = pgstore.New(b.pool, pgstore.WithClock(func() time.Time { return now }))
	describe := func(a idem.Address) idem.StoredRecord {
		t.Helper()
		r, err := b.store.Describe(b.ctx, a)
		require.NoError(t, err)
		return r
	}
	_, err := b.store.Describe(b.ctx, at("none"))
	require.ErrorIs(t, err, idem.ErrNoRecord)

	c := newClaim("k")
	held := b.hold(c)
	now = now.Add(time.Minute)
	require.NoError(t, held.Complete(b.ctx, idem.Completion{State: idem.StateCompleted, Response: idem.Response{
		Status: 201, Header: http.Header{"Location": {"/secret"}, "Content-Type": {"secret"}}, Body: []byte("secret")}}))
	want := idem.StoredRecord{
		State: idem.StateCompleted, Operation: "createPayment", RecordID: c.RecordID, Attempt: 1,
		Created: start, Completed: now, Expires: start.Add(time.Hour), Status: 201, Headers: []string{"Content-Type", "Location"}, BodySize: 6,
		Fingerprints: []byte("fp"), Fields: []byte("fd"),
	}
	assert.Equal(t, want, describe(at("k")))

	now = start.Add(time.Hour)
	want.Expired = true
	assert.Equal(t, want, describe(at("k")), "expired exactly now")
	now = start

	forever := newClaim("forever")
	forever.Retention = idem.Forever
	require.NoError(t, b.hold(forever).Complete(b.ctx, idem.Completion{State: idem.StateCompleted, NotKept: true, Response: idem.Response{Status: 200}}))
	r := describe(at("forever"))
	assert.Equal(t, []any{true, time.Time{}, 0}, []any{r.NotKept, r.Expires, r.BodySize})

	running := b.hold(newClaim("running"))
	_, err = b.store.Describe(b.ctx, at("running"))
	require.ErrorIs(t, err, idem.ErrNoRecord, "a transactional claim in flight is not visible")
	require.NoError(t, running.Release(b.ctx))
}

func TestDescribeLeased(t *testing.T) {
	b := newBench(t, nil)
	c := newClaim("k")
	c.Lease = time.Minute
	_, err := b.store.ClaimLease(b.ctx, c)
	require.NoError(t, err)
	ref := idem.LeaseRef{Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key, RecordID: c.RecordID, Token: c.Token, Lease: time.Minute}
	phase, err := b.store.BeginPhase(b.ctx, ref, idem.BeginOptions{})
	require.NoError(t, err)
	require.NoError(t, phase.Commit(b.ctx, idem.PhaseRecord{Name: "reserve", Result: []byte("1")}, nil))
	r, err := b.store.Describe(b.ctx, at("k"))
	require.NoError(t, err)
	assert.Equal(t, []any{idem.StateInFlight, false, []string{"reserve"}}, []any{r.State, r.LeaseOver, r.Phases})
	assert.WithinDuration(t, time.Now().Add(time.Minute), r.LeaseUntil, 30*time.Second)
	assert.True(t, r.Completed.IsZero())
	require.NoError(t, b.store.Settle(b.ctx, ref, created()))
	r, err = b.store.Describe(b.ctx, at("k"))
	require.NoError(t, err)
	assert.True(t, r.LeaseUntil.IsZero(), "nothing runs any more")
}

// What stands under another scope, or under another key of the same thing, is what a claim would meet.
func TestDescribeFollowsRows(t *testing.T) {
	b := newBench(t, nil)
	c := newClaim("k")
	c.Before, c.Business = `["old"]`, []byte("digest of a business key")
	require.NoError(t, b.hold(c).Complete(b.ctx, created()))
	for name, a := range map[string]idem.Address{
		"scope":           {Scope: c.Scope, Keyspace: c.Keyspace, Key: "k"},
		"before":          {Scope: c.Before, Keyspace: c.Keyspace, Key: "k"},
		"both":            {Scope: c.Scope, Before: c.Before, Keyspace: c.Keyspace, Key: "k"},
		"business":        {Scope: c.Scope, Keyspace: c.Keyspace, Key: "another", Business: c.Business},
		"business before": {Scope: `["new"]`, Before: c.Before, Keyspace: c.Keyspace, Key: "another", Business: c.Business},
	} {
		r, err := b.store.Describe(b.ctx, a)
		require.NoError(t, err, name)
		assert.Equal(t, c.RecordID, r.RecordID, name)
		assert.False(t, r.Created.IsZero(), name)
		assert.Equal(t, a.Key == "another", r.Business, name)
	}
	_, err := b.store.Describe(b.ctx, idem.Address{Scope: c.Scope, Keyspace: c.Keyspace, Key: "another", Business: []byte("of another thing")})
	require.ErrorIs(t, err, idem.ErrNoRecord)
}
