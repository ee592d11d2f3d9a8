package pgstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

var everyMode = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// firsts are first statements of a phase, each of which writes "w" once, however pgx is used for it.
var firsts = map[string]func(ctx context.Context, tx pgx.Tx) error{
	"Exec": func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, insertEffect, "w")
		if err == nil && tag.String() != "INSERT 0 1" {
			return assert.AnError
		}
		return err
	},
	"Exec without arguments": func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "insert into effects (name) values ('w')")
		return err
	},
	"Exec of several": func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "select 1; insert into effects (name) values ('w')")
		return err
	},
	"Exec with named arguments": func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "insert into effects (name) values (@name)", pgx.NamedArgs{"name": "w"})
		return err
	},
	"Exec with a mode": func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insertEffect, pgx.QueryExecModeExec, "w")
		return err
	},
	"Exec of a prepared statement": func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "insert_effect", "w")
		return err
	},
	"Exec of nothing": func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, ""); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insertEffect, "w")
		return err
	},
	"Query": func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, insertEffect+" returning name", "w")
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err == nil && (len(names) != 1 || names[0] != "w" || rows.CommandTag().RowsAffected() != 1) {
			return assert.AnError
		}
		return err
	},
	"Query that is closed early": func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "with w as (insert into effects (name) values ('w')) select generate_series(1, 100)")
		if err != nil {
			return err
		}
		rows.Next()
		rows.Close()
		return rows.Err()
	},
	"Query with result formats": func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, insertEffect+" returning 1", pgx.QueryResultFormats{pgx.TextFormatCode}, "w")
		if err != nil {
			return err
		}
		rows.Close()
		return rows.Err()
	},
	"QueryRow": func(ctx context.Context, tx pgx.Tx) error {
		var n int
		return tx.QueryRow(ctx, insertEffect+" returning 1", "w").Scan(&n)
	},
	"SendBatch": func(ctx context.Context, tx pgx.Tx) error {
		b := &pgx.Batch{}
		called := 0
		b.Queue("select 7").QueryRow(func(row pgx.Row) error { called++; var n int; return row.Scan(&n) })
		b.Queue(insertEffect, "w").Exec(func(tag pgconn.CommandTag) error { called += int(tag.RowsAffected()); return nil })
		br := tx.SendBatch(ctx, b)
		if br.Tx() != nil { // the transaction is nobody's to end
			return assert.AnError
		}
		if err := br.Close(); err != nil || called != 2 {
			return assert.AnError
		}
		return nil
	},
	"SendBatch of nothing": func(ctx context.Context, tx pgx.Tx) error {
		if err := tx.SendBatch(ctx, &pgx.Batch{}).Close(); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insertEffect, "w")
		return err
	},
	"CopyFrom": func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"effects"}, []string{"name"}, pgx.CopyFromRows([][]any{{"w"}}))
		return err
	},
	"Begin": func(ctx context.Context, tx pgx.Tx) error {
		return pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, insertEffect, "w")
			return err
		})
	},
	"Prepare": func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Prepare(ctx, "another", insertEffect); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "another", "w")
		return err
	},
	"Conn": func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Conn().Exec(ctx, insertEffect, "w")
		return err
	},
}

// withPrepared gives every connection a prepared statement.
func withPrepared(mode pgx.QueryExecMode) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) {
		inMode(mode)(c)
		c.PrepareConn = func(ctx context.Context, conn *pgx.Conn) (bool, error) {
			_, _ = conn.Prepare(ctx, "insert_effect", insertEffect) // before the table is there it fails
			return true, nil
		}
	}
}

// Whatever a phase's first statement is, it runs inside the phase's transaction: it is committed with the phase, and not without.
func TestFirstStatementOfAPhase(t *testing.T) {
	for _, mode := range everyMode {
		t.Run(mode.String(), func(t *testing.T) {
			b := newBench(t, withPrepared(mode))
			for name, first := range firsts {
				if mode == pgx.QueryExecModeSimpleProtocol && name == "Exec of a prepared statement" {
					continue // batches of this mode know no prepared statements
				}
				l := b.lease(newClaim(name))
				held := b.phase(l)
				require.NoError(t, first(b.ctx, held.Tx()), name)
				require.NoError(t, held.Release(b.ctx), name)
				assert.Zero(t, b.count("w"), name)

				held = b.phase(l)
				require.NoError(t, first(b.ctx, held.Tx()), name)
				var n int
				require.NoError(t, held.Tx().QueryRow(b.ctx, "select count(*) from effects where name = $1", "w").Scan(&n), name)
				assert.Equal(t, 1, n, name)
				assert.Zero(t, b.count("w"), name)
				b.commit(held, name, nil)
				assert.Equal(t, 1, b.count("w"), name)
				_, err := b.pool.Exec(b.ctx, "delete from effects")
				require.NoError(t, err)
			}
			b.requireHealthy()
		})
	}
}

// A first statement that fails leaves what it would leave in a transaction that had begun before: an aborted one.
func TestFirstStatementOfAPhaseThatFails(t *testing.T) {
	for _, mode := range everyMode {
		t.Run(mode.String(), func(t *testing.T) {
			b := newBench(t, inMode(mode))
			l := b.lease(newClaim("k"))
			for name, c := range map[string]struct {
				first func(tx pgx.Tx) error
				code  string
			}{
				"at run time":  {func(tx pgx.Tx) error { _, err := tx.Exec(b.ctx, "select 1/$1::int", 0); return err }, "22012"},
				"at preparing": {func(tx pgx.Tx) error { _, err := tx.Exec(b.ctx, "select $1::int from nowhere", 1); return err }, "42P01"},
				"at preparing, a query": {func(tx pgx.Tx) error {
					rows, _ := tx.Query(b.ctx, "select $1::int from nowhere", 1)
					rows.Close()
					return rows.Err()
				}, "42P01"},
				"at preparing, a row": {func(tx pgx.Tx) error { var n int; return tx.QueryRow(b.ctx, "select from").Scan(&n) }, "42601"},
				"in the rows": {func(tx pgx.Tx) error {
					rows, err := tx.Query(b.ctx, "select 1/(3-i) from generate_series(1, 5) i")
					if err != nil {
						return err
					}
					_, err = pgx.CollectRows(rows, pgx.RowTo[int])
					return err
				}, "22012"},
				"in a batch": {func(tx pgx.Tx) error {
					batch := &pgx.Batch{}
					batch.Queue(insertEffect, "w")
					batch.Queue("select 1/$1::int", 0)
					return tx.SendBatch(b.ctx, batch).Close()
				}, "22012"},
				"at preparing a batch": {func(tx pgx.Tx) error {
					batch := &pgx.Batch{}
					batch.Queue(insertEffect, "w")
					batch.Queue("select $1::int from nowhere", 1)
					return tx.SendBatch(b.ctx, batch).Close()
				}, "42P01"},
			} {
				held := b.phase(l)
				var pg *pgconn.PgError
				require.ErrorAs(t, c.first(held.Tx()), &pg, name)
				assert.Equal(t, c.code, pg.Code, name)
				_, err := held.Tx().Exec(b.ctx, "select 1")
				require.ErrorAs(t, err, &pg, name)
				assert.Equal(t, "25P02", pg.Code, name)
				require.ErrorContains(t, held.Commit(b.ctx, idem.PhaseRecord{Name: name}, nil), "aborted", name)
				assert.Zero(t, b.count("w"), name)
				b.requireHealthy()
			}
			assert.Equal(t, idem.StateInFlight, b.find("k").State)
		})
	}
}

// An argument that cannot be encoded never reaches the server. In some modes pgx gives up the connection of a batch for it.
func TestFirstStatementThatCannotBeSent(t *testing.T) {
	for _, mode := range everyMode {
		t.Run(mode.String(), func(t *testing.T) {
			b := newBench(t, inMode(mode))
			held := b.phase(b.lease(newClaim("k")))
			_, err := held.Tx().Exec(b.ctx, insertEffect, make(chan int))
			require.Error(t, err)
			want := 1
			if err := effects.Write(b.ctx, held.Tx(), "w"); err != nil {
				want = 0
			}
			err = held.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, nil)
			assert.Equal(t, want == 0, errors.Is(err, idem.ErrStoreUnavailable), "%v", err)
			assert.Equal(t, want == 1, err == nil, "%v", err)
			assert.Equal(t, want, b.count("w"))
			b.requireHealthy()
		})
	}
}

func TestPhaseRefusesWhatIsTheStores(t *testing.T) {
	b := newBench(t, nil)
	held := b.phase(b.lease(newClaim("k")))
	require.ErrorIs(t, held.Tx().Commit(b.ctx), pgstore.ErrManaged)
	require.ErrorIs(t, held.Tx().Rollback(b.ctx), pgstore.ErrManaged)
	objects := held.Tx().LargeObjects()
	_, err := objects.Create(b.ctx, 0)
	require.ErrorIs(t, err, pgx.ErrTxClosed)
	batch := &pgx.Batch{}
	batch.BeginTx(pgx.TxOptions{})
	require.Error(t, held.Tx().SendBatch(b.ctx, batch).Close())
	require.NoError(t, effects.Write(b.ctx, held.Tx(), "w"))
	b.commit(held, "a", nil)
	assert.Equal(t, 1, b.count("w"))
	b.requireHealthy()
}

// The connection was lost before the first statement: the phase has not happened, and the store is what failed.
func TestPhaseWhoseFirstStatementIsLost(t *testing.T) {
	b := newBench(t, nil)
	for name, first := range firsts {
		held := b.phase(b.lease(newClaim(name)))
		conn := held.Tx().Conn() // begins; the loss comes after that
		_, err := b.pool.Exec(b.ctx, "select pg_terminate_backend($1, 10000)", conn.PgConn().PID())
		require.NoError(t, err)
		require.Error(t, first(b.ctx, held.Tx()), name)
		require.ErrorIs(t, held.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, nil), idem.ErrStoreUnavailable, name)
	}
	assert.Zero(t, b.count("w"))
	b.requireHealthy()
}

func TestPhaseThatStoodStill(t *testing.T) {
	b := newBench(t, nil)
	l := b.lease(newClaim("k"))
	held, err := b.store.BeginPhase(b.ctx, l, idem.BeginOptions{IdleTimeout: 50 * time.Millisecond})
	require.NoError(t, err)
	require.NoError(t, effects.Write(b.ctx, held.Tx(), "w"))
	require.Eventually(t, func() (ended bool) {
		const sql = "select count(*) = 0 from pg_stat_activity where state = 'idle in transaction' and query like 'insert into effects%'"
		require.NoError(t, b.pool.QueryRow(b.ctx, sql).Scan(&ended))
		return ended
	}, 20*time.Second, 10*time.Millisecond)
	err = held.Commit(b.ctx, idem.PhaseRecord{Name: "a"}, nil)
	require.Error(t, err)
	require.NotErrorIs(t, err, idem.ErrFenced, "the lease is still held")
	assert.Zero(t, b.count("w"))
	b.commit(b.phase(l), "a", nil)
	b.requireHealthy()
}
