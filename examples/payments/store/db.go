package store

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed schema.sql
var schema string

// DBTX runs statements: a pool, a connection, a transaction.
type DBTX interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Queries are the statements of queries.sql.
type Queries struct{ db DBTX }

// New gives the queries on db.
func New(db DBTX) *Queries { return &Queries{db} }

// WithTx gives the queries in a transaction.
func (q *Queries) WithTx(tx pgx.Tx) *Queries { return &Queries{tx} }

// Migrate makes the tables.
func Migrate(ctx context.Context, db DBTX) error {
	if _, err := db.Exec(ctx, schema); err != nil {
		return fmt.Errorf("store: make the tables: %w", err)
	}
	return nil
}
