package ogenserver

import (
	"context"
	"io"
	"net/http"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/ogen/api"
	"github.com/idemgen/idemgen/examples/servers/ogen/bind"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Handler serves the API. The engine's middleware is the outermost layer; ogen's security handler runs inside of it.
func Handler[Tx any](engine *idem.Engine[Tx], app *business.API[Tx]) (http.Handler, error) {
	handler, err := bind.New(engine, &server[Tx]{app})
	if err != nil {
		return nil, err
	}
	ogen, err := api.NewServer(handler, security[Tx]{app})
	if err != nil {
		return nil, err
	}
	return engine.Middleware(ogen), nil
}

// security is how ogen asks who calls.
type security[Tx any] struct{ *business.API[Tx] }

// HandleBearer finds the caller of a token.
func (s security[Tx]) HandleBearer(ctx context.Context, _ api.OperationName, t api.Bearer) (context.Context, error) {
	return s.Authenticate(ctx, "Bearer "+t.Token)
}

// server is business code behind the types of package api.
type server[Tx any] struct{ *business.API[Tx] }

var _ bind.Server[any] = (*server[any])(nil)

func (s *server[Tx]) CreatePayment(ctx context.Context, ex *idem.Execution[Tx], req *api.NewPayment) (*api.Payment, error) {
	p, err := s.API.CreatePayment(ctx, ex, business.NewPayment{AccountID: req.AccountId, Amount: req.Amount, Currency: req.Currency})
	return payment(p), err
}

func (s *server[Tx]) CapturePayment(ctx context.Context, lease *idem.Lease[Tx], req *api.Capture, params api.CapturePaymentParams) (*api.Payment, error) {
	p, err := s.API.CapturePayment(ctx, lease, params.PaymentId, req.Amount)
	return payment(p), err
}

func (s *server[Tx]) UpdateAccount(ctx context.Context, ex *idem.Execution[Tx], req *api.AccountPatch, params api.UpdateAccountParams) (*api.Account, error) {
	patch := business.AccountPatch{Limit: req.Limit.Value, Limited: req.Limit.Set, Owner: req.Owner.Value}
	a, err := s.API.UpdateAccount(ctx, ex, params.AccountId, patch)
	return &api.Account{ID: a.ID, Limit: api.NewOptString(a.Limit), Owner: api.NewOptString(a.Owner)}, err
}

func (s *server[Tx]) ReceiveEvent(ctx context.Context, ex *idem.Execution[Tx], req *api.Event) error {
	return s.API.ReceiveEvent(ctx, ex, business.Event{ID: req.ID, Kind: req.Kind, PaymentID: req.PaymentId})
}

func (s *server[Tx]) GetPayment(ctx context.Context, params api.GetPaymentParams) (*api.Payment, error) {
	p, err := s.API.GetPayment(ctx, params.PaymentId)
	return payment(p), err
}

// ExportPayments gives ogen a reader that it copies to the client while it is written.
func (s *server[Tx]) ExportPayments(ctx context.Context) (api.ExportPaymentsOK, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(s.API.ExportPayments(ctx, w, func() {})) }()
	return api.ExportPaymentsOK{Data: r}, nil
}

// NewError renders errors, security's and decoders' too.
func (s *server[Tx]) NewError(_ context.Context, err error) *api.ProblemStatusCode {
	status := s.Status(err)
	if coded, ok := err.(interface{ Code() int }); ok && status == http.StatusInternalServerError {
		status = coded.Code() // ogen's own: 400, 401, 415
	}
	return &api.ProblemStatusCode{StatusCode: status, Response: api.Problem{Status: status, Title: http.StatusText(status)}}
}

func payment(p business.Payment) *api.Payment {
	return &api.Payment{ID: p.ID, AccountId: p.AccountID, Amount: p.Amount, Currency: p.Currency, Captured: p.Captured}
}
