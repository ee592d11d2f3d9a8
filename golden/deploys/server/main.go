// Command server is one program of a deploy: the same API, with the contracts of the version that it was built for.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	one "github.com/idemgen/idemgen/golden/deploys/one/openapiidem"
	three "github.com/idemgen/idemgen/golden/deploys/three/openapiidem"
	two "github.com/idemgen/idemgen/golden/deploys/two/openapiidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

func main() {
	version := flag.String("version", "one", "one, two or three")
	database := flag.String("database", "", "the database's URL")
	flag.Parse()
	pool, err := pgxpool.New(context.Background(), *database)
	if err != nil {
		log.Fatal(err)
	}
	handler, err := handlerOf(*version, pgstore.New(pool))
	if err != nil {
		log.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(os.Stdout, l.Addr())
	log.Fatal(http.Serve(l, handler)) //nolint:gosec // a test's server
}

func handlerOf(version string, store *pgstore.Store) (http.Handler, error) {
	switch version {
	case "one":
		engine, err := one.NewEngine(store, func(context.Context) (one.Scope, error) { return one.Scope{Tenant: "acme"}, nil }, idem.Options{})
		return one.HandleCreatePayment(engine, func(ctx context.Context, ex *idem.Execution[pgx.Tx], cmd one.CreatePaymentCommand) (idem.Response, error) {
			return pay(ctx, ex, string(cmd.Body.Amount))
		}), err
	case "two":
		engine, err := two.NewEngine(store, func(context.Context) (two.Scope, error) { return two.Scope{Tenant: "acme"}, nil }, idem.Options{})
		return two.HandleCreatePayment(engine, func(ctx context.Context, ex *idem.Execution[pgx.Tx], cmd two.CreatePaymentCommand) (idem.Response, error) {
			return pay(ctx, ex, string(cmd.Body.Amount))
		}), err
	}
	engine, err := three.NewEngine(store, func(context.Context) (three.Scope, error) { return three.Scope{Tenant: "acme"}, nil }, idem.Options{})
	return three.HandleCreatePayment(engine, func(ctx context.Context, ex *idem.Execution[pgx.Tx], cmd three.CreatePaymentCommand) (idem.Response, error) {
		return pay(ctx, ex, string(cmd.Body.Amount))
	}), err
}

// pay is the business: one row for each run, and an answer that no second run would give.
func pay(ctx context.Context, ex *idem.Execution[pgx.Tx], amount string) (idem.Response, error) {
	var id int64
	err := ex.Tx().QueryRow(ctx, `insert into payments (key, amount) values ($1, $2) returning id`, ex.Key(), amount).Scan(&id)
	if err != nil {
		return idem.Response{}, err
	}
	body := fmt.Appendf(nil, `{"id":%d}`, id)
	return idem.Response{Status: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, nil
}
