package pgtest_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

const envChild = "IDEMGEN_PGTEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(envChild) != "" {
		child()
		return
	}
	pgtest.Main(m)
}

// child starts a server, says where, and waits to be killed.
func child() {
	s, err := pgtest.Start(context.Background(), pgtest.Options{})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println(s.URL())
	time.Sleep(time.Minute)
}

func folderOf(url string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "host="), " ")
	return host
}

func postmasterPID(t *testing.T, dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	require.NoError(t, err)
	pid, _, _ := strings.Cut(string(data), "\n")
	return pid
}

func alive(pid string) bool {
	// A zombie still has an entry; its command line is empty.
	line, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
	return err == nil && len(line) > 0
}

func TestKilledProcessLeavesNoServerAndNoFolder(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envChild+"=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	dir := folderOf(line)
	require.DirExists(t, dir)
	pid := postmasterPID(t, dir)
	require.True(t, alive(pid) || !procHere())

	require.NoError(t, cmd.Process.Kill()) // SIGKILL: no deferred call runs
	_ = cmd.Wait()

	require.Eventually(t, func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err) && !alive(pid)
	}, 20*time.Second, 20*time.Millisecond)
}

func procHere() bool {
	_, err := os.Stat("/proc/self/cmdline")
	return err == nil
}

// What was committed is there after a crash, and what was not is not.
func TestCrashedServerComesBack(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := pgtest.Start(ctx, pgtest.Options{Durable: true, Restart: true})
	require.NoError(t, err)
	dir := folderOf(s.URL())
	conn := connect(ctx, t, s)
	_, err = conn.Exec(ctx, "create table item (n int); insert into item values (1)")
	require.NoError(t, err)
	_, err = conn.Exec(ctx, "begin; insert into item values (2)")
	require.NoError(t, err)

	require.NoError(t, s.Crash())
	_, err = conn.Exec(ctx, "select pg_sleep(30)") // its process ends when it notices that the main one is gone
	require.Error(t, err)
	var n int
	require.NoError(t, connect(ctx, t, s).QueryRow(ctx, "select sum(n) from item").Scan(&n))
	require.Equal(t, 1, n)

	require.NoError(t, s.Stop())
	require.NoDirExists(t, dir)
}

// connect tries until the server answers.
func connect(ctx context.Context, t *testing.T, s *pgtest.Server) *pgx.Conn {
	for {
		conn, err := pgx.Connect(ctx, s.URL())
		if err == nil {
			t.Cleanup(func() { _ = conn.Close(context.Background()) }) // it may be broken
			return conn
		}
		require.NoError(t, ctx.Err(), err)
		time.Sleep(20 * time.Millisecond)
	}
}

func TestStopLeavesNoFolder(t *testing.T) {
	s, err := pgtest.Start(context.Background(), pgtest.Options{Durable: true, Loopback: true})
	require.NoError(t, err)
	require.Contains(t, s.URL(), "127.0.0.1")
	require.NoError(t, s.Stop())
}

func TestWrongSettingSaysWhy(t *testing.T) {
	_, err := pgtest.Start(context.Background(), pgtest.Options{Settings: []string{"no_such_setting=1"}})
	require.ErrorContains(t, err, "no_such_setting")
}

// With the variable set, tests use that server and start none.
func TestEnvironmentPointsToAnotherServer(t *testing.T) {
	s, err := pgtest.Start(context.Background(), pgtest.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Stop()) }()
	run := func(url string) (string, error) {
		cmd := exec.Command(os.Args[0], "-test.run", "TestSchemasAreApart", "-test.v")
		cmd.Env = append(os.Environ(), pgtest.EnvServer+"="+url, "PATH=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run(s.URL())
	require.NoError(t, err, out)
	require.Contains(t, out, "--- PASS: TestSchemasAreApart")
	out, err = run("host=127.0.0.1 port=1 user=nobody sslmode=disable")
	require.Error(t, err, "the variable is not only a hint")
	require.Contains(t, out, "--- FAIL: TestSchemasAreApart")
}

func TestSchemasAreApart(t *testing.T) {
	ctx := context.Background()
	one, two := pgtest.Schema(t), pgtest.Schema(t)
	_, err := one.Exec(ctx, "create table only_here ()")
	require.NoError(t, err)
	_, err = two.Exec(ctx, "table only_here")
	require.ErrorContains(t, err, "does not exist")
}
