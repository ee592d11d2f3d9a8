package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/pgstore/schema"
)

// migrateRounds bounds how often a migration is tried again after it met another one, or a table in use: for half a minute.
const (
	migrateRounds = 40
	migratePause  = 20 * time.Millisecond // longer with each round
)

// recordVersionSQL is a claim of its own: of two programs that start at once one inserts and applies, while the other waits on the
// primary key and then finds the version applied. No lock is needed that only PostgreSQL has.
const recordVersionSQL = `insert into idempotency_schema (version, applied_at)
values ($1::integer, clock_timestamp()) on conflict (version) do nothing`

// patienceSQL bounds the wait for a table's lock. Changing a table waits for every transaction that uses it, and whoever comes
// after that waits too: better to give way and come again.
const patienceSQL = `select set_config('lock_timeout', '250', true)`

// Beginner begins transactions: a pool, a connection, or a transaction that the caller commits.
type Beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Migrate brings the schema to the version that this program knows, each step in a transaction. It may run in any number of
// programs at once, and does nothing where everything was applied. Steps of a newer program are left alone, so that a program
// can be rolled back.
func Migrate(ctx context.Context, db Beginner) error {
	if err := migrateStep(ctx, db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, schema.VersionsSQL)
		return err
	}); err != nil {
		return fmt.Errorf("pgstore: migrate: make the table of versions: %w", err)
	}
	for _, m := range schema.Migrations() {
		if err := migrateStep(ctx, db, func(tx pgx.Tx) error { return apply(ctx, tx, m) }); err != nil {
			return fmt.Errorf("pgstore: migrate: version %d, %s: %w", m.Version, m.Name, err)
		}
	}
	return nil
}

func apply(ctx context.Context, tx pgx.Tx, m schema.Migration) error {
	tag, err := tx.Exec(ctx, recordVersionSQL, m.Version)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	if _, err := tx.Exec(ctx, patienceSQL); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, m.SQL) // several statements: without arguments pgx sends them as they are
	return err
}

// migrateStep runs step in a transaction, again when another program was at the same step.
func migrateStep(ctx context.Context, db Beginner, step func(pgx.Tx) error) (err error) {
	for round := range migrateRounds {
		if err = pgx.BeginFunc(ctx, db, step); err == nil || !metAnother(sqlstate(err)) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(round) * migratePause):
		}
	}
	return err
}

// metAnother: "create table if not exists" looks first and creates then, so two at once collide in the catalogue. Or a table was
// in use.
func metAnother(code string) bool {
	switch code {
	case "23505", "42P07", "42710":
		return true
	}
	return cannotSerialize(code) || lockTimedOut(code)
}
