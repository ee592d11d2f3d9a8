package twins_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	lease     = time.Second
	retention = 10 * time.Second
)

// store is what both are.
type store[Tx any] interface {
	idem.LeaseStore[Tx]
	idem.Sweeper
	idem.Eraser
	idem.Resolver
}

// token is an attempt's in both stores, with the record that it was given.
type token struct {
	of  [2]idem.UUID
	ref idem.LeaseRef
}

// pair are the stores with everything that calls can refer to.
type pair struct {
	ctx     context.Context
	memory  store[*memstore.Tx]
	pg      store[pgx.Tx]
	now     time.Time
	tokens  []token
	records []idem.UUID
	lost    []idem.Claim // claims of leases, which may come again
	issued  int
}

// TestTwins plays random calls on both.
func TestTwins(t *testing.T) {
	pool := pgtest.Schema(t)
	require.NoError(t, pgstore.Migrate(t.Context(), pool))
	rapid.Check(t, func(rt *rapid.T) {
		p := newPair(rt, pool)
		rt.Repeat(map[string]func(*rapid.T){
			"claim a lease": p.claimLease, "claim": p.claim, "take over": p.takeOver, "due": p.due, "phase": p.phase,
			"settle": p.settle, "extend": p.extend, "look up": p.lookup, "sweep": p.sweep, "erase": p.erase, "stuck": p.stuck,
			"inspect": p.inspect, "resolve": p.resolve, "free": p.free, "time passes": p.pass,
		})
		p.requireNothingLeft(rt, pool)
	})
}

func newPair(rt *rapid.T, pool *pgxpool.Pool) *pair {
	_, err := pool.Exec(context.Background(), "truncate idempotency_records, idempotency_phases, idempotency_business_keys")
	require.NoError(rt, err)
	p := &pair{ctx: context.Background(), now: time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return p.now }
	p.memory, p.pg = memstore.New(memstore.WithClock(clock)), pgstore.New(pool, pgstore.WithClock(clock))
	return p
}

// requireNothingLeft frees what is stuck, lets time pass, sweeps and erases: then no row of any table is left.
func (p *pair) requireNothingLeft(rt *rapid.T, pool *pgxpool.Pool) {
	p.now = p.now.Add(10 * retention)
	stuck, err := p.pg.Stuck(p.ctx, 100)
	require.NoError(rt, err)
	for _, r := range stuck {
		require.NoError(rt, p.pg.Free(p.ctx, r.RecordID))
	}
	p.sweep(rt)
	for _, scope := range []string{"a", "b"} {
		_, kept, err := p.pg.Erase(p.ctx, scope)
		require.NoError(rt, err)
		require.Zero(rt, kept)
	}
	for _, table := range []string{"idempotency_records", "idempotency_phases", "idempotency_business_keys"} {
		var left int
		require.NoError(rt, pool.QueryRow(p.ctx, "select count(*) from "+table).Scan(&left))
		require.Zero(rt, left, "rows left in %s", table)
	}
}

// same compares what the stores answered.
func same[T any](rt *rapid.T, what string, memory, pg T, errMemory, errPG error) {
	rt.Helper()
	require.Equal(rt, class(errMemory), class(errPG), "%s: %v; %v", what, errMemory, errPG)
	if errMemory == nil {
		require.Equal(rt, memory, pg, what)
	}
}

// class tells errors apart as engines do.
func class(err error) string {
	for _, known := range []error{idem.ErrFenced, idem.ErrPhaseTwice, idem.ErrNoRecord, idem.ErrNotStuck, idem.ErrSerialization} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if err != nil {
		return "another error"
	}
	return ""
}

// seen is a prior as both stores must see it.
func (p *pair) seen(which int, prior idem.Prior) idem.Prior {
	if i := slices.IndexFunc(p.tokens, func(t token) bool { return t.of[which] == prior.Token }); i >= 0 {
		prior.Token = p.tokens[i].of[0]
	} else if !issued(prior.Token) {
		prior.Token = idem.UUID{0xff} // a store's own choice, which no attempt has
	}
	if len(prior.Response.Header) == 0 {
		prior.Response.Header = nil
	}
	for _, b := range []*[]byte{&prior.Fingerprints, &prior.Fields, &prior.Request, &prior.Response.Body} {
		if len(*b) == 0 {
			*b = nil
		}
	}
	if len(prior.Phases) == 0 {
		prior.Phases = nil
	}
	return prior
}

func (p *pair) samePrior(rt *rapid.T, what string, memory, pg idem.Prior, errMemory, errPG error) {
	rt.Helper()
	same(rt, what, p.seen(0, memory), p.seen(1, pg), errMemory, errPG)
}

// issue gives a UUID that nobody has: a number, so that a sequence reads well.
func (p *pair) issue() (u idem.UUID) {
	p.issued++
	u[14], u[15] = byte(p.issued>>8), byte(p.issued)
	return u
}

func issued(u idem.UUID) bool { return [14]byte(u[:14]) == [14]byte{} }
