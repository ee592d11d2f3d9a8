package agreement

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	leased "github.com/idemgen/idemgen/golden/pipeline/leased-charges/openapiidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

type lease = idem.Lease[*memstore.Tx]

// provider charges cards. It knows the keys that it has seen, as payment providers do, and counts what it was asked.
type provider struct {
	mu      sync.Mutex
	charges map[string]string // by key: the amount
	asked   int
}

func (p *provider) charge(key, amount string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.charges == nil {
		p.charges = map[string]string{}
	}
	if _, known := p.charges[key]; !known {
		p.charges[key] = amount
	}
	return "ch_" + p.charges[key]
}

func (p *provider) count() (charges, asked int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.charges), p.asked
}

// running gives an engine that runs until the test's end.
func running(t *testing.T, opts idem.Options) *idem.Engine[*memstore.Tx] {
	t.Helper()
	engine, err := leased.NewEngine(memstore.New(), func(context.Context) (leased.Scope, error) { return leased.Scope{Tenant: "t"}, nil }, opts)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	return engine
}

// reply is what a client saw; a zero status: the connection was cut.
type reply struct {
	status   int
	body     string
	replayed string
}

// server serves h over the network. Its client sends nothing by itself a second time.
func server(t *testing.T, h http.Handler) func(path, key, body string) reply {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return func(path, key, body string) reply {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Risk-Tier", "low")
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		answer, err := client.Do(r)
		if err != nil {
			return reply{}
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return reply{answer.StatusCode, string(text), answer.Header.Get("Idempotent-Replayed")}
	}
}

// shop is a program with one charge handler, which the first time dies when the provider has charged and nobody has noted it.
type shop struct {
	provider  provider
	mu        sync.Mutex
	cut       bool
	intents   int
	recovered []leased.CreateChargeCommand
}

func (s *shop) charge(ctx context.Context, l *lease, cmd leased.CreateChargeCommand) (idem.Response, error) {
	_, err := idem.Phase(ctx, l, "intent", func(tx *memstore.Tx) (string, error) {
		tx.OnCommit(func() { s.intents++ })
		return string(cmd.Body.Amount), nil
	})
	if err != nil {
		return idem.Response{}, err
	}
	id := s.provider.charge(l.DownstreamKey("provider"), string(cmd.Body.Amount))
	s.mu.Lock()
	first := !s.cut
	s.cut = true
	s.mu.Unlock()
	if first {
		panic(http.ErrAbortHandler) // as if the process had died
	}
	return idem.Response{Status: http.StatusCreated, Body: []byte(id)}, nil
}

// recover asks the provider under the same key again: it charges nothing that it has charged.
func (s *shop) recover(_ context.Context, l *lease, cmd leased.CreateChargeCommand, prior idem.Prior) (idem.Response, error) {
	if len(prior.Phases) != 1 || prior.Phases[0].Name != "intent" || string(prior.Phases[0].Result) != `"`+string(cmd.Body.Amount)+`"` {
		return idem.Response{}, errors.New("the intent is not recorded")
	}
	s.mu.Lock()
	s.recovered = append(s.recovered, cmd)
	s.mu.Unlock()
	return idem.Response{Status: http.StatusCreated, Body: []byte(s.provider.charge(l.DownstreamKey("provider"), string(cmd.Body.Amount)))}, nil
}

func (s *shop) recoveries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.recovered)
}

const tenOf = `{"amount":"10.00","reference":"r-1"}`

// A program that dies between the provider's charge and its own record charges once: the next request recovers, and is answered for all.
func TestOneChargeAcrossACrash(t *testing.T) {
	var s shop
	post := server(t, leased.HandleCreateCharge(running(t, idem.Options{Recover: -1}), s.charge, s.recover))
	assert.Equal(t, reply{}, post("/charges?capture=true", "k", tenOf), "the connection is cut")
	second := post("/charges?capture=true", "k", `{"reference":"r-1", "amount":10}`)
	assert.Equal(t, reply{201, "ch_10.00", ""}, reply{second.status, second.body, ""})
	assert.Equal(t, reply{201, "ch_10.00", "true"}, post("/charges?capture=true", "k", tenOf))
	assert.Equal(t, 422, post("/charges?capture=true", "k", `{"amount":"11"}`).status)
	charges, asked := s.provider.count()
	assert.Equal(t, []int{1, 2, 1}, []int{charges, asked, s.intents})

	require.Equal(t, 1, s.recoveries(), "with the command of the first request")
	tier, capture := "low", true
	assert.Equal(t, leased.CreateChargeHeader{XRiskTier: &tier}, s.recovered[0].Header)
	assert.Equal(t, leased.CreateChargeQuery{Capture: &capture}, s.recovered[0].Query)
	assert.Equal(t, idem.Number("10.00"), s.recovered[0].Body.Amount)
}

// Nobody has to come back: the engine recovers by itself, with the command that was stored.
func TestRecoveryNeedsNoRequest(t *testing.T) {
	var s shop
	post := server(t, leased.HandleCreateCharge(running(t, idem.Options{Recover: 5 * time.Millisecond}), s.charge, s.recover))
	assert.Equal(t, reply{}, post("/charges", "k", tenOf))
	require.Eventually(t, func() bool { return s.recoveries() == 1 }, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return post("/charges", "k", tenOf).replayed == "true" }, 10*time.Second, 5*time.Millisecond)
	charges, _ := s.provider.count()
	assert.Equal(t, []int{1, 1}, []int{charges, s.recoveries()})
	assert.Equal(t, "low", *s.recovered[0].Header.XRiskTier)
}

// Under a framework the program registers its recovery by the generated function, and begins by itself.
func TestRecoveryUnderTheMiddleware(t *testing.T) {
	var s shop
	engine := running(t, idem.Options{Recover: -1})
	require.NoError(t, leased.RecoverCreateCharge(engine, s.recover))
	post := server(t, engine.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := s.framework(r.Context())
		if err != nil {
			status = http.StatusInternalServerError
		}
		w.WriteHeader(status)
	})))
	assert.Equal(t, 500, post("/charges", "k", tenOf).status)
	assert.Equal(t, reply{201, "ch_10.00", ""}, func() reply { r := post("/charges", "k", tenOf); r.replayed = ""; return r }())
	charges, _ := s.provider.count()
	assert.Equal(t, []int{1, 1}, []int{charges, s.recoveries()})
}

// framework is business code behind a router: the provider charges, then something fails.
func (s *shop) framework(ctx context.Context) (_ int, err error) {
	l, err := idem.BeginLeased[*memstore.Tx](ctx, ctx, &leased.CreateChargeOperation)
	if err != nil {
		return 0, err
	}
	defer l.End(&err)
	if _, err = idem.Phase(ctx, l, "intent", func(*memstore.Tx) (string, error) { return "10.00", nil }); err != nil {
		return 0, err
	}
	s.provider.charge(l.DownstreamKey("provider"), "10.00")
	return 0, errors.New("the answer was lost")
}

// Retaken, the handler runs again and its recorded phases do not.
func TestRetakeGoesOn(t *testing.T) {
	runs, rows := 0, 0
	post := server(t, leased.HandleCreateImport(running(t, idem.Options{}), func(ctx context.Context, l *lease, _ leased.CreateImportCommand) (idem.Response, error) {
		runs++
		n, err := idem.Phase(ctx, l, "rows", func(tx *memstore.Tx) (int, error) {
			tx.OnCommit(func() { rows += 7 })
			return 7, nil
		})
		if err != nil {
			return idem.Response{}, err
		}
		if runs == 1 {
			return idem.Response{}, errors.New("the other system is away")
		}
		assert.Equal(t, []int{2, 7}, []int{l.Attempt(), n})
		return idem.Response{Status: http.StatusCreated}, nil
	}))
	assert.Equal(t, 500, post("/imports", "k", "").status)
	assert.Equal(t, 201, post("/imports", "k", "").status)
	assert.Equal(t, reply{201, "", "true"}, post("/imports", "k", ""))
	assert.Equal(t, []int{2, 7}, []int{runs, rows})
}

// Held, nothing runs again, unless the handler says that nothing was done.
func TestHoldWaitsForSomebody(t *testing.T) {
	runs := 0
	post := server(t, leased.HandleSendLetter(running(t, idem.Options{}), func(context.Context, *lease, leased.SendLetterCommand) (idem.Response, error) {
		runs++
		if runs == 1 {
			return idem.Response{}, idem.NothingDone(errors.New("no stamp"))
		}
		return idem.Response{}, errors.New("the post did not say whether it took it")
	}))
	assert.Equal(t, 500, post("/letters", "k", "").status)
	assert.Equal(t, 500, post("/letters", "k", "").status, "nothing was done: it runs")
	third := post("/letters", "k", "")
	assert.Equal(t, 409, third.status)
	assert.Contains(t, third.body, "IDEMPOTENCY_OUTCOME_UNKNOWN")
	assert.Equal(t, 2, runs)
}

// A provider's event is recovered like a request; after the last attempt its outcome is nobody's guess.
func TestLeasedWebhook(t *testing.T) {
	recoveries := 0
	post := server(t, leased.HandleChargeSettled(running(t, idem.Options{Recover: -1}),
		func(context.Context, *lease, leased.ChargeSettledCommand) (idem.Response, error) {
			return idem.Response{}, errors.New("down")
		}, func(context.Context, *lease, leased.ChargeSettledCommand, idem.Prior) (idem.Response, error) {
			recoveries++
			if recoveries == 1 {
				return idem.Response{Status: 200}, nil
			}
			return idem.Response{}, errors.New("still down")
		}))
	assert.Equal(t, 500, post("/hooks", "", `{"id":"e1"}`).status)
	assert.Equal(t, 200, post("/hooks", "", `{"id":"e1"}`).status)
	assert.Equal(t, 500, post("/hooks", "", `{"id":"e2"}`).status)
	assert.NotEqual(t, 200, post("/hooks", "", `{"id":"e2"}`).status)
	assert.Contains(t, post("/hooks", "", `{"id":"e2"}`).body, "IDEMPOTENCY_OUTCOME_UNKNOWN")
	assert.Equal(t, 2, recoveries)
}
