package main

import (
	"bufio"
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// shortWait is for tests in which somebody waits in vain.
var shortWait = sqlstore.WithLockWait(150 * time.Millisecond)

// The test program is also the processes that are killed: the environment says what one does.
const (
	envStory = "IDEMGEN_SQLITE_STORY"
	envFile  = "IDEMGEN_SQLITE_FILE"
)

func TestMain(m *testing.M) {
	if story := os.Getenv(envStory); story != "" {
		if err := live(context.Background(), story, os.Getenv(envFile)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// stand says where the process is, and stays there until its input ends or it is killed.
func stand(where string) {
	fmt.Println(where)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// live is one process: it claims a key, writes, and stands at some moment.
func live(ctx context.Context, story, file string) error {
	sqlite.MustRegisterScalarFunction("stand", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		stand(fmt.Sprint(args[0]))
		return int64(0), nil
	})
	db, err := open(file)
	if err != nil {
		return err
	}
	store := sqlstore.NewSQLite(db)
	if story == "phase" {
		return liveLeased(ctx, store)
	}
	held, prior, err := store.Claim(ctx, newClaim("k"))
	if err != nil || held == nil {
		fmt.Println("found", prior.State, string(prior.Response.Body))
		return err
	}
	if err := effects.Write(ctx, held.Tx(), "w"); err != nil {
		return err
	}
	switch story {
	case "written":
		stand("here")
	case "completing":
		held.(idem.Queuer).Queue("select stand('here')") // after the outcome was written, before the commit
	}
	done := created()
	done.Response.Body = fmt.Appendf(nil, "of process %d", os.Getpid())
	if err := held.Complete(ctx, done); err != nil {
		return err
	}
	if story == "committed" {
		stand("here")
	}
	fmt.Println("completed", string(done.Response.Body))
	return nil
}

// liveLeased commits a phase, begins another one and stands in it.
func liveLeased(ctx context.Context, store *sqlstore.Store) error {
	c := newClaim("k")
	c.Lease, c.Request = 300*time.Millisecond, []byte("command")
	if _, err := store.ClaimLease(ctx, c); err != nil {
		return err
	}
	l := idem.LeaseRef{Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key, RecordID: c.RecordID, Token: c.Token, Lease: c.Lease}
	for _, name := range []string{"one", "two"} {
		phase, err := store.BeginPhase(ctx, l, idem.BeginOptions{})
		if err != nil {
			return err
		}
		if err := effects.Write(ctx, phase.Tx(), name); err != nil {
			return err
		}
		if name == "two" {
			stand("here")
		}
		if err := phase.Commit(ctx, idem.PhaseRecord{Name: name, Result: []byte("1")}, nil); err != nil {
			return err
		}
	}
	return nil
}

// process is one that lives a story.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.Closer
	out  *bufio.Reader
	once sync.Once
}

func (b *bench) start(t *testing.T, story string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envStory+"="+story, envFile+"="+b.file)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &process{t: t, cmd: cmd, in: in, out: bufio.NewReader(out)}
	t.Cleanup(p.kill)
	return p
}

// says reads a line.
func (p *process) says() string {
	line, err := p.out.ReadString('\n')
	require.NoError(p.t, err)
	return strings.TrimSpace(line)
}

// kill is kill -9.
func (p *process) kill() {
	p.once.Do(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait() // it was killed
	})
}

// Killed between business write and commit, a process leaves nothing, and its lock is free; killed after the commit, its outcome is replayed.
func TestKilledProcess(t *testing.T) {
	for _, story := range []string{"written", "completing"} {
		t.Run(story, func(t *testing.T) {
			b := newBench(t)
			p := b.start(t, story)
			require.Equal(t, "here", p.says())
			impatient := b.elsewhere(shortWait)
			for _, key := range []string{"k", "another"} { // nobody sees which key another process holds
				_, _, err := impatient.store.Claim(b.ctx, newClaim(key))
				require.ErrorIs(t, err, idem.ErrStoreUnavailable)
			}
			p.kill()
			assert.Zero(t, b.count("w"))
			held := b.hold(newClaim("k"))
			b.write(held.Tx(), "w")
			require.NoError(t, held.Complete(b.ctx, created()))
			assert.Equal(t, 1, b.count("w"))
			assert.Equal(t, "{}", string(b.find(newClaim("k")).Response.Body))
		})
	}
	t.Run("committed", func(t *testing.T) {
		b := newBench(t)
		p := b.start(t, "committed")
		require.Equal(t, "here", p.says())
		p.kill()
		prior := b.find(newClaim("k"))
		assert.Equal(t, idem.StateCompleted, prior.State)
		assert.Equal(t, fmt.Sprintf("of process %d", p.cmd.Process.Pid), string(prior.Response.Body))
		assert.Equal(t, 1, b.count("w"))
	})
}

// A duplicate in another process waits for the holder and gets its outcome.
func TestDuplicateInAnotherProcessWaits(t *testing.T) {
	b := newBench(t)
	p := b.start(t, "written")
	require.Equal(t, "here", p.says())
	time.AfterFunc(200*time.Millisecond, func() { _ = p.in.Close() })
	prior := b.find(newClaim("k"))
	assert.Equal(t, idem.StateCompleted, prior.State)
	assert.Equal(t, "completed "+string(prior.Response.Body), p.says())
}

// A lease outlives its process; what was committed of it is known to the attempt after it.
func TestKilledLease(t *testing.T) {
	b := newBench(t)
	p := b.start(t, "phase")
	require.Equal(t, "here", p.says())
	p.kill()
	var due []idem.Prior
	require.Eventually(t, func() (taken bool) {
		var err error
		due, err = b.store.Due(b.ctx, idem.Due{Operations: map[string]time.Duration{"placeOrder": time.Minute}, Limit: 9})
		require.NoError(t, err)
		return len(due) == 1
	}, 10*time.Second, 10*time.Millisecond)
	assert.Equal(t, 2, due[0].Attempt)
	assert.Equal(t, "command", string(due[0].Request))
	assert.Equal(t, []idem.PhaseRecord{{Name: "one", Result: []byte("1")}}, due[0].Phases)
	assert.Equal(t, []int{1, 0}, []int{b.count("one"), b.count("two")})
}

// Many processes at once, on one key: one effect and one answer.
func TestProcessesRaceForAKey(t *testing.T) {
	b := newBench(t)
	var all []*process
	for range 8 {
		all = append(all, b.start(t, "racing"))
	}
	answers := map[string]int{}
	for _, p := range all {
		said := p.says()
		_, body, _ := strings.Cut(said, "of process")
		answers[body]++
		require.Contains(t, said, "of process", "completed, or found completed")
	}
	assert.Len(t, answers, 1)
	assert.Equal(t, 1, b.count("w"))
}
