package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/payments/api"
	"github.com/idemgen/idemgen/examples/payments/openapiidem"
	"github.com/idemgen/idemgen/examples/payments/openapiidem/bind"
	"github.com/idemgen/idemgen/examples/payments/provider"
	"github.com/idemgen/idemgen/examples/payments/store"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// newServer ties everything together: the engine's middleware stands around the team's server, with authentication inside. The engine must
// run (Engine.Run) for capturePayment.
func newServer(ctx context.Context, pool *pgxpool.Pool, providerURL string, tokens []string) (http.Handler, *idem.Engine[pgx.Tx], error) {
	if err := pgstore.Migrate(ctx, pool); err != nil {
		return nil, nil, err
	}
	if err := store.Migrate(ctx, pool); err != nil {
		return nil, nil, err
	}
	engine, err := openapiidem.NewEngine(pgstore.New(pool), scope, idem.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("payments: %w", err)
	}
	server, err := bind.New(engine, &service{queries: store.New(pool), provider: provider.Client{URL: providerURL}})
	if err != nil {
		return nil, nil, fmt.Errorf("payments: %w", err)
	}
	handler := api.Handler(api.NewStrictHandlerWithOptions(server, nil, api.StrictHTTPServerOptions{ResponseErrorHandlerFunc: hideError}))
	return engine.Middleware(authenticate(tokens, handler)), engine, nil
}

// hideError renders an error of business code without telling clients what it says.
func hideError(w http.ResponseWriter, _ *http.Request, _ error) {
	http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
}

type merchantKey struct{}

// authenticate lets known bearer tokens through, each the name of its merchant.
func authenticate(tokens []string, next http.Handler) http.Handler {
	known := map[string]bool{}
	for _, t := range tokens {
		known[t] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !known[token] {
			w.Header().Set("WWW-Authenticate", `Bearer realm="payments"`)
			http.Error(w, "unknown bearer token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), merchantKey{}, token)))
	})
}

// merchantOf gives the caller; empty for nobody.
func merchantOf(ctx context.Context) string {
	merchant, _ := ctx.Value(merchantKey{}).(string)
	return merchant
}

// scope tells the engine whom a key belongs to.
func scope(ctx context.Context) (openapiidem.Scope, error) {
	merchant := merchantOf(ctx)
	if merchant == "" {
		return openapiidem.Scope{}, errors.New("payments: the request was not authenticated")
	}
	return openapiidem.Scope{Merchant: merchant}, nil
}
