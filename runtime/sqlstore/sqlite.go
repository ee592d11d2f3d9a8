package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
)

// sqlite is SQLite. There is one writer at a time: what a transaction of the store reads stays as it is until it ends, so that steps
// which PostgreSQL does in one statement are several here. They cost no round trips.
type sqlite struct {
	code func(error) (int, bool)
}

var sqliteTexts = texts{
	lock: sqliteLockSQL, mark: sqliteMarkSQL, unmark: sqliteUnmarkSQL, rollBackToMark: sqliteRollBackSQL,
	claim: sqliteClaimSQL, takeOver: sqliteTakeOverSQL, alias: sqliteAliasSQL, aliasTakeOver: sqliteAliasTakeOverSQL,
	business: sqliteBusinessSQL, businessTakeOver: sqliteBusinessTakeOverSQL,
	selectRecord: sqliteSelectSQL, selectBusiness: sqliteSelectBusinessSQL, complete: sqliteCompleteSQL,
	settle: sqliteSettleSQL, phase: sqlitePhaseSQL, keepPhase: sqliteKeepPhaseSQL, completePhase: sqliteCompletePhaseSQL,
	held: sqliteHeldSQL, doubt: sqliteDoubtSQL, phasesOf: sqlitePhasesOfSQL,
	sweep: sqliteSweepSQL, sweepAliases: sqliteSweepAliasesSQL, erase: sqliteEraseSQL, eraseAliased: sqliteEraseAliasedSQL, kept: sqliteKeptSQL,
	stuck: sqliteStuckSQL, inspect: sqliteInspectSQL, resolve: sqliteResolveSQL, retry: sqliteRetrySQL, free: sqliteFreeSQL,
	liveContracts: sqliteLiveContractsSQL,
}

func (sqlite) texts() *texts { return &sqliteTexts }

func (sqlite) single() bool { return true }

// ownIsolation: SQLite has one.
func (sqlite) ownIsolation() sql.IsolationLevel { return sql.LevelDefault }

// clock is the process's: the database has no other.
func (sqlite) clock(now func() time.Time) any {
	if now == nil {
		now = time.Now
	}
	return now().UnixMilli()
}

// begin marks the transaction as the handler's. A frozen holder cannot be ended here: its process holds the lock.
func (sqlite) begin(ctx context.Context, tx *sql.Tx, _ time.Duration, _ bool) (busy bool, err error) {
	_, err = tx.ExecContext(ctx, sqliteMarkSQL)
	return false, err
}

func (sqlite) takeOver(ctx context.Context, tx *sql.Tx, t idem.TakeOver, now any) (idem.Prior, error) {
	home := columns.HomeOf(t.Scope, t.Before)
	p, err := columns.ScanTaken(tx.QueryRowContext(ctx, sqliteFindSQL, home, t.Keyspace, t.Key, t.From.String(), t.Token.String(), now))
	if err != nil {
		return idem.Prior{}, err
	}
	_, err = exec(ctx, tx, sqliteAttemptSQL, home, t.Keyspace, t.Key, t.From.String(), t.Token.String(), columns.Millis(t.Lease), now)
	return p, err
}

func (s sqlite) due(ctx context.Context, tx *sql.Tx, d idem.Due, now any) ([]idem.Prior, error) {
	var names []string
	for name := range d.Operations {
		names = append(names, name)
	}
	priors, err := collect(ctx, tx, columns.ScanTaken, sqliteFindDueSQL, s.list(names), now, int64(d.Limit))
	if err != nil {
		return nil, err
	}
	for i := range priors {
		p := &priors[i]
		from := p.Token
		p.Token = idem.NewUUID()
		_, err := exec(ctx, tx, sqliteAttemptSQL, columns.HomeOf(p.Scope, p.Before), p.Keyspace, p.Key,
			from.String(), p.Token.String(), columns.Millis(d.Operations[p.Operation]), now)
		if err != nil {
			return nil, err
		}
	}
	return priors, nil
}

// extend passes none: who could be disturbed by it waits for the lock.
func (sqlite) extend(ctx context.Context, tx *sql.Tx, leases []idem.LeaseRef, _ []bool, now any) (map[int]bool, error) {
	left := map[int]bool{}
	for i, l := range leases {
		n, err := exec(ctx, tx, sqliteExtendSQL, append(columns.AddressOf(l), columns.Millis(l.Lease), now)...)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			left[i] = false
		}
	}
	return left, nil
}

func (sqlite) belongings(ds []columns.Doomed) (all []statement) {
	for _, d := range ds {
		all = append(all, statement{sql: sqliteDeletePhasesSQL, args: []any{d.ID}})
		for _, scope := range []string{d.Scope, d.Alias} {
			if d.Business != nil && scope != "" {
				all = append(all, statement{sql: sqliteDeleteBusinessSQL, args: []any{scope, d.Keyspace, d.Business, d.ID}})
			}
		}
		if d.Alias != "" {
			all = append(all, statement{sql: sqliteDeleteAliasSQL, args: []any{d.Alias, d.Keyspace, d.Key, d.ID}})
		}
	}
	return all
}

func (sqlite) records(ds []columns.Doomed) (all []statement) {
	for _, d := range ds {
		all = append(all, statement{sql: sqliteDeleteRecordSQL, args: []any{d.Scope, d.Keyspace, d.Key}})
	}
	return all
}

// list is a JSON array.
func (sqlite) list(values []string) string {
	slices.Sort(values)
	text, _ := json.Marshal(append([]string{}, values...)) // texts have JSON
	return string(text)
}

func (s sqlite) metAnother(err error) bool { return s.failure(err) == failureSerialization }

// codeOf reads SQLite's result code from errors that have it as a method.
func codeOf(err error) (int, bool) {
	var coded interface{ Code() int }
	if !errors.As(err, &coded) {
		return 0, false
	}
	return coded.Code(), true
}

// failure goes by the primary result code (https://sqlite.org/rescode.html), which is the lower byte of an extended one.
func (s sqlite) failure(err error) failure {
	code, is := s.code(err)
	if !is {
		return failureNone
	}
	switch code & 0xff {
	case 5, 6: // BUSY, LOCKED: nothing was changed
		return failureSerialization
	case 8, 10, 11, 13, 14, 26: // READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB
		return failureUnavailable
	}
	return failureOther
}
