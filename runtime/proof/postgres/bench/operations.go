package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

const (
	mostClients = 8
	roundTrip   = time.Millisecond // of the network that is imitated
	replayedKey = "replayed"
)

// tablesSQL is the business: one table to write to, and one with a primary key to read from.
const tablesSQL = `create table payment (id bigint generated always as identity primary key, amount bigint not null);
create table answer (id text primary key, body bytea not null)`

// othersSQL copies a record under other keys, so that there are enough to be found once.
const othersSQL = `insert into idempotency_records
  (scope, keyspace, key, operation, record_id, state, claim_token, fingerprints, fields, created_at, completed_at, expires_at, status, headers, body)
select scope, keyspace, 'other ' || i, operation, gen_random_uuid(), state, gen_random_uuid(), fingerprints, fields, created_at, completed_at,
       expires_at, status, headers, body
  from idempotency_records, generate_series(1, 50000) as i
 where key = $1`

const (
	insertSQL = `insert into payment (amount) values ($1) returning id`
	answerSQL = `select body from answer where id = $1`
)

// body is as long as a small JSON response.
var body = bytes.Repeat([]byte(`{"id":"pay_0001"}`), 20)

// comparisons gives what is measured, in the order of the table.
func comparisons(ctx context.Context, url string) (all []comparison, closeAll func(), err error) {
	near, _, err := connect(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	far, wire, err := connect(ctx, url)
	if err != nil {
		near.pool.Close()
		return nil, nil, err
	}
	closeAll = func() { near.pool.Close(); far.pool.Close() }
	if err := near.prepare(ctx); err != nil {
		closeAll()
		return nil, nil, err
	}
	wire.Delay(roundTrip)
	return []comparison{
		{"first request ÷ BEGIN; INSERT; COMMIT", 1, near.floor, near.first, 1.30, 1.5},
		{"first request ÷ BEGIN; INSERT; COMMIT", mostClients, near.floor, near.first, 1.20, 1.5},
		{"the same, 1 ms away", mostClients, far.floor, far.first, 1.05, 1.3},
		{"replay by lookup ÷ SELECT", 1, near.read, near.lookup, 1.4, 3},
		{"replay by lookup ÷ SELECT", mostClients, near.read, near.lookup, 1.4, 3},
		{"replay by claim ÷ SELECT", 1, near.read, near.replay, 1.4, 3},
		{"replay by claim ÷ SELECT", mostClients, near.read, near.replay, 1.4, 3},
		// Two round trips instead of one; code written by hand takes four.
		{"replay of what others stored ÷ SELECT", 1, near.read, near.replayElsewhere, 3, 4.5},
		{"replay of what others stored ÷ SELECT", mostClients, near.read, near.replayElsewhere, 3, 4.5},
	}, closeAll, nil
}

// side is a pool with a store on it.
type side struct {
	pool  *pgxpool.Pool
	store *pgstore.Store
	next  *atomic.Int64 // of the records that another process stored
}

func connect(ctx context.Context, url string) (side, *pgtest.Wire, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return side{}, nil, fmt.Errorf("read the server's address: %w", err)
	}
	cfg.MinConns, cfg.MaxConns = mostClients, mostClients
	wire := pgtest.Watch(cfg)
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return side{}, nil, fmt.Errorf("open a pool: %w", err)
	}
	return side{pool: pool, store: pgstore.New(pool), next: &atomic.Int64{}}, wire, nil
}

// prepare makes the tables, and one record and one row to read.
func (s side) prepare(ctx context.Context) error {
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
	if _, err := s.pool.Exec(ctx, othersSQL, replayedKey); err != nil {
		return fmt.Errorf("make the records of another process: %w", err)
	}
	return nil
}

func newClaim(key string) idem.Claim {
	return idem.Claim{
		Scope: `["acme"]`, Keyspace: "createPayment", Key: key, Operation: "createPayment",
		Token: idem.NewUUID(), RecordID: idem.NewUUID(),
		Fingerprints: bytes.Repeat([]byte{7}, 44), Fields: bytes.Repeat([]byte{7}, 24),
		Retention: 24 * time.Hour, LockTimeout: 50 * time.Millisecond, IdleTimeout: 35 * time.Second,
	}
}

func created() idem.Completion {
	return idem.Completion{State: idem.StateCompleted, Response: idem.Response{
		Status: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}, "Location": {"/payments/1"}}, Body: body,
	}}
}

// floor is the bare transaction.
func (s side) floor(ctx context.Context) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var id int64
		return tx.QueryRow(ctx, insertSQL, int64(100)).Scan(&id)
	})
}

// first is a first request.
func (s side) first(ctx context.Context) error {
	held, prior, err := s.store.Claim(ctx, newClaim(idem.NewUUID().String()))
	if err != nil {
		return err
	}
	if held == nil {
		return fmt.Errorf("a new key was found in state %d", prior.State)
	}
	var id int64
	if err := held.Tx().QueryRow(ctx, insertSQL, int64(100)).Scan(&id); err != nil {
		return err
	}
	return held.Complete(ctx, created())
}

func (s side) read(ctx context.Context) error {
	var b []byte
	return s.pool.QueryRow(ctx, answerSQL, replayedKey).Scan(&b)
}

// lookup is a replay in the form of one round trip, for a request that is known to be a retry.
func (s side) lookup(ctx context.Context) error {
	c := newClaim(replayedKey)
	prior, err := s.store.Lookup(ctx, c.Scope, c.Keyspace, c.Key)
	if err == nil && prior.State != idem.StateCompleted {
		err = fmt.Errorf("the stored answer was not found: state %d", prior.State)
	}
	return err
}

// replay is a second request that comes to the process of the first one.
func (s side) replay(ctx context.Context) error { return s.find(ctx, replayedKey) }

// replayElsewhere is a second request that comes to another process than the first one.
func (s side) replayElsewhere(ctx context.Context) error {
	return s.find(ctx, fmt.Sprintf("other %d", s.next.Add(1)%50000+1))
}

func (s side) find(ctx context.Context, key string) error {
	held, prior, err := s.store.Claim(ctx, newClaim(key))
	if err != nil {
		return err
	}
	if held != nil || prior.State != idem.StateCompleted {
		return fmt.Errorf("the stored answer was not found: state %d", prior.State)
	}
	return nil
}
