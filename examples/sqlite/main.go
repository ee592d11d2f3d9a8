package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os/signal"
	"strings"
	"syscall"
	"time"

	_ "modernc.org/sqlite"

	"github.com/idemgen/idemgen/examples/sqlite/openapiidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/sqlstore"
)

// schemaSQL is the program's own: what it sells, and what was ordered.
const schemaSQL = `
create table if not exists stock (article text primary key, remaining integer not null) strict;
create table if not exists orders (id integer primary key, customer text not null, article text not null, quantity integer not null) strict;
insert into stock values ('tea', 100), ('coffee', 3) on conflict do nothing`

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "`address` to listen on")
	file := flag.String("db", "orders.db", "SQLite `file`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *file); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends, and sweeps expired records meanwhile.
func run(ctx context.Context, addr, file string) error {
	db, err := open(file)
	if err != nil {
		return err
	}
	defer db.Close()
	handler, engine, err := newAPI(ctx, db)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("listening on %s\n", listener.Addr())
	server, ended := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}, make(chan error, 2)
	go func() { ended <- server.Serve(listener) }()
	go func() { ended <- engine.Run(ctx) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(shutdown))
}

// open opens the database. busy_timeout is for the program's own statements; those of the store wait by themselves.
func open(file string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)")
}

func newAPI(ctx context.Context, db *sql.DB) (http.Handler, *idem.Engine[*sql.Tx], error) {
	store := sqlstore.NewSQLite(db)
	if err := store.Migrate(ctx); err != nil {
		return nil, nil, err
	}
	if _, err := db.ExecContext(ctx, schemaSQL); err != nil {
		return nil, nil, err
	}
	engine, err := openapiidem.NewEngine(store, scope, idem.Options{Observer: idem.SlogObserver(slog.Default())})
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /orders", openapiidem.HandlePlaceOrder(engine, placeOrder))
	mux.HandleFunc("GET /orders", func(w http.ResponseWriter, r *http.Request) { listOrders(w, r, db) })
	return authenticate(mux), engine, nil
}

type order struct {
	ID       int64  `json:"id"`
	Article  string `json:"article"`
	Quantity int64  `json:"quantity"`
}

// placeOrder runs at most once for each key. From 400 on its writes roll back, and the refusal is what a retry gets.
func placeOrder(ctx context.Context, ex *idem.Execution[*sql.Tx], cmd openapiidem.PlaceOrderCommand) (idem.Response, error) {
	o := order{Article: cmd.Body.Article, Quantity: cmd.Body.Quantity}
	err := ex.Tx().QueryRowContext(ctx, `insert into orders (customer, article, quantity) values (?, ?, ?) returning id`,
		customer(ctx), o.Article, o.Quantity).Scan(&o.ID)
	if err != nil {
		return idem.Response{}, err
	}
	taken, err := ex.Tx().ExecContext(ctx, `update stock set remaining = remaining - ?2 where article = ?1 and remaining >= ?2`, o.Article, o.Quantity)
	if err != nil {
		return idem.Response{}, err
	}
	if n, err := taken.RowsAffected(); err != nil || n == 0 {
		return idem.Response{Status: http.StatusUnprocessableEntity, Body: []byte("sold out\n")}, err
	}
	body, err := json.Marshal(o)
	return idem.Response{Status: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, err
}

func listOrders(w http.ResponseWriter, r *http.Request, db *sql.DB) {
	var all []byte
	err := db.QueryRowContext(r.Context(), `select json_group_array(json_object('id', id, 'article', article, 'quantity', quantity))
		from (select * from orders where customer = ? order by id)`, customer(r.Context())).Scan(&all)
	if err != nil {
		http.Error(w, "orders could not be read", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(all)
}

type customerKey struct{}

func customer(ctx context.Context) string { return ctx.Value(customerKey{}).(string) }

// authenticate stands outside of the idempotency handlers: who is not known gets no replay.
func authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || token == "" {
			http.Error(w, "no bearer token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), customerKey{}, token)))
	})
}

func scope(ctx context.Context) (openapiidem.Scope, error) {
	return openapiidem.Scope{Customer: customer(ctx)}, nil
}
