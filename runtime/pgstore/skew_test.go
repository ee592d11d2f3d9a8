package pgstore_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// The database's clock alone counts: a program whose own clock is decades slow, or fast, writes and reads records as every other one
// does.
func TestProgramsWhoseClocksDiffer(t *testing.T) {
	const century = 100 * 365 * 24 * time.Hour
	right := newBench(t, nil)
	right.ctx = context.Background() // one with a time limit ends by another clock
	outside, done := make(chan func()), make(chan bool)
	go func() {
		for f := range outside {
			go func() { // of its own, since a failed requirement ends it
				defer func() { done <- true }()
				f()
			}()
		}
	}()
	defer close(outside)
	synctest.Test(t, func(t *testing.T) {
		cfg := right.pool.Config()
		cfg.HealthCheckPeriod, cfg.MaxConnLifetime, cfg.MaxConnIdleTime = century, 2*century, 2*century
		pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
		require.NoError(t, err)
		defer pool.Close()
		here := program{&bench{t: t, ctx: right.ctx, pool: pool, store: pgstore.New(pool)}, func(f func()) { f() }}
		there := program{right, func(f func()) { outside <- f; <-done }}
		require.Equal(t, 2000, time.Now().Year())
		here.requireOneTimeWith(there, "slow, writes")
		there.requireOneTimeWith(here, "slow, reads")
		time.Sleep(century / 2)
		here.requireOneTimeWith(there, "fast, writes")
		there.requireOneTimeWith(here, "fast, reads")
	})
}

// program is a bench with the place where its time passes.
type program struct {
	*bench
	do func(func())
}

// requireOneTimeWith says that the reader sees what this program writes as that sees it.
func (p program) requireOneTimeWith(reader program, name string) {
	done, leased, brief := newClaim(name+" done"), newClaim(name+" leased"), newClaim(name+" brief")
	brief.Retention = time.Millisecond
	var l idem.LeaseRef
	p.do(func() {
		require.NoError(p.t, p.hold(done).Complete(p.ctx, created()))
		require.NoError(p.t, p.hold(brief).Complete(p.ctx, created()))
		l = p.lease(leased)
		_, err := p.pool.Exec(p.ctx, "select pg_sleep(0.01)")
		require.NoError(p.t, err)
	})
	reader.do(func() {
		assert.Equal(p.t, idem.StateCompleted, reader.find(done.Key).State, name)
		swept, err := reader.store.Sweep(reader.ctx, 10)
		require.NoError(p.t, err)
		assert.Equal(p.t, 1, swept, "%s: what has expired, and nothing else", name)
		reader.requireFree(brief.Key)
		for range 2 {
			found := reader.find(leased.Key)
			assert.False(p.t, found.LeaseOver, name)
			assert.InDelta(p.t, l.Lease, found.LeaseLeft, float64(l.Lease)/2, name)
			due, err := reader.store.Due(reader.ctx, idem.Due{Operations: map[string]time.Duration{leased.Operation: l.Lease}, Limit: 10})
			require.NoError(p.t, err)
			assert.Empty(p.t, due, name)
			lost, _, err := reader.store.Extend(reader.ctx, []idem.LeaseRef{l})
			require.NoError(p.t, err)
			assert.Empty(p.t, lost, name)
		}
		require.NoError(p.t, reader.store.Settle(reader.ctx, l, created()))
	})
	p.do(func() { assert.Equal(p.t, idem.StateCompleted, p.find(leased.Key).State, name) })
}
