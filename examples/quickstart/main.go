package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// config is what the flags say.
type config struct {
	addr   string
	store  string
	tokens []string
	delay  time.Duration
	fail   int64
}

func main() {
	cfg := parseFlags()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, cfg, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parseFlags() config {
	var cfg config
	flag.StringVar(&cfg.addr, "addr", "127.0.0.1:8080", "`address` to listen on")
	flag.StringVar(&cfg.store, "store", "memory", "`memory`, or a PostgreSQL URL: the tables are created there")
	tokens := flag.String("tokens", "alice,bob", "bearer tokens that are known, each its own tenant")
	flag.DurationVar(&cfg.delay, "delay", 0, "how long handlers sleep inside their transaction")
	flag.Int64Var(&cfg.fail, "fail", 0, "the first `N` handler runs return an error after their write")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "quickstart: unexpected argument %q\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}
	for token := range strings.SplitSeq(*tokens, ",") {
		if token = strings.TrimSpace(token); token != "" {
			cfg.tokens = append(cfg.tokens, token)
		}
	}
	return cfg
}

// run serves until ctx ends. It prints one line when it is ready.
func run(ctx context.Context, cfg config, out io.Writer) error {
	handler, closeStore, err := newHandler(ctx, cfg)
	if err != nil {
		return err
	}
	defer closeStore()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.addr)
	if err != nil {
		return fmt.Errorf("quickstart: listen on %s: %w", cfg.addr, err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Fprintf(out, "listening on %s\n", listener.Addr())
	select {
	case err := <-served:
		return fmt.Errorf("quickstart: serve: %w", err)
	case <-ctx.Done():
	}
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(shutdown); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("quickstart: shut down: %w", err)
	}
	return nil
}

// newHandler builds the API on the store that the flags ask for.
func newHandler(ctx context.Context, cfg config) (http.Handler, func(), error) {
	if cfg.store == "memory" {
		h, err := newAPI(memstore.New(), newMemoryLedger(), cfg)
		return h, func() {}, err
	}
	pool, err := pgxpool.New(ctx, cfg.store)
	if err != nil {
		return nil, nil, fmt.Errorf("quickstart: -store: %w", err)
	}
	h, err := newPostgresAPI(ctx, pool, cfg)
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	return h, pool.Close, nil
}

func newPostgresAPI(ctx context.Context, pool *pgxpool.Pool, cfg config) (http.Handler, error) {
	if err := pgstore.Migrate(ctx, pool); err != nil {
		return nil, err
	}
	ledger, err := newPostgresLedger(ctx, pool)
	if err != nil {
		return nil, err
	}
	return newAPI(pgstore.New(pool), ledger, cfg)
}
