package scenarios_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/paymentsidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) {
	gin.SetMode(gin.TestMode)
	gin.DefaultErrorWriter = io.Discard // where its recoverer logs
	pgtest.Main(m)
}

const tenant = "acme"

// world is a server of one kind on PostgreSQL, and what a test may do to it.
type world struct {
	t   *testing.T
	url string
	api *business.API[pgx.Tx]

	mu      sync.Mutex
	revoked bool
	wrote   func(ctx context.Context, operation string) error
}

// kind is a way to serve the API.
type kind struct {
	name  string
	serve func(*idem.Engine[pgx.Tx], *business.API[pgx.Tx]) (http.Handler, error)
}

// newWorld serves the whole API.
func newWorld(t *testing.T, k kind) *world {
	w := newWorldOf(t, k.serve)
	w.awaitRun()
	return w
}

func newWorldOf(t *testing.T, serve func(*idem.Engine[pgx.Tx], *business.API[pgx.Tx]) (http.Handler, error)) *world {
	t.Helper()
	pool := pgtest.Open(t, pgtest.Config(t))
	require.NoError(t, pgstore.Migrate(t.Context(), pool))
	_, err := pool.Exec(t.Context(), ledgerSQL)
	require.NoError(t, err)
	w := &world{t: t}
	w.api = &business.API[pgx.Tx]{Ledger: ledger{pool}, Tenant: w.tenant, Wrote: w.afterWrite}
	engine, err := paymentsidem.NewEngine(pgstore.New(pool), business.Scope, idem.Options{})
	require.NoError(t, err)
	handler, err := serve(engine, w.api)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = engine.Run(ctx) })
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = quiet
	server.Start()
	t.Cleanup(func() { server.Close(); stop(); running.Wait() })
	w.url = server.URL
	return w
}

// awaitRun waits until leased operations are served, which Engine.Run makes them.
func (w *world) awaitRun() {
	require.Eventually(w.t, func() bool { return w.send(capture("none", "1").with("run")).status != http.StatusInternalServerError },
		10*time.Second, 10*time.Millisecond)
}

func (w *world) tenant(token string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return tenant, token == "good" && !w.revoked
}

func (w *world) revoke() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.revoked = true
}

func (w *world) afterWrite(ctx context.Context, operation string) error {
	w.mu.Lock()
	wrote := w.wrote
	w.mu.Unlock()
	if wrote == nil {
		return nil
	}
	return wrote(ctx, operation)
}

// afterWrites lets f run after each write; nil lets nothing run.
func (w *world) afterWrites(f func(ctx context.Context, operation string) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrote = f
}

// effects counts what an operation did.
func (w *world) effects(operation string) (n int) {
	w.t.Helper()
	all, err := w.api.Ledger.Effects(context.Background(), tenant)
	require.NoError(w.t, err)
	for _, e := range all {
		if e.Operation == operation {
			n++
		}
	}
	return n
}

// call is a request.
type call struct{ method, path, body, key, token string }

func (c call) with(key string) call   { c.key = key; return c }
func (c call) says(body string) call  { c.body = body; return c }
func (c call) from(token string) call { c.token = token; return c }

func create(amount string) call {
	return call{http.MethodPost, "/payments", `{"accountId": "a1", "amount": "` + amount + `", "currency": "EUR"}`, "key-1", "good"}
}

func capture(id, amount string) call {
	return call{http.MethodPost, "/payments/" + id + "/capture", `{"amount": "` + amount + `"}`, "key-2", "good"}
}

func update(body string) call { return call{http.MethodPatch, "/accounts/a1", body, "key-3", "good"} }

func event(id, kind string) call {
	return call{http.MethodPost, "/webhooks/psp", `{"id": "` + id + `", "kind": "` + kind + `", "paymentId": "p1"}`, "", "good"}
}

// reply is an answer; status 0 when the connection broke.
type reply struct {
	status   int
	kind     string // Content-Type
	body     string
	replayed bool
}

func (w *world) request(c call) *http.Request {
	r, err := http.NewRequestWithContext(context.Background(), c.method, w.url+c.path, strings.NewReader(c.body))
	require.NoError(w.t, err)
	r.Header.Set("Authorization", "Bearer "+c.token)
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		r.Header.Set("Idempotency-Key", c.key)
	}
	return r
}

func (w *world) send(c call) reply {
	response, err := http.DefaultClient.Do(w.request(c))
	if err != nil {
		return reply{}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}
	}
	return reply{
		response.StatusCode, response.Header.Get("Content-Type"), string(body), response.Header.Get("Idempotent-Replayed") == "true",
	}
}
