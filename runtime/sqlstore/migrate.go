package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	pgschema "github.com/idemgen/idemgen/runtime/pgstore/schema"
	"github.com/idemgen/idemgen/runtime/sqlstore/schema"
)

// migrateRounds bounds how often a migration is tried again after it met another one, or a table in use: for half a minute.
const (
	migrateRounds = 40
	migratePause  = 20 * time.Millisecond // longer with each round
)

// migration is one step of a dialect's schema.
type migration struct {
	version   int
	name, sql string
}

// migrations are what a dialect has to apply, oldest first, each in a transaction.
type migrations struct {
	before   string // outside of any transaction; empty: nothing
	versions string // makes the table that remembers
	record   string // claims a version; no row: another program has applied it
	patience string // bounds the wait for a table's lock; empty: none
	steps    []migration
}

func (postgres) migrations() migrations {
	m := migrations{
		versions: pgschema.VersionsSQL,
		record: `insert into idempotency_schema (version, applied_at)
values ($1::integer, clock_timestamp()) on conflict (version) do nothing`,
		patience: `select set_config('lock_timeout', '250', true)`,
	}
	for _, s := range pgschema.Migrations() {
		m.steps = append(m.steps, migration{s.Version, s.Name, s.SQL})
	}
	return m
}

func (sqlite) migrations() migrations {
	m := migrations{
		before:   `pragma journal_mode = wal`,
		versions: schema.VersionsSQL,
		record: `insert into idempotency_schema (version, applied_at)
values (?1, cast((julianday('now') - 2440587.5) * 86400000 as integer)) on conflict (version) do nothing`,
	}
	for _, s := range schema.Migrations() {
		m.steps = append(m.steps, migration{s.Version, s.Name, s.SQL})
	}
	return m
}

// Migrate brings the schema to the version that this program knows, each step in a transaction. It may run in any number of programs at
// once, and does nothing where everything was applied. Steps of a newer program are left alone, so that a program can be rolled back. In
// PostgreSQL these are pgstore's tables. A SQLite database is also put into WAL mode, in which readers do not wait for a writer, and which
// its file remembers.
func (s *Store) Migrate(ctx context.Context) error {
	m := s.dialect.migrations()
	if m.before != "" {
		if err := s.migrateStep(ctx, func() error { _, err := s.db.ExecContext(ctx, m.before); return err }); err != nil {
			return fmt.Errorf("sqlstore: migrate: %w", err)
		}
	}
	err := s.migrateStep(ctx, func() error {
		return s.inTx(ctx, func(tx *sql.Tx) error { _, err := tx.ExecContext(ctx, m.versions); return err })
	})
	if err != nil {
		return fmt.Errorf("sqlstore: migrate: make the table of versions: %w", err)
	}
	for _, step := range m.steps {
		err := s.migrateStep(ctx, func() error {
			return s.inTx(ctx, func(tx *sql.Tx) error { return m.apply(ctx, tx, step) })
		})
		if err != nil {
			return fmt.Errorf("sqlstore: migrate: version %d, %s: %w", step.version, step.name, err)
		}
	}
	return nil
}

func (m *migrations) apply(ctx context.Context, tx *sql.Tx, step migration) error {
	n, err := exec(ctx, tx, m.record, step.version)
	if err != nil || n == 0 {
		return err
	}
	if m.patience != "" {
		if _, err := tx.ExecContext(ctx, m.patience); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, step.sql) // several statements: without arguments drivers send them as they are
	return err
}

// inTx runs work in a transaction of the pool's kind.
func (s *Store) inTx(ctx context.Context, work func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing after the commit
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// migrateStep runs step again when another program was at the same step.
func (s *Store) migrateStep(ctx context.Context, step func() error) (err error) {
	for round := range migrateRounds {
		if err = step(); err == nil || !s.dialect.metAnother(err) {
			return err
		}
		if err := sleep(ctx, time.Duration(round)*migratePause); err != nil {
			return err
		}
	}
	return err
}
