package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNoBouncer says that the machine has no PgBouncer to start, and what to do about it.
var ErrNoBouncer = errors.New("pgtest: PgBouncer was not found: install it (apt-get install pgbouncer, dnf install pgbouncer, brew install pgbouncer)")

const bouncerFile = "pgbouncer.ini"

// bouncerPort names the socket file; the folder is private.
const bouncerPort = 6432

// bouncerKeeper ends PgBouncer and deletes its folder when its input ends, as keeper does with a server.
const bouncerKeeper = `
dir=$1 bin=$2 file=$3
trap '' HUP INT
exec 3<&0
"$bin" "$dir/$file" </dev/null 3<&- &
pid=$!
{ read -r _; kill -TERM "$pid"; } <&3 2>/dev/null &
wait "$pid"
cd / && rm -rf "$dir"
kill $! 2>/dev/null
`

// Bouncer starts a private PgBouncer that pools transactions: it lends one of servers connections for the length of a
// transaction, and another one for the next. What it gives is cfg for connections through it; their settings, search_path among
// them, are those of cfg. It ends with the test, and with the process.
func Bouncer(t testing.TB, cfg *pgxpool.Config, servers int) *pgxpool.Config {
	t.Helper()
	b, err := startBouncer(cfg.ConnConfig, servers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.stop(); err != nil {
			t.Error(err)
		}
	})
	through := cfg.Copy()
	through.ConnConfig = b.reach(cfg.ConnConfig)
	if err := b.awaitReady(through.ConnConfig); err != nil {
		t.Fatal(err)
	}
	return through
}

// bouncer is a PgBouncer with a folder of its own.
type bouncer struct {
	dir  string
	hold io.Closer // the pipe that keeps the keeper waiting
	done chan struct{}
	out  bytes.Buffer // complete when done is closed
}

func startBouncer(cfg *pgx.ConnConfig, servers int) (*bouncer, error) {
	bin, err := findBouncer()
	if err != nil {
		return nil, err
	}
	acct, err := serverAccount()
	if err != nil {
		return nil, err
	}
	dir, err := acct.newFolder()
	if err != nil {
		return nil, err
	}
	b := &bouncer{dir: dir, done: make(chan struct{})}
	if err := b.run(acct, bin, bouncerSettings(cfg, dir, servers)); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("pgtest: start PgBouncer: %w", err)
	}
	return b, nil
}

func (b *bouncer) run(acct account, bin, settings string) error {
	if err := os.WriteFile(filepath.Join(b.dir, bouncerFile), []byte(settings), 0o644); err != nil {
		return err
	}
	cmd := exec.Command("/bin/sh", "-c", bouncerKeeper, "keeper", b.dir, bin, bouncerFile)
	cmd.Dir = b.dir
	cmd.Stdout, cmd.Stderr = &b.out, &b.out
	acct.apply(cmd)
	hold, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	b.hold = hold
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = cmd.Wait() // its exit code says nothing: the output does
		close(b.done)
	}()
	return nil
}

// reach gives the configuration of connections through b to what cfg reaches by itself.
func (b *bouncer) reach(cfg *pgx.ConnConfig) *pgx.ConnConfig {
	through := cfg.Copy()
	through.Host, through.Port = b.dir, bouncerPort
	through.TLSConfig, through.Fallbacks = nil, nil
	through.RuntimeParams = map[string]string{}
	return through
}

func (b *bouncer) awaitReady(cfg *pgx.ConnConfig) error {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	for {
		conn, err := pgx.ConnectConfig(ctx, cfg.Copy())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-b.done:
			return fmt.Errorf("pgtest: start PgBouncer: it ended at once\n%s", tail(b.out.Bytes()))
		case <-ctx.Done():
			return fmt.Errorf("pgtest: connect to PgBouncer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (b *bouncer) stop() error {
	_ = b.hold.Close()
	select {
	case <-b.done:
		return nil
	case <-time.After(stopTimeout):
		return fmt.Errorf("pgtest: stop PgBouncer in %s: still running after %s", b.dir, stopTimeout)
	}
}

// findBouncer looks where distributions put it, which is not on everybody's PATH.
func findBouncer() (string, error) {
	if bin, err := exec.LookPath("pgbouncer"); err == nil {
		return bin, nil
	}
	const usual = "/usr/sbin/pgbouncer"
	if _, err := os.Stat(usual); err != nil {
		return "", ErrNoBouncer
	}
	return usual, nil
}

// bouncerSettings is the file that PgBouncer reads. Connections are lent in turn, so that what one transaction leaves behind on
// its connection is met by another client.
func bouncerSettings(c *pgx.ConnConfig, dir string, servers int) string {
	var settings []string
	for _, name := range slices.Sorted(maps.Keys(c.RuntimeParams)) {
		settings = append(settings, fmt.Sprintf("set %s to '%s'", name, strings.ReplaceAll(c.RuntimeParams[name], "'", "''")))
	}
	tls := "disable"
	if c.TLSConfig != nil {
		tls = "prefer"
	}
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	password := ""
	if c.Password != "" { // an empty value would be a syntax error
		password = " password=" + quote(c.Password)
	}
	return fmt.Sprintf(`[databases]
%s = host=%s port=%d dbname=%s user=%s%s connect_query=%s
[pgbouncer]
unix_socket_dir = %s
listen_port = %d
auth_type = any
pool_mode = transaction
default_pool_size = %d
max_client_conn = 500
server_round_robin = 1
server_tls_sslmode = %s
ignore_startup_parameters = extra_float_digits
`, c.Database, quote(c.Host), c.Port, quote(c.Database), quote(c.User), password, quote(strings.Join(settings, "; ")),
		dir, bouncerPort, servers, tls)
}
