package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
)

const (
	// claimRounds bounds how often a claim decides anew because the record changed under it: a sweeper, another takeover.
	claimRounds = 10
	// settleTimeout bounds what settles. A caller's cancellation does not.
	settleTimeout = 10 * time.Second
	// runningBound is how long settling waits for a statement that the handler still runs.
	runningBound = time.Second
	// aliveBound is how long a connection may take to say that it is there.
	aliveBound = 2 * time.Second
	// defaultLockWait is how long a transaction waits for the write lock of a database with one writer.
	defaultLockWait = 5 * time.Second
)

// Store keeps records in a database of database/sql. It is safe for concurrent use.
type Store struct {
	db       *sql.DB
	beats    *sql.DB // of heartbeats
	dialect  dialect
	now      func() time.Time // nil: the dialect's clock
	lockWait time.Duration

	recent  *columns.Recent
	busy    *columns.Busy
	writers *writers
}

var (
	_ idem.LeaseStore[*sql.Tx] = (*Store)(nil)
	_ idem.LeaseChecker        = (*Store)(nil)
	_ idem.Sweeper             = (*Store)(nil)
	_ idem.Eraser              = (*Store)(nil)
	_ idem.Resolver            = (*Store)(nil)
	_ idem.Serializer          = (*Store)(nil)
)

// Option changes a new store.
type Option func(*Store)

// WithClock makes the store take the time from now, for tests of retention. Timeouts use real time.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// WithHeartbeatDB makes heartbeats use a pool of their own, which one connection is enough for: then they do not wait for handlers that
// hold the connections of the other one. It leads to the same tables. The store does not close it. In SQLite it changes nothing, since
// what heartbeats wait for there is not a connection.
func WithHeartbeatDB(db *sql.DB) Option { return func(s *Store) { s.beats = db } }

// WithLockWait bounds how long a transaction waits, in SQLite, for those of others that hold the database's one write lock, before the
// request is told that the store is unavailable. Zero or less means 5 seconds.
func WithLockWait(d time.Duration) Option {
	return func(s *Store) {
		if d > 0 {
			s.lockWait = d
		}
	}
}

// WithErrorCode says how to read SQLite's result code from an error of a driver whose errors have no method Code() int. It gives false for
// an error that is not the driver's.
func WithErrorCode(code func(error) (int, bool)) Option {
	return func(s *Store) {
		if _, lite := s.dialect.(sqlite); lite {
			s.dialect = sqlite{code: code}
		}
	}
}

// NewPostgreSQL gives a store on a PostgreSQL database. It uses the tables of pgstore, which must be there (Migrate) and are found by the
// search_path of the pool. The store does not close the pool.
func NewPostgreSQL(db *sql.DB, opts ...Option) *Store { return newStore(db, postgres{}, opts) }

// NewSQLite gives a store on a SQLite database, whose tables must be there (Migrate). The store does not close the pool. There is one store
// in a process for a database: its transactions wait for each other in turn.
func NewSQLite(db *sql.DB, opts ...Option) *Store { return newStore(db, sqlite{code: codeOf}, opts) }

func newStore(db *sql.DB, d dialect, opts []Option) *Store {
	s := &Store{
		db: db, beats: db, dialect: d, lockWait: defaultLockWait,
		recent: columns.NewRecent(), busy: columns.NewBusy(), writers: &writers{},
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Claim takes c's key, or says what stands there.
//
// A record in flight that others can see was left by a handler which committed the claim's transaction itself. Nobody can say what
// became of it: it is reported as idem.StateUnknown, not as in flight, which would block the key silently and for ever.
func (s *Store) Claim(ctx context.Context, c idem.Claim) (idem.Held[*sql.Tx], idem.Prior, error) {
	a := attempt{store: s, claim: &c, mode: idem.Transactional}
	won, prior, err := a.run(ctx)
	switch {
	case s.inFlight(err):
		return nil, idem.Prior{State: idem.StateInFlight}, nil
	case err != nil:
		return nil, idem.Prior{}, fmt.Errorf("sqlstore: claim key: %w", s.startError(err))
	case won:
		return &held{open: a.open, claim: &c}, prior, nil
	}
	return nil, prior, nil
}

// inFlight: somebody else holds the key. It does not say that he will complete.
func (s *Store) inFlight(err error) bool {
	return errors.Is(err, errInFlight) || s.failure(err) == failureLocked
}

// Begin opens a transaction without a claim.
func (s *Store) Begin(ctx context.Context, b idem.BeginOptions) (idem.Held[*sql.Tx], error) {
	o, err := s.begin(ctx, nil, sql.LevelDefault)
	if err == nil {
		if _, err = s.dialect.begin(ctx, o.tx, b.IdleTimeout, false); err != nil {
			_ = o.close()
		} else {
			err = o.keep(ctx)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("sqlstore: begin: %w", s.startError(err))
	}
	return &held{open: o}, nil
}

// Lookup reads the record of a key. A transactional claim in flight is not visible.
func (s *Store) Lookup(ctx context.Context, scope, keyspace, key string) (idem.Prior, error) {
	r, err := s.read(ctx, scope, keyspace, key)
	found := columns.Sight{Records: []columns.Record{r}}
	if err == nil {
		err = s.follow(ctx, &found, keyspace)
	}
	if err != nil {
		return idem.Prior{}, fmt.Errorf("sqlstore: look up key: %w", s.startError(err))
	}
	prior, _ := found.Standing()
	return prior, nil
}

// CheckLeases implements idem.LeaseChecker: a phase holds a connection while the heartbeat of its lease needs one.
func (s *Store) CheckLeases() error {
	if s.beats == s.db && s.db.Stats().MaxOpenConnections == 1 {
		return errors.New("sqlstore: the pool has one connection, and leased operations need two: SetMaxOpenConns, or give WithHeartbeatDB a pool")
	}
	return nil
}

// clock is the statement parameter that stands for the time.
func (s *Store) clock() any { return s.dialect.clock(s.now) }

// lockPause is how long to wait before the database's write lock is asked for again: apart from others who wait too.
func lockPause(round int) time.Duration {
	limit := min(time.Millisecond<<min(round, 5), 25*time.Millisecond)
	return limit/2 + rand.N(limit)
}
