package deploys

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// site is a database and the programs that serve it.
type site struct {
	t        *testing.T
	pool     *pgxpool.Pool
	programs map[string]string // address by version
}

func newSite(t *testing.T) *site {
	t.Helper()
	url := pgtest.SchemaURL(t)
	pool, err := pgxpool.New(context.Background(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, pgstore.Migrate(context.Background(), pool))
	_, err = pool.Exec(context.Background(), `create table payments (id bigint generated always as identity, key text, amount text)`)
	require.NoError(t, err)
	binary := filepath.Join(t.TempDir(), "server")
	out, err := exec.Command("go", "build", "-o", binary, "./server").CombinedOutput()
	require.NoError(t, err, string(out))
	s := &site{t: t, pool: pool, programs: map[string]string{}}
	for _, version := range []string{"one", "two", "three"} {
		s.start(binary, version, url)
	}
	return s
}

func (s *site) start(binary, version, url string) {
	s.t.Helper()
	cmd := exec.Command(binary, "-version", version, "-database", url)
	out, err := cmd.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(s.t, err)
	s.programs[version] = strings.TrimSpace(line)
}

// answer is what a client sees.
type answer struct {
	status   int
	body     string
	replayed bool
	retry    string
}

func (s *site) send(version, key, body string) answer {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+s.programs[version]+"/payments", strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	return answer{response.StatusCode, string(text), response.Header.Get("Idempotent-Replayed") == "true", response.Header.Get("Retry-After")}
}

func (s *site) effects(key string) (n int) {
	s.t.Helper()
	require.NoError(s.t, s.pool.QueryRow(context.Background(), `select count(*) from payments where key = $1`, key).Scan(&n))
	return n
}

const (
	first    = `{"amount":"10.00","note":"rent"}`
	retry    = `{ "note":"rent", "amount":"10" }`
	another  = `{"amount":"11","note":"rent"}`
	withNote = `{"amount":"10","note":"deposit"}`
)

// Whichever program took the first request: each recognises its retry and finds the request that is another one, deploy and roll-back
// included, and the operation takes effect once.
func TestDeployAndRollBack(t *testing.T) {
	s := newSite(t)
	for _, order := range [][]string{{"one", "two"}, {"two", "one"}, {"one", "two", "one"}, {"two", "one", "two"}, {"one", "one", "two", "two"}} {
		key := strings.Join(order, "-")
		claimed := s.send(order[0], key, first)
		require.Equal(t, 201, claimed.status, key)
		require.False(t, claimed.replayed)
		for _, version := range order[1:] {
			again := s.send(version, key, retry)
			assert.Equal(t, answer{201, claimed.body, true, ""}, again, "%s at %s", key, version)
			mismatch := s.send(version, key, another)
			assert.Equal(t, 422, mismatch.status, "%s at %s", key, version)
			assert.Contains(t, mismatch.body, "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST")
		}
		assert.Equal(t, 1, s.effects(key), key)
	}
}

// The field that the newer contract counts is judged by the newest version that both the record and the program know: no false conflict
// with yesterday's records, and none that the old program sees in the new one's.
func TestFieldThatCountsFromNowOn(t *testing.T) {
	s := newSite(t)
	s.send("one", "old", first)
	assert.True(t, s.send("two", "old", withNote).replayed, "the record was made when the note did not count")
	s.send("two", "new", first)
	assert.Equal(t, 422, s.send("two", "new", withNote).status, "it counts now")
	assert.True(t, s.send("one", "new", withNote).replayed, "the old program knows the record by the old version")
	assert.Equal(t, 1, s.effects("old"))
	assert.Equal(t, 1, s.effects("new"))
}

func TestBothProgramsAtOnce(t *testing.T) {
	s := newSite(t)
	for round := range 20 {
		key := fmt.Sprint("round-", round)
		var all sync.WaitGroup
		answers := make([]answer, 8)
		for i := range answers {
			all.Go(func() { answers[i] = s.send([]string{"one", "two"}[i%2], key, first) })
		}
		all.Wait()
		for _, a := range answers {
			assert.Contains(t, []int{201, 409}, a.status, a.body)
		}
		assert.Equal(t, 1, s.effects(key), key)
	}
}

// After the first version was pruned its records cannot be compared: their retries wait, and none runs again.
func TestPrunedVersion(t *testing.T) {
	s := newSite(t)
	s.send("one", "old", first)
	s.send("two", "new", first)
	got := s.send("three", "old", retry)
	assert.Equal(t, 503, got.status)
	assert.Contains(t, got.body, "IDEMPOTENCY_CONTRACT_UNKNOWN")
	assert.NotEmpty(t, got.retry)
	assert.True(t, s.send("three", "new", retry).replayed, "a record that knows the newer version answers")
	assert.True(t, s.send("two", "old", retry).replayed, "rolled back to the program that knows both")
	assert.Equal(t, 1, s.effects("old"))
	assert.Equal(t, 1, s.effects("new"))
}
