package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

// postgres is PostgreSQL, with the statements of pgstore.
type postgres struct{}

var postgresTexts = texts{
	mark: pgsql.Savepoint, rollBackToMark: pgsql.RollBackToClaim,
	claim: pgsql.Claim, takeOver: pgsql.TakeOver, alias: pgsql.Alias, aliasTakeOver: pgsql.AliasTakeOver,
	business: pgsql.Business, businessTakeOver: pgsql.BusinessTakeOver,
	selectRecord: pgsql.Select, selectBusiness: pgsql.SelectBusiness, complete: pgsql.Complete,
	settle: pgsql.Settle, phase: pgsql.Phase, keepPhase: pgsql.KeepPhase, completePhase: pgsql.CompletePhase,
	held: pgsql.Held, doubt: pgsql.Doubt, phasesOf: pgsql.PhasesOf,
	sweep: pgsql.Sweep, sweepAliases: pgsql.SweepAliases, erase: pgsql.Erase, eraseAliased: pgsql.EraseAliased, kept: pgsql.Kept,
	stuck: pgsql.Stuck, inspect: pgsql.Inspect, resolve: pgsql.Resolve, retry: pgsql.Retry, free: pgsql.Free,
	liveContracts: pgsql.LiveContracts,
}

func (postgres) texts() *texts { return &postgresTexts }

func (postgres) single() bool { return false }

func (postgres) ownIsolation() sql.IsolationLevel { return sql.LevelReadCommitted }

// clock is null, which leaves the database's own, unless a test has one.
func (postgres) clock(now func() time.Time) any {
	if now == nil {
		return nil
	}
	return now().UTC().Format("2006-01-02T15:04:05.999999Z")
}

// begin bounds how long the transaction may stand still. A phase is marked as the handler's.
func (postgres) begin(ctx context.Context, tx *sql.Tx, idle time.Duration, phase bool) (busy bool, err error) {
	if !phase {
		_, err = tx.ExecContext(ctx, pgsql.Begin, columns.TimeoutMillis(idle))
		return false, err
	}
	var mark, timeout, isolation string
	err = tx.QueryRowContext(ctx, pgsql.BeginPhase, columns.TimeoutMillis(idle)).Scan(&mark, &timeout, &isolation)
	return isolation != "read committed", err
}

func (postgres) takeOver(ctx context.Context, tx *sql.Tx, t idem.TakeOver, now any) (idem.Prior, error) {
	return columns.ScanTaken(tx.QueryRowContext(ctx, pgsql.TakeOverLease, columns.HomeOf(t.Scope, t.Before), t.Keyspace, t.Key,
		t.From.String(), t.Token.String(), columns.Millis(t.Lease), now))
}

func (p postgres) due(ctx context.Context, tx *sql.Tx, d idem.Due, now any) ([]idem.Prior, error) {
	var names, leases []string
	for name, lease := range d.Operations {
		names, leases = append(names, name), append(leases, strconv.FormatInt(columns.Millis(lease), 10))
	}
	return collect(ctx, tx, columns.ScanTaken, pgsql.Due, p.list(names), p.list(leases), int64(d.Limit), now)
}

func (p postgres) extend(ctx context.Context, tx *sql.Tx, leases []idem.LeaseRef, busy []bool, now any) (map[int]bool, error) {
	var scopes, keyspaces, keys, tokens, times, strict []string
	for i, l := range leases {
		scopes, keyspaces, keys = append(scopes, columns.HomeOf(l.Scope, l.Before)), append(keyspaces, l.Keyspace), append(keys, l.Key)
		tokens, times = append(tokens, l.Token.String()), append(times, strconv.FormatInt(columns.Millis(l.Lease), 10))
		strict = append(strict, strconv.FormatBool(busy[i]))
	}
	left := map[int]bool{}
	_, err := collect(ctx, tx, func(row columns.Row) (place int, err error) {
		var held bool
		err = row.Scan(&place, &held)
		left[place-1] = held
		return place, err
	}, pgsql.Extend, p.list(scopes), p.list(keyspaces), p.list(keys), p.list(tokens), p.list(times), p.list(strict), now)
	return left, err
}

func (p postgres) belongings(ds []columns.Doomed) []statement {
	var ids, aliases, keyspaces, keys, aliasIDs, nameScopes, nameKeyspaces, digests, nameIDs []string
	for _, d := range ds {
		ids = append(ids, d.ID)
		if d.Alias != "" {
			aliases, keyspaces, keys = append(aliases, d.Alias), append(keyspaces, d.Keyspace), append(keys, d.Key)
			aliasIDs = append(aliasIDs, d.ID)
		}
		for _, scope := range []string{d.Scope, d.Alias} {
			if d.Business != nil && scope != "" {
				nameScopes, nameKeyspaces = append(nameScopes, scope), append(nameKeyspaces, d.Keyspace)
				digests, nameIDs = append(digests, `\x`+hex.EncodeToString(d.Business)), append(nameIDs, d.ID)
			}
		}
	}
	all := []statement{{sql: pgsql.DeletePhases, args: []any{p.list(ids)}}}
	if len(nameIDs) > 0 {
		args := []any{p.list(nameScopes), p.list(nameKeyspaces), p.list(digests), p.list(nameIDs)}
		all = append(all, statement{sql: pgsql.DeleteBusiness, args: args})
	}
	if len(aliasIDs) > 0 {
		all = append(all, statement{sql: pgsql.DeleteAliases, args: []any{p.list(aliases), p.list(keyspaces), p.list(keys), p.list(aliasIDs)}})
	}
	return all
}

func (p postgres) records(ds []columns.Doomed) []statement {
	var scopes, keyspaces, keys []string
	for _, d := range ds {
		scopes, keyspaces, keys = append(scopes, d.Scope), append(keyspaces, d.Keyspace), append(keys, d.Key)
	}
	return []statement{{sql: pgsql.DeleteRecords, args: []any{p.list(scopes), p.list(keyspaces), p.list(keys)}}}
}

var quoteElement = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// list is the text of an array, with every element in quotes: database/sql knows no arrays.
func (postgres) list(values []string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		_, _ = quoteElement.WriteString(&b, v) // a Builder does not fail
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}

// metAnother: "create table if not exists" looks first and creates then, so two at once collide in the catalogue.
func (p postgres) metAnother(err error) bool {
	return slices.Contains([]failure{failureDuplicate, failureSerialization, failureLocked}, p.failure(err)) ||
		slices.Contains([]string{"42P07", "42710"}, sqlstate(err)) // duplicate table, duplicate object
}

func sqlstate(err error) string {
	var coded interface{ SQLState() string }
	if !errors.As(err, &coded) {
		return ""
	}
	return coded.SQLState()
}

// failure goes by the server's code, which the errors of pgx, lib/pq and others give.
func (postgres) failure(err error) failure {
	code := sqlstate(err)
	switch code {
	case "":
		return failureNone
	case "40001", "40P01":
		return failureSerialization
	case "55P03":
		return failureLocked
	case "25P03", "25P04":
		return failureStoodStill
	case "25P02":
		return failureAborted
	case "25P01", "3B001":
		return failureEnded
	case pgsql.DivisionByZero:
		return failureFence
	case "23505":
		return failureDuplicate
	case "57P01", "57P02", "57P03", "57P04", "53300", "25006":
		return failureUnavailable
	}
	if len(code) == 5 && code[:2] == "08" {
		return failureUnavailable
	}
	return failureOther
}
