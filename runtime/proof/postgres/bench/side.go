package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

const (
	mostClients = 32
	roundTrip   = time.Millisecond // of the network that is imitated
	replayedKey = "replayed"
)

// tablesSQL is the business: one table to write to, and one with a primary key to read from.
const tablesSQL = `create table payment (id bigint generated always as identity primary key, amount bigint not null);
create table answer (id text primary key, body bytea not null)`

// othersSQL copies a record under keys of 32 characters that come in no order, as random ones do.
const othersSQL = `insert into idempotency_records
  (scope, keyspace, key, operation, record_id, state, claim_token, fingerprints, fields, created_at, completed_at, expires_at, status, headers, body)
select scope, keyspace, md5(i::text), operation, gen_random_uuid(), state, gen_random_uuid(), fingerprints, fields, created_at, completed_at,
       expires_at, status, headers, body
  from idempotency_records, generate_series(1, $2::integer) as i
 where key = $1`

// side is a pool with a store on it.
type side struct {
	pool    *pgxpool.Pool
	store   *pgstore.Store
	records int // that others have stored
}

// bench is everything that is measured on.
type bench struct {
	url   string
	pools []*pgxpool.Pool
}

func (b *bench) close() {
	for _, p := range b.pools {
		p.Close()
	}
}

// open gives a side on a schema, whose round trips take at least delay.
func (b *bench) open(ctx context.Context, schema string, conns int32, delay time.Duration) (side, error) {
	cfg, err := pgxpool.ParseConfig(b.url)
	if err != nil {
		return side{}, fmt.Errorf("read the server's address: %w", err)
	}
	cfg.MinConns, cfg.MaxConns = conns, conns
	cfg.ConnConfig.RuntimeParams["search_path"] = schema
	if delay > 0 {
		pgtest.Watch(cfg).Delay(delay)
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return side{}, fmt.Errorf("open a pool: %w", err)
	}
	b.pools = append(b.pools, pool)
	return side{pool: pool, store: pgstore.New(pool)}, nil
}

// prepare makes the tables in a schema, one record and one row to read, and as many records of others.
func (s *side) prepare(ctx context.Context, schema string, records int) error {
	if _, err := s.pool.Exec(ctx, "create schema "+schema); err != nil {
		return fmt.Errorf("make a schema: %w", err)
	}
	if err := pgstore.Migrate(ctx, s.pool); err != nil {
		return err
	}
	if _, err := s.pool.Exec(ctx, tablesSQL); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	if _, err := s.pool.Exec(ctx, "insert into answer values ($1, $2)", replayedKey, body); err != nil {
		return fmt.Errorf("fill the tables: %w", err)
	}
	held, _, err := s.store.Claim(ctx, newClaim(replayedKey))
	if err != nil {
		return err
	}
	if err := held.Complete(ctx, created()); err != nil {
		return err
	}
	if _, err := s.pool.Exec(ctx, othersSQL, replayedKey, records); err != nil {
		return fmt.Errorf("make %d records: %w", records, err)
	}
	if _, err := s.pool.Exec(ctx, "vacuum analyze idempotency_records"); err != nil {
		return fmt.Errorf("vacuum: %w", err)
	}
	s.records = records
	return nil
}
