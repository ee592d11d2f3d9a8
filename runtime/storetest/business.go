package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func businessCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"business key finds the record under another key", businessFinds[Tx]},
		{"own key comes before the business key", businessAfterKey[Tx]},
		{"business keys of scopes, keyspaces and digests are apart", businessApart[Tx]},
		{"business key in flight", businessInFlight[Tx]},
		{"waiting claim finds the outcome by its business key", businessWaiter[Tx]},
		{"released claim frees its business key", businessReleased[Tx]},
		{"business key is free when its record expires", businessExpires[Tx]},
		{"business key changes hands with its record's key", businessMoves[Tx]},
		{"record without a client's key", businessAlone[Tx]},
	}
}

func businessLeaseCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"business key of a lease", businessOfLease[Tx]},
		{"business key stays with its record through takeovers", businessTakenOver[Tx]},
	}
}

// about is a claim of key for the thing that business names.
func about(key, business string) idem.Claim {
	c := newClaim(key)
	c.Business = []byte(business)
	return c
}

func aboutLease(key, business string) idem.Claim {
	c := newLease(key)
	c.Business = []byte(business)
	return c
}

// requireFree says that key has no record, without the help of Lookup, which may not see what is in flight.
func (f *fixture[Tx]) requireFree(t *testing.T, c idem.Claim) {
	t.Helper()
	f.release(t, f.hold(t, c))
}

func businessFinds[Tx any](t *testing.T, f *fixture[Tx]) {
	first := about("first", "order 1")
	held := f.hold(t, first)
	f.write(t, held, "w")
	f.complete(t, held, completed("first"))

	p := f.find(t, about("second", "order 1"))
	assert.Equal(t, idem.Prior{
		State: idem.StateCompleted, Operation: first.Operation, RecordID: first.RecordID, Token: first.Token, Attempt: 1,
		Fingerprints: first.Fingerprints, Fields: first.Fields, Response: completed("first").Response,
		Scope: first.Scope, Keyspace: first.Keyspace, Key: "first", Business: true,
	}, p)
	assert.Equal(t, idem.StateAbsent, f.lookup(t, newClaim("second")).State)
	f.requireFree(t, newClaim("second"))
	f.requireFree(t, about("second", "order 2"))

	f.complete(t, f.hold(t, about("failing", "order 3")), failed(422))
	p = f.find(t, about("second", "order 3"))
	assert.Equal(t, idem.StateFailedReplayable, p.State)
	assert.True(t, p.Business)
	f.requireEffects(t, 1, "w")
}

func businessAfterKey[Tx any](t *testing.T, f *fixture[Tx]) {
	f.complete(t, f.hold(t, about("a", "order 1")), completed("a"))
	f.complete(t, f.hold(t, about("b", "order 2")), completed("b"))
	for _, business := range []string{"order 1", "order 2", "order 3"} {
		p := f.find(t, about("a", business))
		assert.Equal(t, "a", string(p.Response.Body), business)
		assert.False(t, p.Business, "%s: found by its key", business)
	}
	assert.Equal(t, "a", string(f.find(t, newClaim("a")).Response.Body))
	f.requireFree(t, about("c", "order 3"))
	f.requireFree(t, newClaim("c")) // a claim that names nothing meets nobody
}

func businessApart[Tx any](t *testing.T, f *fixture[Tx]) {
	f.complete(t, f.hold(t, about("first", "order 1")), completed("{}"))
	scope, keyspace := about("", "order 1"), about("", "order 1")
	scope.Scope, keyspace.Keyspace = `["initech"]`, "capturePayment"
	for i, c := range []idem.Claim{
		scope, keyspace, about("", "order 1\x00"), about("", "order"), about("", "Order 1"), about("", "\xff\x00"),
	} {
		c.Key = fmt.Sprint("key ", i)
		f.complete(t, f.hold(t, c), completed("{}"))
		c.Key = "another"
		p := f.find(t, c)
		assert.True(t, p.Business, "%q", c.Business)
		assert.Equal(t, fmt.Sprint("key ", i), p.Key, "%q", c.Business)
	}
}

func businessInFlight[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, about("first", "order 1"))
	f.write(t, held, "w")
	for _, lockTimeout := range []time.Duration{lockTimeout, 0} {
		c := about("second", "order 1")
		c.LockTimeout = lockTimeout
		start := time.Now()
		assert.Equal(t, idem.StateInFlight, f.find(t, c).State)
		assert.Less(t, time.Since(start), patience)
	}
	if f.can(ConcurrentTransactions) {
		f.requireFree(t, newClaim("second")) // what was refused holds nothing
	}
	f.complete(t, held, completed("{}"))
	assert.True(t, f.find(t, about("second", "order 1")).Business)
	f.requireEffects(t, 1, "w")
}

func businessWaiter[Tx any](t *testing.T, f *fixture[Tx]) {
	held := f.hold(t, about("first", "order 1"))
	done := later(func() error { return held.Complete(f.ctx, completed("outcome")) })
	c := about("second", "order 1")
	c.LockTimeout = patience
	p := f.find(t, c)
	require.NoError(t, <-done)
	assert.Equal(t, "outcome", string(p.Response.Body))
	assert.True(t, p.Business)

	held = f.hold(t, about("third", "order 2"))
	done = later(func() error { return held.Release(f.ctx) })
	c = about("fourth", "order 2")
	c.LockTimeout = patience
	second := f.hold(t, c)
	require.NoError(t, <-done)
	f.complete(t, second, completed("{}"))
}

func businessReleased[Tx any](t *testing.T, f *fixture[Tx]) {
	f.release(t, f.hold(t, about("first", "order 1")))
	f.complete(t, f.hold(t, about("second", "order 1")), completed("{}"))
	assert.Equal(t, "second", f.find(t, about("first", "order 1")).Key)

	undone := failed(409)
	undone.RollBackWrites = true
	f.complete(t, f.hold(t, about("third", "order 2")), undone)
	p := f.find(t, about("fourth", "order 2"))
	assert.Equal(t, "third", p.Key, "a failure keeps its business key, whatever it rolls back")
	assert.Equal(t, 409, p.Response.Status)
}

func businessExpires[Tx any](t *testing.T, f *fixture[Tx]) {
	short := about("first", "order 1")
	short.Retention = time.Minute
	f.complete(t, f.hold(t, short), completed("first"))
	f.clock.advance(time.Minute - time.Millisecond)
	assert.True(t, f.find(t, about("second", "order 1")).Business)
	f.clock.advance(time.Millisecond)
	f.release(t, f.hold(t, about("second", "order 1"))) // an expired owner does not come back
	f.complete(t, f.hold(t, about("second", "order 1")), completed("second"))
	for _, key := range []string{"first", "third"} {
		p := f.find(t, about(key, "order 1"))
		assert.Equal(t, "second", p.Key, key)
		assert.True(t, p.Business, key)
	}
	f.requireFree(t, newClaim("first"))
}

// businessMoves: a key that runs again after it expired may name another thing, and the former one is free.
func businessMoves[Tx any](t *testing.T, f *fixture[Tx]) {
	short := about("k", "order 1")
	short.Retention = time.Minute
	f.complete(t, f.hold(t, short), completed("old"))
	f.clock.advance(time.Minute)
	f.complete(t, f.hold(t, about("k", "order 2")), completed("new"))
	assert.Equal(t, "k", f.find(t, about("other", "order 2")).Key)
	f.complete(t, f.hold(t, about("other", "order 1")), completed("other"))
	assert.Equal(t, "other", f.find(t, about("third", "order 1")).Key)

	short = about("again", "order 3")
	short.Retention = time.Minute
	f.complete(t, f.hold(t, short), completed("old"))
	f.clock.advance(time.Minute)
	f.complete(t, f.hold(t, about("again", "order 3")), completed("new")) // key and business key of one expired record
	assert.Equal(t, "new", string(f.find(t, about("fourth", "order 3")).Response.Body))
}

// businessAlone: without a client's key the record's key is made of the digest, which no client can spell.
func businessAlone[Tx any](t *testing.T, f *fixture[Tx]) {
	alone := about("\u00016f7264657220310a", "order 1")
	f.complete(t, f.hold(t, alone), completed("alone"))
	assert.Equal(t, "alone", string(f.find(t, about(alone.Key, "order 1")).Response.Body))
	p := f.find(t, about("client's", "order 1"))
	assert.True(t, p.Business)
	assert.Equal(t, alone.Key, p.Key)

	f.complete(t, f.hold(t, about("client's", "order 2")), completed("client's"))
	p = f.find(t, about("\u00016f7264657220320a", "order 2"))
	assert.True(t, p.Business)
	assert.Equal(t, "client's", p.Key)
}

func businessOfLease[Tx any](t *testing.T, f *fixture[Tx]) {
	c := aboutLease("first", "order 1")
	l := f.lease(t, c)
	p := f.findLeased(t, aboutLease("second", "order 1"))
	assert.True(t, p.Business)
	assert.Equal(t, idem.StateInFlight, p.State)
	assert.Equal(t, c.Token, p.Token)
	assert.Equal(t, "first", p.Key)
	assert.Equal(t, leaseTime, p.LeaseLeft)
	assert.Equal(t, p, f.find(t, about("second", "order 1")))
	f.lease(t, newLease("second")) // its claim was undone
	again, err := f.tryLease(f.ctx, c)
	require.NoError(t, err)
	assert.Equal(t, idem.StateAbsent, again.State, "own token under a business key")

	f.settle(t, l, completed("first"))
	p = f.findLeased(t, aboutLease("third", "order 1"))
	assert.True(t, p.Business)
	assert.Equal(t, "first", string(p.Response.Body))
	f.clock.advance(retention)
	f.lease(t, aboutLease("third", "order 1"))

	f.complete(t, f.hold(t, about("transaction", "order 2")), completed("{}"))
	assert.Equal(t, "transaction", f.findLeased(t, aboutLease("fourth", "order 2")).Key)
}

func businessTakenOver[Tx any](t *testing.T, f *fixture[Tx]) {
	l := f.lease(t, aboutLease("first", "order 1"))
	f.clock.advance(leaseTime)
	found := f.findLeased(t, aboutLease("second", "order 1"))
	assert.True(t, found.Business)
	assert.True(t, found.LeaseOver)
	l, _ = f.takeOver(t, l)
	found = f.findLeased(t, aboutLease("second", "order 1"))
	assert.Equal(t, l.Token, found.Token)
	assert.Equal(t, 2, found.Attempt)
	for _, state := range []idem.State{idem.StateFailedRetryable, idem.StateUnknown} {
		f.settle(t, l, idem.Completion{State: state})
		found = f.findLeased(t, aboutLease("second", "order 1"))
		assert.True(t, found.Business)
		assert.Equal(t, state, found.State)
		if state == idem.StateFailedRetryable {
			l, _ = f.takeOver(t, leaseOn(found))
		}
	}
}
