package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/idemgen/idemgen/examples/servers/business"
	chiserver "github.com/idemgen/idemgen/examples/servers/chi"
	echoserver "github.com/idemgen/idemgen/examples/servers/echo"
	ginserver "github.com/idemgen/idemgen/examples/servers/gin"
	"github.com/idemgen/idemgen/examples/servers/nonstrict"
	ogenserver "github.com/idemgen/idemgen/examples/servers/ogen"
	"github.com/idemgen/idemgen/examples/servers/paymentsidem"
	stdserver "github.com/idemgen/idemgen/examples/servers/std"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

type bind func(*idem.Engine[*memstore.Tx], *app) (http.Handler, error)

// kinds are the servers, each without and with.
var kinds = []struct {
	name  string
	bare  func(*app) http.Handler
	bound bind
}{
	{"oapi-codegen strict, net/http", std, stdserver.Handler[*memstore.Tx]},
	{"oapi-codegen strict, chi", chiRouter, chiserver.Handler[*memstore.Tx]},
	{"oapi-codegen strict, gin", ginRouter, ginserver.Handler[*memstore.Tx]},
	{"oapi-codegen strict, echo", echoRouter, echoserver.Handler[*memstore.Tx]},
	{"oapi-codegen, net/http", plain, nonstrict.Handler[*memstore.Tx]},
	{"ogen", ogen, ogenserver.Handler[*memstore.Tx]},
}

func main() {
	seconds := flag.Float64("seconds", 30, "how long to measure CPU time, all in all")
	flag.Parse()
	if err := run(os.Stdout, time.Duration(*seconds*float64(time.Second))); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

// run prints a table, a line for each kind of server.
func run(out io.Writer, d time.Duration) error {
	gin.SetMode(gin.ReleaseMode)
	fmt.Fprintln(out, "| server | allocations of a request | added by a first request | added by a replay | added KB, first | CPU time, first ÷ without | CPU time, replay ÷ without |")
	fmt.Fprintln(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, k := range kinds {
		a := newApp()
		bare := k.bare(a)
		bound, err := newBound(k.bound, a)
		if err != nil {
			return err
		}
		without, first, again := counted(bare, fresh), counted(bound, fresh), counted(bound, same)
		times, err := cpuTimes(d/time.Duration(len(kinds)), variant{bare, fresh}, variant{bound, fresh}, variant{bound, same})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %d | %+d | %+d | %+.1f | %.2f | %.2f |\n", k.name, without.allocations, first.allocations-without.allocations,
			again.allocations-without.allocations, float64(first.bytes-without.bytes)/1024, times[1]/times[0], times[2]/times[0])
	}
	return nil
}

func newApp() *app {
	return &app{Ledger: nowhere{}, Tenant: func(token string) (string, bool) { return "acme", token == "good" }}
}

func newBound(bind bind, a *app) (http.Handler, error) {
	engine, err := paymentsidem.NewEngine(memstore.New(), business.Scope, idem.Options{})
	if err != nil {
		return nil, err
	}
	return bind(engine, a)
}

// nowhere is a ledger for which nothing has to be written: it would be part of both sides.
type nowhere struct{}

func (nowhere) Record(context.Context, *memstore.Tx, string, business.Effect) error { return nil }

func (nowhere) Effects(context.Context, string) ([]business.Effect, error) { return nil, nil }
