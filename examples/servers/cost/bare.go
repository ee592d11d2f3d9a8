package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v4"

	"github.com/idemgen/idemgen/examples/servers/business"
	chiapi "github.com/idemgen/idemgen/examples/servers/chi/api"
	echoapi "github.com/idemgen/idemgen/examples/servers/echo/api"
	ginapi "github.com/idemgen/idemgen/examples/servers/gin/api"
	plainapi "github.com/idemgen/idemgen/examples/servers/nonstrict/api"
	ogenapi "github.com/idemgen/idemgen/examples/servers/ogen/api"
	stdapi "github.com/idemgen/idemgen/examples/servers/std/api"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// The servers without idemgen. Of the API they have the one operation that is measured, and what business code does for it.

type app = business.API[*memstore.Tx]

func pay(accountID, amount, currency string) business.Payment {
	return business.Payment{ID: "pay_" + idem.NewUUID().String(), AccountID: accountID, Amount: amount, Currency: currency}
}

type bareStd struct{ stdapi.StrictServerInterface }

func (bareStd) CreatePayment(_ context.Context, r stdapi.CreatePaymentRequestObject) (stdapi.CreatePaymentResponseObject, error) {
	p := pay(r.Body.AccountId, r.Body.Amount, r.Body.Currency)
	return stdapi.CreatePayment201JSONResponse{Id: p.ID, AccountId: p.AccountID, Amount: p.Amount, Currency: p.Currency}, nil
}

func std(a *app) http.Handler {
	return a.Authenticated(stdapi.Handler(stdapi.NewStrictHandler(bareStd{}, nil)))
}

type bareChi struct{ chiapi.StrictServerInterface }

func (bareChi) CreatePayment(_ context.Context, r chiapi.CreatePaymentRequestObject) (chiapi.CreatePaymentResponseObject, error) {
	p := pay(r.Body.AccountId, r.Body.Amount, r.Body.Currency)
	return chiapi.CreatePayment201JSONResponse{Id: p.ID, AccountId: p.AccountID, Amount: p.Amount, Currency: p.Currency}, nil
}

func chiRouter(a *app) http.Handler {
	r := chi.NewRouter()
	r.Use(a.Authenticated)
	return chiapi.HandlerFromMux(chiapi.NewStrictHandler(bareChi{}, nil), r)
}

type bareGin struct{ ginapi.StrictServerInterface }

func (bareGin) CreatePayment(_ context.Context, r ginapi.CreatePaymentRequestObject) (ginapi.CreatePaymentResponseObject, error) {
	p := pay(r.Body.AccountId, r.Body.Amount, r.Body.Currency)
	return ginapi.CreatePayment201JSONResponse{Id: p.ID, AccountId: p.AccountID, Amount: p.Amount, Currency: p.Currency}, nil
}

func ginRouter(a *app) http.Handler {
	router := gin.New()
	router.Use(gin.Recovery(), func(c *gin.Context) {
		ctx, err := a.Authenticate(c.Request.Context(), c.GetHeader("Authorization"))
		if err != nil {
			c.AbortWithStatus(http.StatusUnauthorized)
			return
		}
		c.Request = c.Request.WithContext(ctx)
	})
	ginapi.RegisterHandlers(router, ginapi.NewStrictHandler(bareGin{}, nil))
	return router
}

type bareEcho struct{ echoapi.StrictServerInterface }

func (bareEcho) CreatePayment(_ context.Context, r echoapi.CreatePaymentRequestObject) (echoapi.CreatePaymentResponseObject, error) {
	p := pay(r.Body.AccountId, r.Body.Amount, r.Body.Currency)
	return echoapi.CreatePayment201JSONResponse{Id: p.ID, AccountId: p.AccountID, Amount: p.Amount, Currency: p.Currency}, nil
}

func echoRouter(a *app) http.Handler {
	e := echo.New()
	e.Use(echo.WrapMiddleware(a.Authenticated))
	echoapi.RegisterHandlers(e, echoapi.NewStrictHandler(bareEcho{}, nil))
	return e
}

type bareOgen struct{ ogenapi.Handler }

func (bareOgen) CreatePayment(_ context.Context, r *ogenapi.NewPayment) (*ogenapi.Payment, error) {
	p := pay(r.AccountId, r.Amount, r.Currency)
	return &ogenapi.Payment{ID: p.ID, AccountId: p.AccountID, Amount: p.Amount, Currency: p.Currency}, nil
}

type bareSecurity struct{ *app }

func (s bareSecurity) HandleBearer(ctx context.Context, _ ogenapi.OperationName, t ogenapi.Bearer) (context.Context, error) {
	return s.Authenticate(ctx, "Bearer "+t.Token)
}

func ogen(a *app) http.Handler {
	s, err := ogenapi.NewServer(bareOgen{}, bareSecurity{a})
	if err != nil {
		panic(err) // no option was given
	}
	return s
}

type barePlain struct{ plainapi.ServerInterface }

func (barePlain) CreatePayment(w http.ResponseWriter, r *http.Request) {
	var b plainapi.NewPayment
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	body, err := json.Marshal(pay(b.AccountId, b.Amount, b.Currency))
	if err != nil {
		panic(err) // texts always marshal
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(body) // a client that has gone hears nothing
}

func plain(a *app) http.Handler { return a.Authenticated(plainapi.Handler(barePlain{})) }
