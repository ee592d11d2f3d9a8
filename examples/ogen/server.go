package ogen

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/ogen/api"
	"github.com/idemgen/idemgen/examples/ogen/bind"
	"github.com/idemgen/idemgen/examples/payments/openapiidem"
	"github.com/idemgen/idemgen/examples/payments/provider"
	"github.com/idemgen/idemgen/examples/payments/store"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// NewServer ties everything together. The tables must be there. The engine must run (Engine.Run) for capturePayment.
func NewServer(pool *pgxpool.Pool, p provider.Client, merchants map[string]string) (http.Handler, *idem.Engine[pgx.Tx], error) {
	engine, err := openapiidem.NewEngine(pgstore.New(pool), scope, idem.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("ogen: %w", err)
	}
	handler, err := bind.New(engine, &service{store.New(pool), p})
	if err != nil {
		return nil, nil, fmt.Errorf("ogen: %w", err)
	}
	server, err := api.NewServer(handler, security(merchants))
	if err != nil {
		return nil, nil, fmt.Errorf("ogen: %w", err)
	}
	return engine.Middleware(server), engine, nil
}

type merchantKey struct{}

// security finds the merchant of a bearer token. ogen runs it before business code, so the engine never replays to a stranger.
type security map[string]string

var errUnauthorized = errors.New("unknown bearer token")

// HandleBearer implements api.SecurityHandler.
func (s security) HandleBearer(ctx context.Context, _ api.OperationName, t api.Bearer) (context.Context, error) {
	merchant, ok := s[t.Token]
	if !ok {
		return nil, errUnauthorized
	}
	return context.WithValue(ctx, merchantKey{}, merchant), nil
}

func merchantOf(ctx context.Context) string {
	merchant, _ := ctx.Value(merchantKey{}).(string)
	return merchant
}

func scope(ctx context.Context) (openapiidem.Scope, error) {
	if merchant := merchantOf(ctx); merchant != "" {
		return openapiidem.Scope{Merchant: merchant}, nil
	}
	return openapiidem.Scope{}, errUnauthorized
}

// NewError renders every error, those of security and decoding too.
func (*service) NewError(_ context.Context, err error) *api.ProblemStatusCode {
	status := http.StatusInternalServerError
	var coded interface{ Code() int } // ogen's own
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		status = http.StatusNotFound
	case errors.Is(err, errCaptured):
		status = http.StatusConflict
	case errors.As(err, &coded):
		status = coded.Code()
	}
	return &api.ProblemStatusCode{StatusCode: status, Response: api.Problem{Status: status, Title: http.StatusText(status)}}
}
