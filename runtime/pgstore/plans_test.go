package pgstore_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// recorder keeps every statement that a pool sends, once, with its arguments.
type recorder struct {
	mu   sync.Mutex
	sent map[string][]any
}

func (r *recorder) add(sql string, args []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent[sql] = args
}

func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	r.add(d.SQL, d.Args)
	return ctx
}

func (r *recorder) TraceBatchQuery(_ context.Context, _ *pgx.Conn, d pgx.TraceBatchQueryData) {
	r.add(d.SQL, d.Args)
}

func (r *recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (r *recorder) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (r *recorder) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// manyRecordsSQL makes records of a thousand scopes, one in ten expired, one in ten leased, with business keys and phases.
const manyRecordsSQL = `insert into idempotency_records
  (scope, keyspace, key, operation, record_id, state, claim_token, fingerprints, created_at, expires_at, lease_until, business, status, headers, body)
select format('["tenant %s"]', i % 1000), 'createPayment', 'key ' || i, 'createPayment', gen_random_uuid(),
       case when i % 10 = 0 then 1 else 2 end, gen_random_uuid(), 'fp', now(), now() + (i - 4000) * interval '1 second',
       case when i % 10 = 0 then now() + (i - 4000) * interval '1 second' end, int4send(i), 201, '', repeat('x', 300)::bytea
  from generate_series(1, 40000) as i;
insert into idempotency_business_keys select scope, keyspace, business, scope, key, record_id from idempotency_records;
insert into idempotency_phases (record_id, name, result, recorded_at) select record_id, 'a', '{}', now() from idempotency_records;
analyze`

// Whatever requests, heartbeats, recovery, sweeping and erasing send goes by an index: a table of any size costs the same. What
// people call (Stuck, Inspect, Resolve, Free) is left out: it says that it reads the table.
func TestStatementsUseIndexes(t *testing.T) {
	r := &recorder{sent: map[string][]any{}}
	b := newBench(t, func(c *pgxpool.Config) { c.ConnConfig.Tracer = r })
	_, err := b.pool.Exec(b.ctx, manyRecordsSQL)
	require.NoError(t, err)
	clear(r.sent)
	b.runEverything()

	conn, err := b.pool.Acquire(b.ctx)
	require.NoError(t, err)
	defer conn.Release()
	explained := 0
	for sql, args := range maps.Clone(r.sent) {
		if !strings.Contains(sql, "idempotency_") {
			continue
		}
		explained++
		requireNoSeqScan(t, conn.Conn(), sql, "explain "+sql, append([]any{pgx.QueryExecModeExec}, args...)...)
		if len(args) > 0 { // the plan that a prepared statement has from its sixth execution on
			_, err := conn.Exec(b.ctx, "set plan_cache_mode = force_generic_plan; prepare generic as "+sql)
			require.NoError(t, err, sql)
			nulls := strings.TrimSuffix(strings.Repeat("null, ", len(args)), ", ")
			requireNoSeqScan(t, conn.Conn(), sql, "explain execute generic ("+nulls+")", pgx.QueryExecModeExec)
			_, err = conn.Exec(b.ctx, "deallocate generic")
			require.NoError(t, err, sql)
		}
	}
	assert.GreaterOrEqual(t, explained, 25, "statements")
}

func requireNoSeqScan(t *testing.T, conn *pgx.Conn, sql, explain string, args ...any) {
	t.Helper()
	rows, err := conn.Query(t.Context(), explain, args...)
	require.NoError(t, err, sql)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err, sql)
	if plan := strings.Join(lines, "\n"); strings.Contains(plan, "Seq Scan on idempotency_") {
		t.Errorf("%s\n%s\n%s", sql, explain[:min(len(explain), 30)], plan)
	}
}

// runEverything makes the store send each of its statements that are not for people.
func (b *bench) runEverything() {
	done := created()
	scoped := func(key string) idem.Claim {
		c := newClaim(key)
		c.Scope, c.Before, c.Business = fmt.Sprintf(`["new","%s"]`, key), fmt.Sprintf(`["old %s"]`, key), []byte(key)
		return c
	}
	short := scoped("twice")
	short.Retention = 0
	for range 2 { // the second time an expired record is taken over
		require.NoError(b.t, b.hold(short).Complete(b.ctx, done))
		short.Token, short.RecordID = idem.NewUUID(), idem.NewUUID()
	}
	second := scoped("twice")
	second.Key, second.Retention = "another key", 0
	held, _, err := b.store.Claim(b.ctx, second) // its business key's record has expired
	require.NoError(b.t, err)
	require.NoError(b.t, held.Complete(b.ctx, done))
	c := scoped("leased")
	c.Lease = time.Nanosecond
	l := b.lease(c)
	b.commit(b.phase(l), "a", nil)
	_, _, err = b.store.Extend(b.ctx, []idem.LeaseRef{l})
	require.NoError(b.t, err)
	taken, err := b.store.Due(b.ctx, idem.Due{Operations: map[string]time.Duration{"createPayment": time.Minute}, Limit: 50})
	require.NoError(b.t, err)
	require.NotEmpty(b.t, taken)
	_, err = b.store.TakeOver(b.ctx, idem.TakeOver{Scope: l.Scope, Keyspace: l.Keyspace, Key: l.Key, Before: l.Before, From: l.Token})
	require.NoError(b.t, err)
	require.NoError(b.t, b.store.Settle(b.ctx, b.lease(scoped("settled")), done))
	b.commit(b.phase(b.lease(scoped("last"))), "a", &done)
	_, err = b.store.Lookup(b.ctx, `["tenant 1"]`, "createPayment", "key 1")
	require.NoError(b.t, err)
	swept, err := b.store.Sweep(b.ctx, 100)
	require.NoError(b.t, err)
	require.Equal(b.t, 100, swept)
	_, err = b.store.Sweep(b.ctx, 10000) // the last batch looks for aliases
	require.NoError(b.t, err)
	_, _, err = b.store.Erase(b.ctx, "tenant 7")
	require.NoError(b.t, err)
	require.NoError(b.t, b.hold(newClaim("released")).Release(b.ctx))
	gone := b.phase(b.lease(newClaim("gone")))
	raw(b, gone.Tx(), "commit")
	require.ErrorIs(b.t, gone.Release(b.ctx), idem.ErrFenced)
}
