package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/pgstore"
)

// databaseFlag is how every verb that asks a database describes it.
const databaseFlag = "`url` of the PostgreSQL database that holds the records: postgres://user@host/name, or host=… (its password may stand in PGPASSWORD or a password file)"

// databaseTimeout bounds what one verb does with a database.
const databaseTimeout = 30 * time.Second

// withStore opens the database for one piece of work. Errors never hold the URL, which may hold a password.
func withStore(ctx context.Context, url string, work func(context.Context, *pgstore.Store) error) error {
	if url == "" {
		return usagef("--database is needed: where the records are")
	}
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return usagef("--database cannot be read as a URL or as keywords and values")
	}
	cfg.MaxConns = 2
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return errors.New("the database cannot be opened")
	}
	defer pool.Close()
	if err := pool.Ping(ctx); err != nil {
		return fmt.Errorf("the database %s at %s does not answer: %w", cfg.ConnConfig.Database, cfg.ConnConfig.Host, err)
	}
	return work(ctx, pgstore.New(pool))
}
