package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
)

// dialect is what the store's flow asks of a database. Where two databases need the same steps they differ in texts alone.
type dialect interface {
	texts() *texts
	// clock is the parameter that stands for the time: the store's, or nil for the database's own, if there is one.
	clock(now func() time.Time) any
	// failure sorts an error of the driver.
	failure(err error) failure
	// ownIsolation is that of the store's own transactions.
	ownIsolation() sql.IsolationLevel
	// single reports whether one transaction at a time can write, and has to say so with its first statement.
	single() bool
	// begin makes a transaction without a claim, or that of a phase, the handler's. busy reports a transaction which a heartbeat of
	// its record would make fail.
	begin(ctx context.Context, tx *sql.Tx, idle time.Duration, phase bool) (busy bool, err error)
	// takeOver begins the next attempt of a record; sql.ErrNoRows when it may not.
	takeOver(ctx context.Context, tx *sql.Tx, t idem.TakeOver, now any) (idem.Prior, error)
	due(ctx context.Context, tx *sql.Tx, d idem.Due, now any) ([]idem.Prior, error)
	// extend gives the places of the leases that it did not extend, with whether they are held all the same.
	extend(ctx context.Context, tx *sql.Tx, leases []idem.LeaseRef, busy []bool, now any) (map[int]bool, error)
	// belongings are the statements that delete what belongs to records, and records those that delete the records themselves.
	belongings(ds []columns.Doomed) []statement
	records(ds []columns.Doomed) []statement
	migrations() migrations
	// metAnother reports an error that comes of two programs which migrate at once, or of a table in use.
	metAnother(err error) bool
	// list is a parameter that holds several texts.
	list(values []string) string
}

// texts are the statements whose parameters are the same in every dialect.
type texts struct {
	lock, mark, unmark, rollBackToMark string // empty: not needed

	claim, takeOver, alias, aliasTakeOver, business, businessTakeOver string
	selectRecord, selectBusiness                                      string
	complete                                                          string

	settle, phase, keepPhase, completePhase, held, doubt string
	phasesOf                                             string

	sweep, sweepAliases, erase, eraseAliased, kept string
	stuck, inspect, resolve, retry, free           string
	liveContracts                                  string
}

// statement is one with its parameters.
type statement struct {
	sql  string
	args []any
	// needed: a claim has won only when it touched a row.
	needed bool
}

// exec runs a statement and says how many rows it touched. Empty bytes are not null, and null ones are.
func exec(ctx context.Context, db execer, text string, args ...any) (int64, error) {
	result, err := db.ExecContext(ctx, text, plain(args)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// plain gives parameters that drivers cannot take for something else: bytes that are not there are null.
func plain(args []any) []any {
	for i, arg := range args {
		if b, bytes := arg.([]byte); bytes && b == nil {
			args[i] = nil
		}
	}
	return args
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// collect reads all rows of a query.
func collect[T any](ctx context.Context, db querier, scan func(columns.Row) (T, error), text string, args ...any) (all []T, err error) {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
