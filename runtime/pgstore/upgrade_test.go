package pgstore_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/pgstore/schema"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// A migration that was published is never changed.
func TestPublishedMigrationsStayAsTheyAre(t *testing.T) {
	want := map[int]string{
		1: "f8c598e9",
		2: "f975ea4d",
	}
	for _, m := range schema.Migrations() {
		if digest, published := want[m.Version]; published {
			sum := sha256.Sum256([]byte(m.SQL))
			assert.Equal(t, digest, hex.EncodeToString(sum[:4]), "version %d", m.Version)
		}
	}
}

// oldProgram is a program that knows version 1 alone.
type oldProgram struct{ *bench }

// claim takes a key as the old program does and leaves its transaction open; nil when the key is taken.
func (p oldProgram) claim(c idem.Claim, sql string) pgx.Tx {
	p.t.Helper()
	tx, err := p.pool.Begin(p.ctx)
	require.NoError(p.t, err)
	tag, err := tx.Exec(p.ctx, sql, c.Scope, c.Keyspace, c.Key, c.Operation, c.RecordID.String(), c.Token.String(),
		c.Fingerprints, c.Fields, c.Retention.Milliseconds(), int64(50), int64(60000), nil)
	require.NoError(p.t, err)
	if tag.RowsAffected() == 0 {
		require.NoError(p.t, tx.Rollback(p.ctx))
		return nil
	}
	return tx
}

func (p oldProgram) complete(tx pgx.Tx, c idem.Claim, body string) {
	p.t.Helper()
	_, err := tx.Exec(p.ctx, oldCompleteSQL, c.Scope, c.Keyspace, c.Key, c.Token.String(), 2, 201, []byte{1}, []byte(body), nil)
	require.NoError(p.t, err)
	require.NoError(p.t, tx.Commit(p.ctx))
}

// seen is what the old program reads under a key.
type seen struct {
	state                      int16
	body                       []byte
	expired, leased, leaseOver bool
}

func (p oldProgram) look(c idem.Claim) (s seen) {
	p.t.Helper()
	err := p.pool.QueryRow(p.ctx, oldSelectSQL, c.Scope, c.Keyspace, c.Key, nil).Scan(nil, nil, &s.state, nil, nil, nil, nil, nil, nil,
		&s.body, &s.expired, &s.leased, &s.leaseOver)
	require.NoError(p.t, err)
	return s
}

// oldBench is a database of version 1 with records in it, and what came of them after the migration.
func oldBench(t *testing.T) (*bench, oldProgram) {
	b := &bench{t: t, ctx: t.Context(), pool: pgtest.Schema(t)}
	_, err := b.pool.Exec(b.ctx, schema.VersionsSQL+";"+schema.Migrations()[0].SQL+
		"; insert into idempotency_schema values (1, now()); create table effects (name text not null)")
	require.NoError(t, err)
	b.store = pgstore.New(b.pool)
	return b, oldProgram{b}
}

func TestUpgradeKeepsRecords(t *testing.T) {
	b, old := oldBench(t)
	done, expired := newClaim("done"), newClaim("expired")
	expired.Retention = 0
	old.complete(old.claim(done, oldClaimSQL), done, "old")
	old.complete(old.claim(expired, oldClaimSQL), expired, "old")
	committed := newClaim("committed by its handler")
	require.NoError(t, old.claim(committed, oldClaimSQL).Commit(b.ctx))
	require.NoError(t, pgstore.Migrate(b.ctx, b.pool))

	p := b.find("done")
	assert.Equal(t, idem.StateCompleted, p.State)
	assert.Equal(t, "old", string(p.Response.Body))
	assert.Equal(t, done.Token, p.Token)
	assert.False(t, p.NotKept)
	assert.Equal(t, idem.StateUnknown, b.find("committed by its handler").State)
	b.requireFree("expired")
}

// Programs of both versions run side by side, on keys of either.
func TestOldProgramBesideANewOne(t *testing.T) {
	b, old := oldBench(t)
	require.NoError(t, pgstore.Migrate(b.ctx, b.pool))

	c := newClaim("old program's")
	tx := old.claim(c, oldClaimSQL)
	require.Equal(t, idem.StateInFlight, b.find(c.Key).State, "the new one meets the old one's claim")
	old.complete(tx, c, "old")
	assert.Equal(t, "old", string(b.find(c.Key).Response.Body))

	c = newClaim("new program's")
	c.Business = []byte("order")
	held := b.hold(c)
	require.NoError(t, held.Complete(b.ctx, created()))
	require.Nil(t, old.claim(newClaim(c.Key), oldClaimSQL))
	assert.Equal(t, seen{state: 2, body: []byte("{}")}, old.look(c))
	require.Nil(t, old.claim(newClaim(c.Key), oldTakeOverSQL), "it has not expired")
}

// What the old program makes of records that it does not know: it never runs one again.
func TestOldProgramRunsNothingOfANewOneAgain(t *testing.T) {
	b, old := oldBench(t)
	require.NoError(t, pgstore.Migrate(b.ctx, b.pool))
	lease := func(key string, end *idem.Completion) idem.Claim {
		c := newClaim(key)
		c.Lease, c.Retention = time.Millisecond, 0 // over and expired at once
		l := b.lease(c)
		if end != nil {
			require.NoError(t, b.store.Settle(b.ctx, l, *end))
		}
		return c
	}
	for _, c := range []idem.Claim{lease("in flight", nil), lease("unknown", &idem.Completion{State: idem.StateUnknown})} {
		require.Nil(t, old.claim(newClaim(c.Key), oldClaimSQL))
		require.Nil(t, old.claim(newClaim(c.Key), oldTakeOverSQL))
		assert.True(t, old.look(c).leased)
	}

	two := newClaim("two scopes")
	two.Scope, two.Before = `["acme","ann"]`, two.Scope
	require.NoError(t, b.hold(two).Complete(b.ctx, created()))
	alias := newClaim(two.Key)
	alias.Scope = two.Scope
	require.Nil(t, old.claim(alias, oldClaimSQL))
	known := old.look(alias).state
	assert.Equal(t, idem.ConditionUnknown, idem.ConditionOf(idem.State(known), false, false), "to every version")
	assert.EqualValues(t, 2, old.look(newClaim(two.Key)).state, "under the scope from before the record is whole")
}

// The old program takes over an expired record of the new one, and leaves what it does not know. The business key is free then, and
// so is the second scope.
func TestOldProgramTakesOverWhatExpired(t *testing.T) {
	b, old := oldBench(t)
	require.NoError(t, pgstore.Migrate(b.ctx, b.pool))
	two := newClaim("k")
	two.Scope, two.Before, two.Business, two.Retention = `["acme","ann"]`, two.Scope, []byte("order"), 0
	require.NoError(t, b.hold(two).Complete(b.ctx, created()))
	c := newClaim("k")
	require.Nil(t, old.claim(c, oldClaimSQL))
	old.complete(old.claim(c, oldTakeOverSQL), c, "old")

	assert.Equal(t, "old", string(b.find("k").Response.Body))
	again := newClaim("another")
	again.Scope, again.Business = two.Scope, two.Business
	require.NoError(t, b.hold(again).Release(b.ctx))
	now := newClaim("k")
	now.Scope = two.Scope
	require.NoError(t, b.hold(now).Complete(b.ctx, created()))
	_, prior, err := b.store.Claim(b.ctx, now)
	require.NoError(t, err)
	assert.Equal(t, now.RecordID, prior.RecordID)
}

// A state that this program does not know is never run again, whatever its clock says.
func TestStatesOfNewerProgramsAreUnknown(t *testing.T) {
	b := newBench(t, nil)
	for _, state := range []int{6, 7, 256, 258, 300, -1} {
		c := newClaim("k")
		c.Retention = 0
		require.NoError(t, b.hold(c).Complete(b.ctx, created()))
		_, err := b.pool.Exec(b.ctx, "update idempotency_records set state = $1, expires_at = now() - interval '1 day'", state)
		require.NoError(t, err)
		assert.Equal(t, idem.StateUnknown, b.find("k").State, "state %d", state)
		lease := newClaim("k")
		lease.Lease = time.Minute
		prior, err := b.store.ClaimLease(b.ctx, lease)
		require.NoError(t, err)
		assert.Equal(t, idem.StateUnknown, prior.State, "state %d", state)
		_, err = b.store.TakeOver(b.ctx, idem.TakeOver{
			Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key, From: c.Token, Token: idem.NewUUID(), Lease: time.Minute})
		require.ErrorIs(t, err, idem.ErrFenced, "state %d", state)
		_, err = b.pool.Exec(b.ctx, "delete from idempotency_records")
		require.NoError(t, err)
	}
}

// Changing a table waits for those who use it, but those who come after that do not wait long.
func TestMigrateGivesWay(t *testing.T) {
	b, old := oldBench(t)
	c := newClaim("k")
	tx := old.claim(c, oldClaimSQL)
	migrated := make(chan error, 1)
	go func() { migrated <- pgstore.Migrate(b.ctx, b.pool) }()
	require.Eventually(t, func() (waits bool) {
		const sql = `select count(*) > 0 from pg_stat_activity where wait_event_type = 'Lock' and query like '%alter table%'`
		require.NoError(t, b.pool.QueryRow(b.ctx, sql).Scan(&waits))
		return waits
	}, 20*time.Second, 5*time.Millisecond)
	other, err := b.pool.Begin(b.ctx)
	require.NoError(t, err)
	_, err = other.Exec(b.ctx, "set local lock_timeout = '10s'; select 1 from idempotency_records")
	require.NoError(t, err, "while the migration waits for the first")
	require.NoError(t, other.Rollback(b.ctx))
	old.complete(tx, c, "old")
	require.NoError(t, <-migrated)
	assert.Equal(t, "old", string(b.find("k").Response.Body))
}
