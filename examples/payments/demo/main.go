// Demo kills the payments program between the provider's charge and the completion, and shows that there is one charge.
//
// Usage: go run ./examples/payments/demo [-database URL]
//
// Without -database it starts a PostgreSQL of its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

func main() {
	database := flag.String("database", "", "PostgreSQL `URL`; empty for a server that is started and thrown away")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := run(ctx, *database); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, database string) (err error) {
	if database == "" {
		server, errStart := pgtest.Start(ctx, pgtest.Options{Durable: true})
		if errStart != nil {
			return errStart
		}
		defer func() {
			if errStop := server.Stop(); err == nil {
				err = errStop
			}
		}()
		database = server.URL()
	}
	w, err := newWorld(ctx, database)
	if err != nil {
		return err
	}
	defer w.close()
	return w.play(ctx, os.Stdout)
}
