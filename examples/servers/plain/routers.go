package plain

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gorilla/mux"
	"github.com/labstack/echo/v4"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/runtime/idem"
)

// NetHTTP serves the API with the standard library.
func NetHTTP[Tx any](engine *idem.Engine[Tx], api *business.API[Tx]) http.Handler {
	h := newHandlers(engine, api)
	m := http.NewServeMux()
	m.Handle("POST /payments", h.create)
	m.Handle("GET /payments/export", h.export)
	m.Handle("GET /payments/{paymentId}", h.get)
	m.Handle("POST /payments/{paymentId}/capture", h.capture)
	m.Handle("PATCH /accounts/{accountId}", h.update)
	m.Handle("POST /webhooks/psp", h.receive)
	return api.Authenticated(m)
}

// Chi serves the API with chi, which sets path values.
func Chi[Tx any](engine *idem.Engine[Tx], api *business.API[Tx]) http.Handler {
	h := newHandlers(engine, api)
	r := chi.NewRouter()
	r.Use(api.Authenticated)
	r.Method(http.MethodPost, "/payments", h.create)
	r.Method(http.MethodGet, "/payments/export", h.export)
	r.Method(http.MethodGet, "/payments/{paymentId}", h.get)
	r.Method(http.MethodPost, "/payments/{paymentId}/capture", h.capture)
	r.Method(http.MethodPatch, "/accounts/{accountId}", h.update)
	r.Method(http.MethodPost, "/webhooks/psp", h.receive)
	return r
}

// Gorilla serves the API with gorilla/mux.
func Gorilla[Tx any](engine *idem.Engine[Tx], api *business.API[Tx]) http.Handler {
	h := newHandlers(engine, api)
	r := mux.NewRouter()
	r.Use(api.Authenticated)
	r.Handle("/payments", h.create).Methods(http.MethodPost)
	r.Handle("/payments/export", h.export).Methods(http.MethodGet)
	r.HandleFunc("/payments/{paymentId}", func(w http.ResponseWriter, r *http.Request) {
		r.SetPathValue("paymentId", mux.Vars(r)["paymentId"])
		h.get.ServeHTTP(w, r)
	}).Methods(http.MethodGet)
	r.Handle("/payments/{paymentId}/capture", h.capture).Methods(http.MethodPost)
	r.Handle("/accounts/{accountId}", h.update).Methods(http.MethodPatch)
	r.Handle("/webhooks/psp", h.receive).Methods(http.MethodPost)
	return r
}

// Gin serves the API with gin. Its middleware puts the caller into the request's context, where the engine looks.
func Gin[Tx any](engine *idem.Engine[Tx], api *business.API[Tx]) http.Handler {
	h := newHandlers(engine, api)
	r := gin.New()
	r.Use(gin.Recovery(), func(c *gin.Context) {
		ctx, err := api.Authenticate(c.Request.Context(), c.GetHeader("Authorization"))
		if err != nil {
			c.AbortWithStatus(http.StatusUnauthorized)
			return
		}
		c.Request = c.Request.WithContext(ctx)
	})
	r.POST("/payments", gin.WrapH(h.create))
	r.GET("/payments/export", gin.WrapH(h.export))
	r.GET("/payments/:paymentId", func(c *gin.Context) {
		c.Request.SetPathValue("paymentId", c.Param("paymentId"))
		h.get.ServeHTTP(c.Writer, c.Request)
	})
	r.POST("/payments/:paymentId/capture", gin.WrapH(h.capture))
	r.PATCH("/accounts/:accountId", gin.WrapH(h.update))
	r.POST("/webhooks/psp", gin.WrapH(h.receive))
	return r
}

// Echo serves the API with echo.
func Echo[Tx any](engine *idem.Engine[Tx], api *business.API[Tx]) http.Handler {
	h := newHandlers(engine, api)
	e := echo.New()
	e.Use(echo.WrapMiddleware(api.Authenticated))
	e.POST("/payments", echo.WrapHandler(h.create))
	e.GET("/payments/export", echo.WrapHandler(h.export))
	e.GET("/payments/:paymentId", func(c echo.Context) error {
		c.Request().SetPathValue("paymentId", c.Param("paymentId"))
		h.get.ServeHTTP(c.Response(), c.Request())
		return nil
	})
	e.POST("/payments/:paymentId/capture", echo.WrapHandler(h.capture))
	e.PATCH("/accounts/:accountId", echo.WrapHandler(h.update))
	e.POST("/webhooks/psp", echo.WrapHandler(h.receive))
	return e
}
