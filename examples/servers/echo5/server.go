package echo5server

import (
	"context"
	"errors"
	"net/http"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/echo5/api"
	"github.com/idemgen/idemgen/examples/servers/echo5/bind"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/labstack/echo/v5"
	"github.com/labstack/echo/v5/middleware"
)

// Handler serves the API. The engine's middleware is the outermost layer; authentication, and whatever else a team has, stands inside of it.
func Handler[Tx any](engine *idem.Engine[Tx], app *business.API[Tx]) (http.Handler, error) {
	strict, err := bind.New(engine, &server[Tx]{app})
	if err != nil {
		return nil, err
	}
	router := echo.New()
	fallback := echo.DefaultHTTPErrorHandler(false)
	router.HTTPErrorHandler = func(c *echo.Context, err error) {
		if refused := echo.HTTPStatusCoder(nil); errors.As(err, &refused) {
			fallback(c, err)
			return
		}
		app.WriteError(c.Response(), err)
	}
	router.Use(middleware.Recover(), func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
			ctx, err := app.Authenticate(c.Request().Context(), c.Request().Header.Get("Authorization"))
			if err != nil {
				return err
			}
			c.SetRequest(c.Request().WithContext(ctx))
			return next(c)
		}
	})
	api.RegisterHandlers(router, api.NewStrictHandler(strict, nil))
	return engine.Middleware(router), nil
}

// server is business code behind the types of package api.
type server[Tx any] struct{ *business.API[Tx] }

var _ bind.Server[any] = (*server[any])(nil)

func (s *server[Tx]) CreatePayment(ctx context.Context, ex *idem.Execution[Tx], request api.CreatePaymentRequestObject) (api.CreatePaymentResponseObject, error) {
	b := request.Body
	p, err := s.API.CreatePayment(ctx, ex, business.NewPayment{AccountID: b.AccountId, Amount: b.Amount, Currency: b.Currency})
	return api.CreatePayment201JSONResponse(payment(p)), err
}

func (s *server[Tx]) CapturePayment(ctx context.Context, lease *idem.Lease[Tx], request api.CapturePaymentRequestObject) (api.CapturePaymentResponseObject, error) {
	p, err := s.API.CapturePayment(ctx, lease, request.PaymentId, request.Body.Amount)
	return api.CapturePayment200JSONResponse(payment(p)), err
}

func (s *server[Tx]) UpdateAccount(ctx context.Context, ex *idem.Execution[Tx], request api.UpdateAccountRequestObject) (api.UpdateAccountResponseObject, error) {
	var patch business.AccountPatch
	if limit := request.Body.Limit; limit != nil {
		patch.Limit, patch.Limited = *limit, true
	}
	if owner := request.Body.Owner; owner != nil {
		patch.Owner = *owner
	}
	a, err := s.API.UpdateAccount(ctx, ex, request.AccountId, patch)
	return api.UpdateAccount200JSONResponse{Id: a.ID, Limit: &a.Limit, Owner: &a.Owner}, err
}

func (s *server[Tx]) ReceiveEvent(ctx context.Context, ex *idem.Execution[Tx], request api.ReceiveEventRequestObject) (api.ReceiveEventResponseObject, error) {
	b := request.Body
	return api.ReceiveEvent204Response{}, s.API.ReceiveEvent(ctx, ex, business.Event{ID: b.Id, Kind: b.Kind, PaymentID: b.PaymentId})
}

func (s *server[Tx]) GetPayment(ctx context.Context, request api.GetPaymentRequestObject) (api.GetPaymentResponseObject, error) {
	p, err := s.API.GetPayment(ctx, request.PaymentId)
	return api.GetPayment200JSONResponse(payment(p)), err
}

func (s *server[Tx]) ExportPayments(ctx context.Context, _ api.ExportPaymentsRequestObject) (api.ExportPaymentsResponseObject, error) {
	return export(func(w http.ResponseWriter) error {
		return s.API.ExportPayments(ctx, w, func() { _ = http.NewResponseController(w).Flush() }) // what cannot flush sends later
	}), nil
}

// export is a response that is written while it is read.
type export func(w http.ResponseWriter) error

// VisitExportPaymentsResponse writes it.
func (e export) VisitExportPaymentsResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusOK)
	return e(w)
}

func payment(p business.Payment) api.Payment {
	return api.Payment{Id: p.ID, AccountId: p.AccountID, Amount: p.Amount, Currency: p.Currency, Captured: p.Captured}
}
