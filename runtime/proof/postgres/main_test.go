package postgres_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/proof/shop"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// migrated makes the tables in the schema of cfg: the store's, and the business's, which knows no uniqueness because it must not
// help the store.
func migrated(t *testing.T, cfg *pgxpool.Config) *pgxpool.Config {
	t.Helper()
	ctx := context.Background()
	pool := pgtest.Open(t, cfg)
	require.NoError(t, pgstore.Migrate(ctx, pool))
	_, err := pool.Exec(ctx, "create table effects (name text not null)")
	require.NoError(t, err)
	return cfg
}

type handler = idem.HandlerFunc[pgx.Tx, shop.Command]

// process is one server process: an engine with its own pool and its own map of running keys.
type process struct {
	pool   *pgxpool.Pool
	client shop.Client
}

// serve starts a process over HTTP. A store may be put between the engine and pgstore by wrap, which may be nil. A leased operation
// has the same business, in its last phase; h is for the others.
func serve(t *testing.T, cfg *pgxpool.Config, op *idem.Operation, h handler, wrap func(idem.Store[pgx.Tx]) idem.Store[pgx.Tx]) process {
	t.Helper()
	pool := pgtest.Open(t, cfg)
	var store idem.Store[pgx.Tx] = pgstore.New(pool)
	if wrap != nil {
		store = wrap(store)
	}
	engine, err := idem.NewEngine(store, shop.Contract(op), shop.Scope, idem.Options{})
	require.NoError(t, err)
	server := httptest.NewServer(mount(t, engine, op, h))
	t.Cleanup(server.Close)
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return process{pool, shop.Client{URL: server.URL, HTTP: &http.Client{Transport: transport}}}
}

func mount(t *testing.T, engine *idem.Engine[pgx.Tx], op *idem.Operation, h handler) http.Handler {
	t.Helper()
	if op.Execution != idem.Leased {
		return idem.Handle(engine, op, shop.Decode, h)
	}
	runEngine(t, engine)
	return idem.HandleLeased(engine, op, shop.Decode, placeLeased, nil)
}

// runEngine runs what leases need until the test ends.
func runEngine(t *testing.T, engine *idem.Engine[pgx.Tx]) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- engine.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
}

// leased describes the order as a leased operation that the next request takes over.
func leased() *idem.Operation {
	return shop.Operation("order", func(op *idem.Operation) {
		op.Execution, op.Takeover, op.Lease, op.Attempts = idem.Leased, idem.Retake, 30*time.Second, 5
	})
}

// placeLeased is place in the last phase of a lease.
func placeLeased(ctx context.Context, l *idem.Lease[pgx.Tx], cmd shop.Command) (idem.Response, error) {
	_, err := idem.LastPhase(ctx, l, "place", func(tx pgx.Tx) (struct{}, error) { return struct{}{}, write(ctx, tx, l.Key()) })
	if err != nil {
		return idem.Response{}, err
	}
	return shop.Receipt{Call: cmd.Call, Run: idem.NewUUID().String()}.Response(http.StatusCreated)
}

// place writes one effect under the key and answers 201.
func place(ctx context.Context, ex *idem.Execution[pgx.Tx], cmd shop.Command) (idem.Response, error) {
	if err := write(ctx, ex.Tx(), ex.Key()); err != nil {
		return idem.Response{}, err
	}
	return shop.Receipt{Call: cmd.Call, Run: idem.NewUUID().String()}.Response(http.StatusCreated)
}

func effects(t *testing.T, pool *pgxpool.Pool, key string) (n int) {
	t.Helper()
	require.NoError(t, pool.QueryRow(context.Background(), "select count(*) from effects where name = $1", key).Scan(&n))
	return n
}
