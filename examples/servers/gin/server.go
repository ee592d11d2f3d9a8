package ginserver

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/gin/api"
	"github.com/idemgen/idemgen/examples/servers/gin/bind"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Handler serves the API. The engine's middleware is the outermost layer; authentication, and whatever else a team has, stands inside of it.
func Handler[Tx any](engine *idem.Engine[Tx], app *business.API[Tx]) (http.Handler, error) {
	strict, err := bind.New(engine, &server[Tx]{app})
	if err != nil {
		return nil, err
	}
	handler := api.NewStrictHandlerWithOptions(strict, nil, api.StrictGinServerOptions{
		RequestErrorHandlerFunc:  func(c *gin.Context, err error) { c.String(http.StatusBadRequest, err.Error()) },
		HandlerErrorFunc:         func(c *gin.Context, err error) { app.WriteError(c.Writer, err) },
		ResponseErrorHandlerFunc: func(c *gin.Context, err error) { app.WriteError(c.Writer, err) },
	})
	router := gin.New()
	router.Use(gin.Recovery())
	router.Use(func(c *gin.Context) {
		ctx, err := app.Authenticate(c.Request.Context(), c.GetHeader("Authorization"))
		if err != nil {
			app.WriteError(c.Writer, err)
			c.Abort()
			return
		}
		c.Request = c.Request.WithContext(ctx)
	})
	api.RegisterHandlers(router, handler)
	return engine.Middleware(router), nil
}

// server is business code behind the types of package api.
type server[Tx any] struct{ *business.API[Tx] }

var _ bind.Server[any] = (*server[any])(nil)

func (s *server[Tx]) CreatePayment(ctx context.Context, ex *idem.Execution[Tx], request api.CreatePaymentRequestObject) (api.CreatePaymentResponseObject, error) {
	b := request.Body
	p, err := s.API.CreatePayment(requestContext(ctx), ex, business.NewPayment{AccountID: b.AccountId, Amount: b.Amount, Currency: b.Currency})
	return api.CreatePayment201JSONResponse(payment(p)), err
}

func (s *server[Tx]) CapturePayment(ctx context.Context, lease *idem.Lease[Tx], request api.CapturePaymentRequestObject) (api.CapturePaymentResponseObject, error) {
	p, err := s.API.CapturePayment(requestContext(ctx), lease, request.PaymentId, request.Body.Amount)
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
	a, err := s.API.UpdateAccount(requestContext(ctx), ex, request.AccountId, patch)
	return api.UpdateAccount200JSONResponse{Id: a.ID, Limit: &a.Limit, Owner: &a.Owner}, err
}

func (s *server[Tx]) ReceiveEvent(ctx context.Context, ex *idem.Execution[Tx], request api.ReceiveEventRequestObject) (api.ReceiveEventResponseObject, error) {
	b := request.Body
	return api.ReceiveEvent204Response{}, s.API.ReceiveEvent(requestContext(ctx), ex, business.Event{ID: b.Id, Kind: b.Kind, PaymentID: b.PaymentId})
}

func (s *server[Tx]) GetPayment(ctx context.Context, request api.GetPaymentRequestObject) (api.GetPaymentResponseObject, error) {
	p, err := s.API.GetPayment(requestContext(ctx), request.PaymentId)
	return api.GetPayment200JSONResponse(payment(p)), err
}

func (s *server[Tx]) ExportPayments(ctx context.Context, _ api.ExportPaymentsRequestObject) (api.ExportPaymentsResponseObject, error) {
	return export(func(w http.ResponseWriter) error {
		return s.API.ExportPayments(requestContext(ctx), w, func() { _ = http.NewResponseController(w).Flush() }) // what cannot flush sends later
	}), nil
}

// requestContext knows who calls. gin's own context, which its strict servers hand over, reaches it only with ContextWithFallback.
func requestContext(ctx context.Context) context.Context {
	return ctx.(*gin.Context).Request.Context()
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
