package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	startTimeout = 60 * time.Second // initdb on a busy machine
	stopTimeout  = 20 * time.Second
	socketPort   = 5432 // names the socket file; the folder is private
	superuser    = "idemgen"
)

// keeper starts the server and ends with it: then it deletes the folder. A reader beside it ends it when its input ends. That
// input is a pipe which only the test process holds open, so it also ends when that process was killed. With again it starts the
// server anew whenever that has ended, until its input ends: after a crash that fails as long as processes of the old server are
// there. USR1 is the crash: only the server's parent can be sure that it kills no other process.
const keeper = `
dir=$1 bin=$2 again=$3; shift 3
pid= reader=
finish() {
	trap '' HUP INT TERM
	if [ -n "$reader" ]; then kill "$reader" 2>/dev/null; fi
	if [ -n "$pid" ]; then kill -QUIT "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; fi
	cat "$dir/log" 2>/dev/null
	cd / && { rm -rf "$dir" 2>/dev/null || { sleep 1; rm -rf "$dir"; }; }
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
trap 'kill -KILL "$pid" 2>/dev/null' USR1
exec 3<&0
"$bin/initdb" -D "$dir/data" -U idemgen -A trust -E UTF8 --locale=C --no-sync </dev/null 3<&- || exit 1
{ read -r _; kill -TERM $$; } <&3 2>/dev/null &
reader=$!
while
	"$bin/postgres" -D "$dir/data" -k "$dir" "$@" </dev/null 3<&- >>"$dir/log" 2>&1 &
	pid=$!
	wait "$pid"
	[ "$again" = again ]
do sleep 0.1; done
`

// Options set up a cluster. The zero Options give what tests want: fast and reachable by its socket alone.
type Options struct {
	// Durable switches fsync on, for measurements.
	Durable bool
	// Loopback makes the server listen on 127.0.0.1 too, and URL name that address.
	Loopback bool
	// Settings are more server settings: "name=value".
	Settings []string
	// Restart starts the server again when it has ended by itself or by Crash.
	Restart bool
}

// Server is a private cluster.
type Server struct {
	dir  string
	url  string
	hold io.Closer // the pipe that keeps the keeper waiting
	done chan struct{}

	keeper *os.Process
}

// Start makes a cluster and waits until it answers. Stop ends it; so does the end of the process.
func Start(ctx context.Context, o Options) (*Server, error) {
	bin, err := findBinaries()
	if err != nil {
		return nil, err
	}
	acct, err := serverAccount()
	if err != nil {
		return nil, err
	}
	args, port, err := o.arguments()
	if err != nil {
		return nil, err
	}
	dir, err := acct.newFolder()
	if err != nil {
		return nil, err
	}
	again := "once"
	if o.Restart {
		again = "again"
	}
	return launch(ctx, o, acct, dir, port, append([]string{dir, bin, again}, args...))
}

func launch(ctx context.Context, o Options, acct account, dir string, port int, args []string) (*Server, error) {
	// Not CommandContext: a cancelled context must not kill the one process that cleans up.
	cmd := exec.Command("/bin/sh", append([]string{"-c", keeper, "keeper"}, args...)...)
	cmd.Dir = dir // the caller's own folder may be closed to the server's user
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	acct.apply(cmd)
	hold, err := cmd.StdinPipe()
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("pgtest: open the keeper's pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("pgtest: start the keeper: %w", err)
	}
	s := &Server{dir: dir, url: o.url(dir, port), hold: hold, done: make(chan struct{}), keeper: cmd.Process}
	go func() {
		_ = cmd.Wait() // its exit code says nothing: the output does
		close(s.done)
	}()
	if err := s.awaitReady(ctx); err != nil {
		if errStop := s.Stop(); errStop != nil {
			return nil, fmt.Errorf("pgtest: start PostgreSQL: %w; %w", err, errStop)
		}
		return nil, fmt.Errorf("pgtest: start PostgreSQL: %w\n%s", err, tail(out.Bytes())) // complete: the keeper has ended
	}
	return s, nil
}

// arguments are the server's command line, and the port that stands in it.
func (o Options) arguments() (args []string, port int, err error) {
	settings := []string{"max_connections=200", "shared_buffers=64MB", "logging_collector=off", "jit=off", "max_prepared_transactions=0"}
	if !o.Durable {
		settings = append(settings, "fsync=off", "full_page_writes=off", "autovacuum=off")
	}
	port, listen := socketPort, ""
	if o.Loopback {
		listen = "127.0.0.1"
		if port, err = freePort(); err != nil {
			return nil, 0, err
		}
	}
	settings = append(settings, "listen_addresses="+listen, "port="+strconv.Itoa(port))
	for _, setting := range append(settings, o.Settings...) {
		args = append(args, "-c", setting)
	}
	return args, port, nil
}

func (o Options) url(dir string, port int) string {
	host := dir
	if o.Loopback {
		host = "127.0.0.1"
	}
	return fmt.Sprintf("host=%s port=%d user=%s dbname=postgres sslmode=disable", host, port, superuser)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("pgtest: find a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *Server) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var last error
	for {
		conn, err := pgx.Connect(ctx, s.url)
		if err == nil {
			return conn.Close(ctx)
		}
		last = err
		select {
		case <-s.done:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), last)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// URL is the connection string of the cluster's superuser.
func (s *Server) URL() string { return s.url }

// Crash kills the server's main process with SIGKILL; it says nothing when the server is just coming back. The other processes end
// when they notice. Without Options.Restart the server is gone then.
func (s *Server) Crash() error {
	if err := sendCrash(s.keeper); err != nil {
		return fmt.Errorf("pgtest: crash the server: %w", err)
	}
	return nil
}

// Stop ends the server at once and returns when its processes and its folder are gone.
func (s *Server) Stop() error {
	_ = s.hold.Close()
	select {
	case <-s.done:
	case <-time.After(stopTimeout):
		return fmt.Errorf("pgtest: stop the server in %s: still running after %s", s.dir, stopTimeout)
	}
	if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("pgtest: stop the server: folder %s is still there", s.dir)
	}
	return nil
}

// tail keeps an error readable: the last lines say why.
func tail(log []byte) []byte {
	const most = 2000
	if len(log) > most {
		log = log[len(log)-most:]
	}
	return log
}
