package servers_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/paymentsidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// world is the API on one kind of server, over one store.
type world[Tx any] struct {
	app     *business.API[Tx]
	handler http.Handler
	url     string
	tokens  map[string]string // tenants by token
	failed  []error           // that the server rendered; requests one after the other
}

// newWorld serves the API over HTTP until the test ends.
func newWorld[Tx any](t *testing.T, k kind[Tx], store idem.Store[Tx], ledger business.Ledger[Tx]) *world[Tx] {
	t.Helper()
	gin.SetMode(gin.TestMode)
	engine, err := paymentsidem.NewEngine(store, business.Scope, idem.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = engine.Run(ctx) }()
	w := &world[Tx]{tokens: map[string]string{"alice": "acme"}}
	w.app = &business.API[Tx]{Ledger: ledger, Tenant: func(token string) (string, bool) { tenant, ok := w.tokens[token]; return tenant, ok }}
	w.app.Failed = func(err error) { w.failed = append(w.failed, err) }
	w.handler, err = k.handler(engine, w.app)
	require.NoError(t, err)
	server := httptest.NewServer(w.handler)
	server.Config.ErrorLog = nil
	w.url = server.URL
	t.Cleanup(func() { server.Close(); cancel(); <-done })
	return w
}

// call is a request; its zero is createPayment's first one.
type call struct {
	method, path, key, body, token string
}

func (w *world[Tx]) send(t *testing.T, c call) answer {
	t.Helper()
	if c.method == "" {
		c.method = http.MethodPost
	}
	if c.path == "" {
		c.path = "/payments"
	}
	if c.body == "" && c.method == http.MethodPost {
		c.body = `{"accountId":"acc","amount":"10.00","currency":"EUR"}`
	}
	if c.token == "" {
		c.token = "alice"
	}
	r, err := http.NewRequestWithContext(t.Context(), c.method, w.url+c.path, strings.NewReader(c.body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+c.token)
	if c.key != "" {
		r.Header.Set("Idempotency-Key", c.key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{status: -1} // the connection was closed
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return answer{resp.StatusCode, string(body), resp.Header.Get("Idempotent-Replayed") == "true"}
}

// effects are the operations that took effect.
func (w *world[Tx]) effects(t *testing.T) []string {
	t.Helper()
	effects, err := w.app.Ledger.Effects(t.Context(), "acme")
	require.NoError(t, err)
	var out []string
	for _, e := range effects {
		out = append(out, e.Operation)
	}
	return out
}

type answer struct {
	status   int
	body     string
	replayed bool
}

// member is a text of the answer's JSON.
func (a answer) member(name string) string {
	var members map[string]any
	_ = json.Unmarshal([]byte(a.body), &members) // then it has none
	text, _ := members[name].(string)
	return text
}
