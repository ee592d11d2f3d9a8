// Package plain serves the payments API with nothing but a router: net/http, chi, gorilla/mux, gin and echo, one way each.
//
// A generated handler is an http.Handler that reads the end of its path by itself, so every router can mount it as it is, below any
// prefix. What matters is the order: authentication stands outside of it, whatever writes a response stands inside.
//
//	net/http   mux.Handle("POST /payments", h)
//	chi        r.Method(http.MethodPost, "/payments", h)
//	gorilla    r.Handle("/payments", h).Methods(http.MethodPost)
//	gin        r.POST("/payments", gin.WrapH(h))
//	echo       e.POST("/payments", echo.WrapHandler(h))
//
// gin and echo have middlewares of their own kind. One that authenticates puts the caller into the context of the request, where the
// engine's scope function finds it; values in gin's own context are not seen there.
//
// Do not mount Engine.Middleware as a middleware of echo (echo.WrapMiddleware). It belongs around the whole server. Echo renders the error
// of a handler after its middlewares have returned, so one that stands inside sees an empty response where the client gets an error.
// The engine then answers 500 and stores nothing, which is safe and helps nobody.
package plain
