package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const tenEuros = `{"accountId":"acc_1","amount":"10.00","currency":"EUR"}`

// eachStore runs a test on memory and on PostgreSQL. open starts the API anew on the same store.
func eachStore(t *testing.T, test func(t *testing.T, cfg config)) {
	t.Run("memory", func(t *testing.T) { test(t, config{store: "memory", tokens: []string{"alice", "bob"}}) })
	t.Run("postgres", func(t *testing.T) { test(t, config{store: databaseURL(t), tokens: []string{"alice", "bob"}}) })
}

// api is the quickstart behind a real server.
type server struct {
	t   *testing.T
	url string
}

func serve(t *testing.T, cfg config) *server {
	t.Helper()
	handler, closeStore, err := newHandler(t.Context(), cfg)
	require.NoError(t, err)
	s := httptest.NewServer(handler)
	t.Cleanup(func() { s.Close(); closeStore() })
	return &server{t: t, url: s.URL}
}

// answer is a response with its body read.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) replayed() bool { return a.header.Get("Idempotent-Replayed") == "true" }

// code is the code of a problem, "" for anything else.
func (a answer) code() string {
	var p struct{ Code string }
	_ = json.Unmarshal([]byte(a.body), &p) // not a problem: no code
	return p.Code
}

// send posts body to path as tenant; an empty key sends none, an empty body none either.
func (s *server) send(tenant, key, path, body string) answer {
	s.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, reader)
	require.NoError(s.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return s.do(tenant, req)
}

func (s *server) do(tenant string, req *http.Request) answer {
	s.t.Helper()
	req.Header.Set("Authorization", "Bearer "+tenant)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return answer{resp.StatusCode, resp.Header, string(body)}
}

func (s *server) effects(tenant string) []Effect {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/payments", nil)
	require.NoError(s.t, err)
	a := s.do(tenant, req)
	require.Equal(s.t, http.StatusOK, a.status)
	var list []Effect
	require.NoError(s.t, json.Unmarshal([]byte(a.body), &list))
	require.True(s.t, strings.HasPrefix(a.body, "["), "an empty list is an array, not null")
	return list
}

func TestRetryIsReplayed(t *testing.T) {
	eachStore(t, func(t *testing.T, cfg config) {
		s := serve(t, cfg)
		first := s.send("alice", "k1", "/payments", tenEuros)
		require.Equal(t, http.StatusCreated, first.status, first.body)
		assert.False(t, first.replayed())
		again := s.send("alice", "k1", "/payments", `{ "currency":"EUR", "amount":"10", "accountId":"acc_1", "metadata":{"try":"2"} }`)
		assert.Equal(t, http.StatusCreated, again.status)
		assert.True(t, again.replayed())
		assert.Equal(t, first.body, again.body)
		assert.Equal(t, first.header.Get("Content-Type"), again.header.Get("Content-Type"))
		assert.Equal(t, first.header.Get("Location"), again.header.Get("Location"))
		assert.NotEmpty(t, again.header.Get("Location"))
		assert.Len(t, s.effects("alice"), 1)
	})
}

func TestAnswersThatClaimNothing(t *testing.T) {
	cases := []struct {
		name, key, path, body string
		status                int
		code                  string
	}{
		{"no key", "", "/payments", tenEuros, 400, "IDEMPOTENCY_KEY_MISSING"},
		{"key with a comma", "a, b", "/payments", tenEuros, 400, "IDEMPOTENCY_KEY_MALFORMED"},
		{"key too long", strings.Repeat("k", 256), "/payments", tenEuros, 400, "IDEMPOTENCY_KEY_MALFORMED"},
		{"not JSON", "k", "/payments", `{"accountId":`, 400, "IDEMPOTENCY_REQUEST_MALFORMED"},
		{"amount is no number", "k", "/payments", strings.Replace(tenEuros, "10.00", "NaN", 1), 400, "IDEMPOTENCY_REQUEST_MALFORMED"},
		{"unknown member", "k", "/payments", strings.Replace(tenEuros, "{", `{"tip":"1",`, 1), 400, "IDEMPOTENCY_REQUEST_MALFORMED"},
		{"duplicate member", "k", "/payments", strings.Replace(tenEuros, "{", `{"amount":"1",`, 1), 400, "IDEMPOTENCY_REQUEST_MALFORMED"},
		{"member in another case", "k", "/payments", strings.Replace(tenEuros, "amount", "Amount", 1), 400, "IDEMPOTENCY_REQUEST_MALFORMED"},
		{"required body absent", "k", "/payments", "", 400, "IDEMPOTENCY_REQUEST_MALFORMED"},
	}
	eachStore(t, func(t *testing.T, cfg config) {
		s := serve(t, cfg)
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				a := s.send("alice", c.key, c.path, c.body)
				assert.Equal(t, c.status, a.status, a.body)
				assert.Equal(t, c.code, a.code())
				assert.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
			})
		}
		assert.Empty(t, s.effects("alice"))
		corrected := s.send("alice", "k", "/payments", tenEuros)
		assert.Equal(t, http.StatusCreated, corrected.status, "a malformed request must not burn its key")
	})
}

func TestMismatchNamesTheFields(t *testing.T) {
	eachStore(t, func(t *testing.T, cfg config) {
		s := serve(t, cfg)
		require.Equal(t, http.StatusCreated, s.send("alice", "k1", "/payments", tenEuros).status)
		a := s.send("alice", "k1", "/payments", `{"accountId":"acc_2","amount":"11","currency":"EUR"}`)
		assert.Equal(t, http.StatusUnprocessableEntity, a.status)
		assert.Equal(t, "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST", a.code())
		var p struct{ Fields []string }
		require.NoError(t, json.Unmarshal([]byte(a.body), &p))
		assert.Equal(t, []string{"body.accountId", "body.amount"}, p.Fields)
		assert.NotContains(t, a.body, "acc_1", "a value of the first request must not be told")
		assert.Len(t, s.effects("alice"), 1)
	})
}

func TestDuplicatesAtTheSameTimeHaveOneEffect(t *testing.T) {
	eachStore(t, func(t *testing.T, cfg config) {
		cfg.delay = 200 * time.Millisecond
		s := serve(t, cfg)
		for _, n := range []int{2, 16} {
			key := strings.Repeat("k", n)
			before := len(s.effects("alice"))
			answers := make([]answer, n)
			var wg sync.WaitGroup
			for i := range answers {
				wg.Go(func() { answers[i] = s.send("alice", key, "/payments", tenEuros) })
			}
			wg.Wait()
			created := slices.DeleteFunc(slices.Clone(answers), func(a answer) bool { return a.status != http.StatusCreated })
			require.NotEmpty(t, created)
			for _, a := range answers {
				if a.status == http.StatusCreated {
					assert.Equal(t, created[0].body, a.body)
					continue
				}
				assert.Equal(t, http.StatusConflict, a.status)
				assert.Equal(t, "IDEMPOTENCY_IN_FLIGHT", a.code())
				assert.Equal(t, "1", a.header.Get("Retry-After"))
			}
			assert.Len(t, s.effects("alice"), before+1)
			assert.True(t, s.send("alice", key, "/payments", tenEuros).replayed())
		}
	})
}

func TestTwoServersOnOneDatabase(t *testing.T) {
	cfg := config{store: databaseURL(t), tokens: []string{"alice"}, delay: 200 * time.Millisecond}
	servers := []*server{serve(t, cfg), serve(t, cfg)}
	answers := make([]answer, 2)
	var wg sync.WaitGroup
	for i, s := range servers {
		wg.Go(func() { answers[i] = s.send("alice", "k1", "/payments", tenEuros) })
	}
	wg.Wait()
	statuses := []int{answers[0].status, answers[1].status}
	slices.Sort(statuses)
	assert.Equal(t, []int{http.StatusCreated, http.StatusConflict}, statuses)
	assert.Len(t, servers[0].effects("alice"), 1)
	for _, s := range servers {
		assert.True(t, s.send("alice", "k1", "/payments", tenEuros).replayed())
	}
}

func TestErrorAfterTheWriteIsNoOutcome(t *testing.T) {
	eachStore(t, func(t *testing.T, cfg config) {
		cfg.fail = 2
		s := serve(t, cfg)
		for range 2 {
			failed := s.send("alice", "k1", "/payments", tenEuros)
			assert.Equal(t, http.StatusInternalServerError, failed.status)
			assert.False(t, failed.replayed())
			assert.Empty(t, s.effects("alice"), "the write must roll back with the claim")
		}
		assert.Equal(t, http.StatusCreated, s.send("alice", "k1", "/payments", tenEuros).status)
		assert.Len(t, s.effects("alice"), 1)
	})
}

func TestCaptureBodyAbsentAndEmptyDiffer(t *testing.T) {
	eachStore(t, func(t *testing.T, cfg config) {
		s := serve(t, cfg)
		var payment Effect
		require.NoError(t, json.Unmarshal([]byte(s.send("alice", "k1", "/payments", tenEuros).body), &payment))
		path := "/payments/" + payment.ID + "/capture"
		captured := s.send("alice", "k1", path, "")
		require.Equal(t, http.StatusCreated, captured.status, "each operation has a keyspace of its own: %s", captured.body)
		assert.True(t, s.send("alice", "k1", path, "").replayed())
		assert.Equal(t, http.StatusUnprocessableEntity, s.send("alice", "k1", path, "{}").status)
		assert.Equal(t, http.StatusUnprocessableEntity, s.send("alice", "k1", "/payments/other/capture", "").status)
		assert.Equal(t, http.StatusCreated, s.send("alice", "k2", path, `{"amount":"5"}`).status)
		assert.Len(t, s.effects("alice"), 3)
	})
}

func TestRefusalByTheHandlerIsReplayed(t *testing.T) {
	eachStore(t, func(t *testing.T, cfg config) {
		s := serve(t, cfg)
		first := s.send("alice", "k1", "/payments/nothing/capture", "")
		require.Equal(t, http.StatusNotFound, first.status)
		again := s.send("alice", "k1", "/payments/nothing/capture", "")
		assert.Equal(t, http.StatusNotFound, again.status)
		assert.True(t, again.replayed())
		assert.Equal(t, first.body, again.body)
		assert.Empty(t, s.effects("alice"))
	})
}

func TestRevokedTokenGetsNoReplay(t *testing.T) {
	cfg := config{store: databaseURL(t), tokens: []string{"alice", "bob"}}
	require.Equal(t, http.StatusCreated, serve(t, cfg).send("alice", "k1", "/payments", tenEuros).status)
	assert.True(t, serve(t, cfg).send("alice", "k1", "/payments", tenEuros).replayed(), "a record outlives the program")
	cfg.tokens = []string{"bob"}
	s := serve(t, cfg)
	assert.Equal(t, http.StatusUnauthorized, s.send("alice", "k1", "/payments", tenEuros).status)
	assert.Equal(t, http.StatusCreated, s.send("bob", "k1", "/payments", tenEuros).status, "a key belongs to its tenant")
}
