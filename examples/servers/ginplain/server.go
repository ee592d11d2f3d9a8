package ginplain

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/ginplain/api"
	"github.com/idemgen/idemgen/examples/servers/ginplain/bind"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Handler serves the API. The engine's middleware is the outermost layer; authentication, and whatever else a team has, stands inside of it.
func Handler[Tx any](engine *idem.Engine[Tx], app *business.API[Tx]) (http.Handler, error) {
	plain, err := bind.New(engine, &server[Tx]{app})
	if err != nil {
		return nil, err
	}
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
	api.RegisterHandlers(router, plain)
	return engine.Middleware(router), nil
}

// server is business code behind gin. What it writes to the client is the outcome, unless it returns an error.
type server[Tx any] struct{ *business.API[Tx] }

var _ bind.Server[any] = (*server[any])(nil)

func (s *server[Tx]) CreatePayment(c *gin.Context, ex *idem.Execution[Tx]) error {
	var b api.NewPayment
	if err := c.ShouldBindJSON(&b); err != nil {
		return badRequest(c, err)
	}
	p, err := s.API.CreatePayment(c.Request.Context(), ex, business.NewPayment{AccountID: b.AccountId, Amount: b.Amount, Currency: b.Currency})
	return s.answer(c, http.StatusCreated, p, err)
}

func (s *server[Tx]) CapturePayment(c *gin.Context, lease *idem.Lease[Tx], paymentID string) error {
	var b api.Capture
	if err := c.ShouldBindJSON(&b); err != nil {
		return badRequest(c, err)
	}
	p, err := s.API.CapturePayment(c.Request.Context(), lease, paymentID, b.Amount)
	return s.answer(c, http.StatusOK, p, err)
}

func (s *server[Tx]) UpdateAccount(c *gin.Context, ex *idem.Execution[Tx], accountID string, _ api.UpdateAccountParams) error {
	var b api.AccountPatch
	if err := c.ShouldBindJSON(&b); err != nil {
		return badRequest(c, err)
	}
	var patch business.AccountPatch
	if b.Limit != nil {
		patch.Limit, patch.Limited = *b.Limit, true
	}
	if b.Owner != nil {
		patch.Owner = *b.Owner
	}
	a, err := s.API.UpdateAccount(c.Request.Context(), ex, accountID, patch)
	return s.answer(c, http.StatusOK, api.Account{Id: a.ID, Limit: &a.Limit, Owner: &a.Owner}, err)
}

func (s *server[Tx]) ReceiveEvent(c *gin.Context, ex *idem.Execution[Tx]) error {
	var b api.Event
	if err := c.ShouldBindJSON(&b); err != nil {
		return badRequest(c, err)
	}
	if err := s.API.ReceiveEvent(c.Request.Context(), ex, business.Event{ID: b.Id, Kind: b.Kind, PaymentID: b.PaymentId}); err != nil {
		s.WriteError(c.Writer, err)
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

// GetPayment is not annotated: it is as the team's generator wants it.
func (s *server[Tx]) GetPayment(c *gin.Context, paymentID string) {
	p, err := s.API.GetPayment(c.Request.Context(), paymentID)
	_ = s.answer(c, http.StatusOK, p, err) // it is rendered
}

// ExportPayments sends each line as it is read.
func (s *server[Tx]) ExportPayments(c *gin.Context) {
	c.Header("Content-Type", "text/plain")
	_ = s.API.ExportPayments(c.Request.Context(), c.Writer, c.Writer.Flush) // the response has begun: it can only end
}

// answer writes the response, or renders the error and hands it on: then nothing is stored.
func (s *server[Tx]) answer(c *gin.Context, status int, body any, err error) error {
	if err != nil {
		s.WriteError(c.Writer, err)
		return err
	}
	c.JSON(status, body)
	return nil
}

func badRequest(c *gin.Context, err error) error {
	c.String(http.StatusBadRequest, err.Error())
	return err
}
