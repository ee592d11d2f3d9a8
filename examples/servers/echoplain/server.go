package echoplain

import (
	"errors"
	"net/http"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/echoplain/api"
	"github.com/idemgen/idemgen/examples/servers/echoplain/bind"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// Handler serves the API. The engine's middleware is the outermost layer; authentication, and whatever else a team has, stands inside of it.
func Handler[Tx any](engine *idem.Engine[Tx], app *business.API[Tx]) (http.Handler, error) {
	plain, err := bind.New(engine, &server[Tx]{app})
	if err != nil {
		return nil, err
	}
	router := echo.New()
	router.HTTPErrorHandler = func(err error, c echo.Context) {
		var refused *echo.HTTPError
		if errors.As(err, &refused) {
			router.DefaultHTTPErrorHandler(err, c)
			return
		}
		app.WriteError(c.Response(), err)
	}
	router.Use(middleware.Recover(), func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			ctx, err := app.Authenticate(c.Request().Context(), c.Request().Header.Get("Authorization"))
			if err != nil {
				return err
			}
			c.SetRequest(c.Request().WithContext(ctx))
			return next(c)
		}
	})
	api.RegisterHandlers(router, plain)
	return engine.Middleware(router), nil
}

// server is business code behind echo. What it writes to the client is the outcome, unless it returns an error.
type server[Tx any] struct{ *business.API[Tx] }

var _ bind.Server[any] = (*server[any])(nil)

func (s *server[Tx]) CreatePayment(c echo.Context, ex *idem.Execution[Tx]) error {
	var b api.NewPayment
	if err := c.Bind(&b); err != nil {
		return err
	}
	p, err := s.API.CreatePayment(c.Request().Context(), ex, business.NewPayment{AccountID: b.AccountId, Amount: b.Amount, Currency: b.Currency})
	return answer(c, http.StatusCreated, p, err)
}

func (s *server[Tx]) CapturePayment(c echo.Context, lease *idem.Lease[Tx], paymentID string) error {
	var b api.Capture
	if err := c.Bind(&b); err != nil {
		return err
	}
	p, err := s.API.CapturePayment(c.Request().Context(), lease, paymentID, b.Amount)
	return answer(c, http.StatusOK, p, err)
}

func (s *server[Tx]) UpdateAccount(c echo.Context, ex *idem.Execution[Tx], accountID string, _ api.UpdateAccountParams) error {
	var b api.AccountPatch
	if err := c.Bind(&b); err != nil {
		return err
	}
	var patch business.AccountPatch
	if b.Limit != nil {
		patch.Limit, patch.Limited = *b.Limit, true
	}
	if b.Owner != nil {
		patch.Owner = *b.Owner
	}
	a, err := s.API.UpdateAccount(c.Request().Context(), ex, accountID, patch)
	return answer(c, http.StatusOK, api.Account{Id: a.ID, Limit: &a.Limit, Owner: &a.Owner}, err)
}

func (s *server[Tx]) ReceiveEvent(c echo.Context, ex *idem.Execution[Tx]) error {
	var b api.Event
	if err := c.Bind(&b); err != nil {
		return err
	}
	if err := s.API.ReceiveEvent(c.Request().Context(), ex, business.Event{ID: b.Id, Kind: b.Kind, PaymentID: b.PaymentId}); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// GetPayment is not annotated: it is as the team's generator wants it.
func (s *server[Tx]) GetPayment(c echo.Context, paymentID string) error {
	p, err := s.API.GetPayment(c.Request().Context(), paymentID)
	return answer(c, http.StatusOK, p, err)
}

// ExportPayments sends each line as it is read.
func (s *server[Tx]) ExportPayments(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderContentType, "text/plain")
	return s.API.ExportPayments(c.Request().Context(), c.Response(), c.Response().Flush)
}

// answer writes the response, or hands the error on to echo's error handler: then nothing is stored.
func answer(c echo.Context, status int, body any, err error) error {
	if err != nil {
		return err
	}
	return c.JSON(status, body)
}
