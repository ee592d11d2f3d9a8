package pgtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// EnvServer names the environment variable that points to a server which is already running.
const EnvServer = "IDEMGEN_TEST_POSTGRES"

const (
	setupTimeout = 30 * time.Second
	testConns    = 20
)

// shared is the one cluster of a test process. It is the package's only state: a cluster takes a second to make, tests take
// milliseconds, and the testing package offers nothing between a test and the process.
var shared struct {
	once   sync.Once
	server *Server
	url    string
	err    error
}

// Main runs the tests and stops the cluster before the process ends. Without it the cluster ends a moment after the process.
func Main(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// URL is the connection string of the server that tests share.
func URL(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() {
		if shared.url = os.Getenv(EnvServer); shared.url != "" {
			return
		}
		if shared.server, shared.err = Start(context.Background(), Options{}); shared.err == nil {
			shared.url = shared.server.URL()
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.url
}

// Config makes a schema that lives as long as the test, and gives the configuration of a pool whose search_path is that schema.
// A test changes what it wants and opens pools with Open.
func Config(t testing.TB) *pgxpool.Config {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(URL(t))
	if err != nil {
		t.Fatalf("pgtest: read %s: %v", EnvServer, err)
	}
	schema := "idemgen_test_" + randomHex()
	run(t, cfg, "create schema "+schema)
	t.Cleanup(func() { run(t, cfg, "drop schema "+schema+" cascade") })

	cfg = cfg.Copy()
	cfg.ConnConfig.RuntimeParams["search_path"] = schema
	cfg.MaxConns = testConns
	return cfg
}

// Open opens a pool that is closed before the test's schema goes.
func Open(t testing.TB, cfg *pgxpool.Config) *pgxpool.Pool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		t.Fatalf("pgtest: open a pool: %v", err)
	}
	t.Cleanup(func() { closePool(t, pool) })
	return pool
}

// Schema gives a pool in a new, empty schema. Both are gone after the test.
func Schema(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return Open(t, Config(t))
}

// closePool fails the test when a connection was never given back, instead of hanging in Close.
func closePool(t testing.TB, pool *pgxpool.Pool) {
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(setupTimeout):
		t.Errorf("pgtest: close the pool: %d connections were never given back", pool.Stat().AcquiredConns())
	}
}

// run executes one statement on a connection of its own.
func run(t testing.TB, cfg *pgxpool.Config, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, cfg.ConnConfig.Copy())
	if err != nil {
		t.Fatalf("pgtest: connect: %v", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Errorf("pgtest: %s: %v", sql, err)
	}
}

func randomHex() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24: it would end the program
	return hex.EncodeToString(b[:])
}
