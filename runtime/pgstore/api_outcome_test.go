package pgstore_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// How a handler can end on a real database, what the client is told, and what the next request with its key gets.
func TestWhatTheClientIsToldOfItsTransaction(t *testing.T) {
	status := func(n int) (idem.Response, error) { return idem.Response{Status: n}, nil }
	exec := func(ctx ctx, ex *apiExecution, sql string) { _, _ = ex.Tx().Exec(ctx, sql) }
	const uniqueViolation = "insert into customers values (1)"
	queue := func(ex *apiExecution, sql string, args ...any) {
		if err := ex.Queue(sql, args...); err != nil {
			panic(err)
		}
	}
	for name, c := range map[string]struct {
		end     apiHandler
		status  int
		code    idem.Code // empty: the handler's response
		next    int       // status of the next request, whose handler works
		replay  bool
		effects int // of both
	}{
		"works": {func(ctx, *apiExecution) (idem.Response, error) { return status(201) }, 201, "", 201, true, 1},
		"conflict turned into 409": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			exec(ctx, ex, uniqueViolation)
			return status(409)
		}, 409, "", 409, true, 0},
		"conflict turned into 409, writes to be kept": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			ex.KeepWrites()
			exec(ctx, ex, uniqueViolation)
			return status(409)
		}, 409, "", 409, true, 0},
		"conflict overlooked": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			exec(ctx, ex, uniqueViolation)
			return status(201)
		}, 500, idem.CodeCompletionFailed, 201, false, 1},
		"conflict returned": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			_, err := ex.Tx().Exec(ctx, "select 1/0")
			return idem.Response{}, err
		}, 500, "", 201, false, 1},
		"conflict within a savepoint": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			err := pgx.BeginFunc(ctx, ex.Tx(), func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, uniqueViolation)
				return err
			})
			var pg *pgconn.PgError
			if !errors.As(err, &pg) {
				return idem.Response{}, errors.New("no violation")
			}
			return status(201)
		}, 201, "", 201, true, 1},
		"declined, its row kept": {func(_ ctx, ex *apiExecution) (idem.Response, error) {
			ex.KeepWrites()
			return status(402)
		}, 402, "", 402, true, 1},
		"declined": {func(ctx, *apiExecution) (idem.Response, error) { return status(402) }, 402, "", 402, true, 0},
		"excepted": {func(ctx, *apiExecution) (idem.Response, error) { return status(429) }, 429, "", 201, false, 1},
		"deferred constraint": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			exec(ctx, ex, "insert into orders values (17)")
			return status(201)
		}, 500, idem.CodeCompletionFailed, 201, false, 1},
		"serialisation failure at the commit": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			exec(ctx, ex, "insert into clashing values (1)")
			return status(201)
		}, 503, idem.CodeTryAgain, 201, false, 1},
		"serialisation failure of a statement": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			_, err := ex.Tx().Exec(ctx, "select clash()")
			return idem.Response{}, err
		}, 503, idem.CodeTryAgain, 201, false, 1},
		"queued": {func(_ ctx, ex *apiExecution) (idem.Response, error) {
			queue(ex, "insert into effects values ($1)", "k")
			return status(201)
		}, 201, "", 201, true, 2},
		"queued and declined": {func(_ ctx, ex *apiExecution) (idem.Response, error) {
			queue(ex, "insert into effects values ($1)", "k")
			return status(402)
		}, 402, "", 402, true, 0},
		"queued, declined and kept": {func(_ ctx, ex *apiExecution) (idem.Response, error) {
			queue(ex, "insert into effects values ($1)", "k")
			ex.KeepWrites()
			return status(402)
		}, 402, "", 402, true, 2},
		"queued statement fails": {func(_ ctx, ex *apiExecution) (idem.Response, error) {
			queue(ex, uniqueViolation)
			return status(201)
		}, 500, idem.CodeCompletionFailed, 201, false, 1},
		"queued statement clashes": {func(_ ctx, ex *apiExecution) (idem.Response, error) {
			queue(ex, "select clash()")
			return status(201)
		}, 503, idem.CodeTryAgain, 201, false, 1},
		"commits itself": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			exec(ctx, ex, "commit")
			return status(201)
		}, 500, idem.CodeCompletionFailed, 409, false, 1},
		"rolls back itself": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			exec(ctx, ex, "rollback")
			return status(201)
		}, 500, idem.CodeCompletionFailed, 201, false, 1},
		"commits by the method that refuses": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			return idem.Response{}, ex.Tx().Commit(ctx)
		}, 500, "", 201, false, 1},
		"deadline": {func(ctx ctx, ex *apiExecution) (idem.Response, error) {
			within, cancel := context.WithCancel(ctx)
			cancel()
			_, err := ex.Tx().Exec(within, "select 1")
			return idem.Response{}, err
		}, 500, "", 201, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			_, err := b.pool.Exec(b.ctx, `create table customers (id int primary key); insert into customers values (1);
				create table orders (customer int references customers deferrable initially deferred);
				create table clashing (n int);
				create function clash() returns int language plpgsql as $$ begin raise exception 'clash' using errcode = '40001'; end $$;
				create function clashes() returns trigger language plpgsql as $$ begin perform clash(); return null; end $$;
				create constraint trigger clashes after insert on clashing deferrable initially deferred for each row execute function clashes()`)
			require.NoError(t, err)
			a := newAPI(t, b, nil)
			var kept *apiExecution
			first := ask(a.handler(func(ctx ctx, ex *apiExecution) (idem.Response, error) {
				kept = ex
				if err := effects.Write(ctx, ex.Tx(), "k"); err != nil {
					return idem.Response{}, err
				}
				return c.end(ctx, ex)
			}), "k")
			assert.Equal(t, c.status, first.status, first.body)
			if c.code != "" {
				assert.Equal(t, c.code, first.code())
			}
			_, err = kept.Tx().Exec(b.ctx, "insert into effects values ('k')")
			require.ErrorIs(t, err, idem.ErrSettled, "a handler that keeps its transaction has nothing")
			require.ErrorIs(t, kept.Queue("insert into effects values ('k')"), idem.ErrSettled)

			next := ask(a.handler(paying), "k")
			assert.Equal(t, c.next, next.status, next.body)
			assert.Equal(t, c.replay, next.replayed)
			if c.next == http.StatusConflict && !c.replay {
				assert.Equal(t, idem.CodeOutcomeUnknown, next.code(), "nobody can say what became of it")
			}
			assert.Equal(t, c.effects, b.count("k"))
			b.requireHealthy()
		})
	}
}

// Two handlers that wait for each other: the database ends one of them, and its client is told to try again.
func TestDeadlockOfTwoHandlers(t *testing.T) {
	b := newBench(t, nil)
	_, err := b.pool.Exec(b.ctx, "create table accounts (id int primary key); insert into accounts values (1), (2)")
	require.NoError(t, err)
	a := newAPI(t, b, nil)
	locked := map[string]chan struct{}{"one": make(chan struct{}), "two": make(chan struct{})}
	other := map[string]string{"one": "two", "two": "one"}
	account := map[string]int{"one": 1, "two": 2}
	lock := func(ctx ctx, ex *apiExecution, id int) error {
		_, err := ex.Tx().Exec(ctx, "select from accounts where id = $1 for update", id)
		return err
	}
	h := a.handler(func(ctx ctx, ex *apiExecution) (idem.Response, error) {
		mine := ex.Key()
		if err := lock(ctx, ex, account[mine]); err != nil {
			return idem.Response{}, err
		}
		close(locked[mine])
		<-locked[other[mine]]
		if err := lock(ctx, ex, account[other[mine]]); err != nil {
			return idem.Response{}, err
		}
		return paying(ctx, ex)
	})
	replies := make(chan reply, 2)
	for key := range locked {
		go func() { replies <- ask(h, key) }()
	}
	one, two := <-replies, <-replies
	if one.status != 201 {
		one, two = two, one
	}
	assert.Equal(t, 201, one.status, one.body)
	assert.Equal(t, 503, two.status, two.body)
	assert.Equal(t, idem.CodeTryAgain, two.code())
	assert.Equal(t, 1, b.count("one")+b.count("two"))
	for key := range locked {
		assert.Equal(t, 201, ask(a.handler(paying), key).status)
		assert.Equal(t, 1, b.count(key))
	}
	b.requireHealthy()
}
