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
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// config is what the flags say.
type config struct{ addr, database, provider, tokens string }

func main() {
	var cfg config
	flag.StringVar(&cfg.addr, "addr", "127.0.0.1:8081", "`address` to listen on")
	flag.StringVar(&cfg.database, "database", os.Getenv("DATABASE_URL"), "PostgreSQL `URL`: the tables are created there (default $DATABASE_URL)")
	flag.StringVar(&cfg.provider, "provider", "http://127.0.0.1:8082", "`URL` of the payment provider")
	flag.StringVar(&cfg.tokens, "tokens", "alice,bob,provider", "bearer tokens that are known, each its own merchant")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, cfg, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until ctx ends. It prints one line when it is ready.
func run(ctx context.Context, cfg config, out io.Writer) error {
	pool, err := pgxpool.New(ctx, cfg.database)
	if err != nil {
		return fmt.Errorf("payments: -database: %w", err)
	}
	defer pool.Close()
	handler, engine, err := newServer(ctx, pool, cfg.provider, strings.Split(cfg.tokens, ","))
	if err != nil {
		return err
	}
	var worker sync.WaitGroup
	ctxWorker, stopWorker := context.WithCancel(context.WithoutCancel(ctx))
	worker.Go(func() { _ = engine.Run(ctxWorker) }) // it ends with its context
	defer worker.Wait()
	defer stopWorker() // after the last request, whose lease it keeps alive
	return serve(ctx, cfg.addr, handler, out)
}

func serve(ctx context.Context, addr string, handler http.Handler, out io.Writer) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("payments: listen on %s: %w", addr, err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Fprintf(out, "listening on %s\n", listener.Addr())
	select {
	case err := <-served:
		return fmt.Errorf("payments: serve: %w", err)
	case <-ctx.Done():
	}
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if err := server.Shutdown(shutdown); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("payments: shut down: %w", err)
	}
	return nil
}
