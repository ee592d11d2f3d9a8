package scenarios_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/paymentsidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// createWithEcho is what a binding does, as a handler of echo's.
func createWithEcho(a *api) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		ctx := c.Request().Context()
		ex, err := idem.Begin[pgx.Tx](ctx, ctx, &paymentsidem.CreatePaymentOperation)
		if errors.Is(err, idem.ErrDecided) {
			return nil // the middleware answers
		}
		if err != nil {
			return err
		}
		err = idem.ErrNotReturned
		defer ex.End(&err)
		p, err := a.CreatePayment(ex.Context(), ex, business.NewPayment{AccountID: "a1", Amount: "10", Currency: "EUR"})
		if err != nil {
			return echo.NewHTTPError(http.StatusConflict, "not now").SetInternal(err)
		}
		err = c.JSON(http.StatusCreated, p)
		return err
	}
}

// Echo renders a returned error after its middlewares have returned. One that records responses then sees an empty success, and the
// work that failed must not become one, wherever the engine's middleware stands.
func TestEchoRendersErrorsAfterItsMiddlewares(t *testing.T) {
	for name, c := range map[string]struct {
		serve  func(*engine, *api) (http.Handler, error)
		failed int // what the client gets
	}{
		"around the server": {func(en *engine, a *api) (http.Handler, error) {
			e := echo.New()
			e.Use(echo.WrapMiddleware(a.Authenticated))
			e.POST("/payments", createWithEcho(a))
			return en.Middleware(e), nil
		}, http.StatusConflict},
		"as echo's middleware": {func(en *engine, a *api) (http.Handler, error) {
			e := echo.New()
			e.Use(echo.WrapMiddleware(en.Middleware), echo.WrapMiddleware(a.Authenticated))
			e.POST("/payments", createWithEcho(a))
			return e, nil
		}, http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOf(t, c.serve)
			w.afterWrites(func(context.Context, string) error { return errors.New("a write fails") })
			failed := w.send(create("10"))
			assert.Equal(t, c.failed, failed.status, failed.body)
			assert.Equal(t, 0, w.effects("createPayment"))
			w.afterWrites(nil)
			second := w.send(create("10"))
			assert.Equal(t, http.StatusCreated, second.status, second.body)
			assert.False(t, second.replayed, "nothing was stored")
			assert.True(t, w.send(create("10")).replayed)
			assert.Equal(t, 1, w.effects("createPayment"))
		})
	}
}
