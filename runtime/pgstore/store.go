package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
	"github.com/idemgen/idemgen/runtime/internal/pgsql"
)

const (
	// claimRounds bounds how often a claim decides anew because the record changed under it: a sweeper, another takeover.
	claimRounds = 10
	// settleTimeout bounds the last round trip. A caller's cancellation does not; see settling.
	settleTimeout = 10 * time.Second
	// runningBound is how long settling waits for a statement that the handler still runs.
	runningBound = time.Second
)

// Store keeps records in PostgreSQL. It is safe for concurrent use.
type Store struct {
	pool  *pgxpool.Pool
	beats *pgxpool.Pool    // nil: heartbeats use pool
	now   func() time.Time // nil: the database's clock

	recent *columns.Recent
	busy   *columns.Busy
}

var (
	_ idem.LeaseStore[pgx.Tx] = (*Store)(nil)
	_ idem.LeaseChecker       = (*Store)(nil)
	_ idem.Sweeper            = (*Store)(nil)
	_ idem.Eraser             = (*Store)(nil)
	_ idem.Resolver           = (*Store)(nil)
)

// Option changes a new store.
type Option func(*Store)

// WithClock makes the store take the time from now instead of the database, for tests of retention. Timeouts use real time.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// WithHeartbeatPool makes heartbeats use a pool of their own, which one connection is enough for: then they do not wait for
// handlers that hold the connections of the other one. It leads to the same tables. The store does not close it.
func WithHeartbeatPool(pool *pgxpool.Pool) Option { return func(s *Store) { s.beats = pool } }

// New gives a store on pool. The tables must be there (Migrate) and are found by the pool's search_path. The store does not
// close the pool.
func New(pool *pgxpool.Pool, opts ...Option) *Store {
	s := &Store{pool: pool, recent: columns.NewRecent(), busy: columns.NewBusy()}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Claim takes c's key, or says what stands there. A claim that wins costs one round trip. One that finds an outcome costs one if this
// store has stored or found it not long ago, else two.
//
// A record in flight that others can see was left by a handler which committed the claim's transaction itself. Nobody can say
// what became of it: it is reported as idem.StateUnknown, not as in flight, which would block the key silently and for ever.
func (s *Store) Claim(ctx context.Context, c idem.Claim) (idem.Held[pgx.Tx], idem.Prior, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, idem.Prior{}, fmt.Errorf("pgstore: claim key: %w: %w", idem.ErrStoreUnavailable, err)
	}
	a := attempt{store: s, conn: conn, claim: &c, mode: idem.Transactional}
	won, prior, err := a.run(ctx)
	if won {
		return &held{open: open{store: s, conn: conn, tx: newHandlerTx(a.tx)}, claim: &c}, prior, nil
	}
	rollBack(ctx, conn)
	conn.Release()
	if lockTimedOut(sqlstate(err)) {
		return nil, idem.Prior{State: idem.StateInFlight}, nil
	}
	if err != nil {
		return nil, idem.Prior{}, fmt.Errorf("pgstore: claim key: %w", startError(err))
	}
	return nil, prior, nil
}

// Begin opens a transaction without a claim, in one round trip.
func (s *Store) Begin(ctx context.Context, o idem.BeginOptions) (idem.Held[pgx.Tx], error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("pgstore: begin: %w: %w", idem.ErrStoreUnavailable, err)
	}
	b := &pgx.Batch{}
	b.BeginTx(pgx.TxOptions{})
	b.Queue(pgsql.Begin, columns.TimeoutMillis(o.IdleTimeout))
	br := conn.SendBatch(ctx, b)
	if err := br.Close(); err != nil {
		rollBack(ctx, conn)
		conn.Release()
		return nil, fmt.Errorf("pgstore: begin: %w", startError(err))
	}
	return &held{open: open{store: s, conn: conn, tx: newHandlerTx(br.Tx())}}, nil
}

// Lookup reads the record of a key. A transactional claim in flight is not visible.
func (s *Store) Lookup(ctx context.Context, scope, keyspace, key string) (idem.Prior, error) {
	r, err := s.read(ctx, s.pool, scope, keyspace, key)
	found := columns.Sight{Records: []columns.Record{r}}
	if err == nil {
		err = s.follow(ctx, s.pool, &found, keyspace)
	}
	if err != nil {
		return idem.Prior{}, fmt.Errorf("pgstore: look up key: %w", startError(err))
	}
	prior, _ := found.Standing()
	return prior, nil
}

// CheckLeases implements idem.LeaseChecker: a phase holds a connection while the heartbeat of its lease needs one.
func (s *Store) CheckLeases() error {
	if s.beats == nil && s.pool.Config().MaxConns < 2 {
		return errors.New("pgstore: the pool has one connection, and leased operations need two: raise MaxConns, or give WithHeartbeatPool a pool")
	}
	return nil
}

// clock is the statement parameter that replaces the database's clock; nil leaves it.
func (s *Store) clock() any {
	if s.now == nil {
		return nil
	}
	return s.now().UTC().Format("2006-01-02T15:04:05.999999Z")
}

// rollBack ends whatever transaction the connection is in. It outlives the caller's cancellation: a connection that could not
// say how it stands is closed when it is released, which costs a new one.
func rollBack(ctx context.Context, conn *pgxpool.Conn) {
	if conn.Conn().IsClosed() || conn.Conn().PgConn().TxStatus() == txIdle {
		return
	}
	ctx, cancel := settling(ctx)
	defer cancel()
	_, _ = conn.Exec(ctx, pgsql.Rollback) // Release closes a connection that is still in a transaction
}
