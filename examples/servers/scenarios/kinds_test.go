package scenarios_test

import (
	"errors"
	"io"
	"log"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/servers/business"
	chiserver "github.com/idemgen/idemgen/examples/servers/chi"
	echoserver "github.com/idemgen/idemgen/examples/servers/echo"
	echo5server "github.com/idemgen/idemgen/examples/servers/echo5"
	"github.com/idemgen/idemgen/examples/servers/echoplain"
	ginserver "github.com/idemgen/idemgen/examples/servers/gin"
	"github.com/idemgen/idemgen/examples/servers/ginplain"
	"github.com/idemgen/idemgen/examples/servers/nonstrict"
	ogenserver "github.com/idemgen/idemgen/examples/servers/ogen"
	"github.com/idemgen/idemgen/examples/servers/plain"
	"github.com/idemgen/idemgen/examples/servers/std"
	"github.com/idemgen/idemgen/runtime/idem"
)

// quiet takes what net/http logs about handlers that panic.
var quiet = log.New(io.Discard, "", 0)

type (
	engine = idem.Engine[pgx.Tx]
	api    = business.API[pgx.Tx]
)

// mounted is a kind that cannot fail to be made.
func mounted(name string, serve func(*engine, *api) http.Handler) kind {
	return kind{name, func(e *engine, a *api) (http.Handler, error) { return serve(e, a), nil }}
}

// flushing sends each piece of a response at once, which ogen leaves to layers around it.
func flushing(serve func(*engine, *api) (http.Handler, error)) func(*engine, *api) (http.Handler, error) {
	return func(e *engine, a *api) (http.Handler, error) {
		h, err := serve(e, a)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(flusher{w}, r) }), err
	}
}

type flusher struct{ http.ResponseWriter }

func (f flusher) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	return n, errors.Join(err, http.NewResponseController(f.ResponseWriter).Flush())
}

var kinds = []kind{
	{"oapi-codegen strict, net/http", std.Handler[pgx.Tx]},
	{"oapi-codegen strict, chi", chiserver.Handler[pgx.Tx]},
	{"oapi-codegen strict, gin", ginserver.Handler[pgx.Tx]},
	{"oapi-codegen strict, echo", echoserver.Handler[pgx.Tx]},
	{"oapi-codegen strict, echo 5", echo5server.Handler[pgx.Tx]},
	{"oapi-codegen, net/http", nonstrict.Handler[pgx.Tx]},
	{"oapi-codegen, gin", ginplain.Handler[pgx.Tx]},
	{"oapi-codegen, echo", echoplain.Handler[pgx.Tx]},
	{"ogen", flushing(ogenserver.Handler[pgx.Tx])},
	mounted("plain net/http", plain.NetHTTP),
	mounted("plain chi", plain.Chi),
	mounted("plain gorilla", plain.Gorilla),
	mounted("plain gin", plain.Gin),
	mounted("plain echo", plain.Echo),
}

// TestScenarios is the table of what every kind of server must do alike.
func TestScenarios(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for _, s := range scenarios {
				t.Run(s.name, func(t *testing.T) { s.run(t, newWorld(t, k)) })
			}
		})
	}
}
