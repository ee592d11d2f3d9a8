package idem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// Small servers in the shapes of the frameworks: business code returns first, a response or an error is rendered later, by
// somebody else.

// business is what a team writes behind its server's interface.
type business func(ctx context.Context, ex *execution, cmd paymentCommand) (idem.Response, error)

// bound is what a generated binding does around business code.
func bound(op *idem.Operation, b business) func(sessionCtx, callCtx context.Context, cmd paymentCommand) (idem.Response, error) {
	return func(sessionCtx, callCtx context.Context, cmd paymentCommand) (resp idem.Response, err error) {
		ex, err := idem.Begin[*memstore.Tx](sessionCtx, callCtx, op)
		if err != nil {
			return resp, err
		}
		err = idem.ErrNotReturned
		defer ex.End(&err)
		resp, err = b(callCtx, ex, cmd)
		return resp, err
	}
}

// shape builds a server around a bound method.
type shape func(call func(sessionCtx, callCtx context.Context, cmd paymentCommand) (idem.Response, error)) http.Handler

// strict renders within the handler, after the method has returned, as oapi-codegen's strict servers do on net/http and chi.
func strict(method func(_, _ context.Context, _ paymentCommand) (idem.Response, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var cmd paymentCommand
		if err := json.NewDecoder(r.Body).Decode(&cmd); err != nil {
			http.Error(w, "framework: "+err.Error(), http.StatusBadRequest)
			return
		}
		resp, err := method(r.Context(), r.Context(), cmd)
		if err != nil {
			http.Error(w, "framework: "+err.Error(), http.StatusInternalServerError)
			return
		}
		render(w, resp)
	})
}

func render(w http.ResponseWriter, resp idem.Response) {
	for name, lines := range resp.Header {
		w.Header()[name] = lines
	}
	if resp.Status != 0 {
		w.WriteHeader(resp.Status)
	}
	half := len(resp.Body) / 2
	_, _ = w.Write(resp.Body[:half])
	w.(http.Flusher).Flush()
	_, _ = w.Write(resp.Body[half:])
	w.WriteHeader(http.StatusInternalServerError) // superfluous
}

// late hands errors up and renders them when all its layers have returned, as echo does.
func late(method func(_, _ context.Context, _ paymentCommand) (idem.Response, error)) http.Handler {
	handle := func(w http.ResponseWriter, r *http.Request) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		var cmd paymentCommand
		if err := json.Unmarshal(body, &cmd); err != nil {
			return fmt.Errorf("framework: %w", err)
		}
		resp, err := method(r.Context(), r.Context(), cmd)
		if err != nil {
			return err
		}
		render(w, resp)
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, "framework: "+err.Error())
		}
	})
}

// ownContext is a framework's context that does not reach the request's, as gin's without its fallback.
type ownContext struct {
	context.Context
	values map[any]any
}

func (c *ownContext) Value(key any) any { return c.values[key] }

// foreign gives its methods a context of its own. Who calls stands in the request's alone.
func foreign(method func(_, _ context.Context, _ paymentCommand) (idem.Response, error)) http.Handler {
	return strict(func(sessionCtx, _ context.Context, cmd paymentCommand) (idem.Response, error) {
		return method(sessionCtx, &ownContext{Context: context.Background()}, cmd)
	})
}

var shapes = map[string]shape{"strict": strict, "late errors": late, "own context": foreign}

// validated reads the whole body and puts another one in its place, with defaults added, as request validators do.
func validated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		var members map[string]any
		if err != nil || json.Unmarshal(body, &members) != nil || members["amount"] == nil {
			http.Error(w, "validator: no", http.StatusBadRequest)
			return
		}
		members["metadata"] = map[string]any{"defaulted": true}
		body, _ = json.Marshal(members)
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Set("Idempotency-Key", "changed by a layer")
		next.ServeHTTP(w, r)
	})
}

// recovered answers panics, as every framework's recoverer does.
func recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				http.Error(w, fmt.Sprint("recovered: ", v), http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// cors sets headers before anything else is known.
func cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
		next.ServeHTTP(w, r)
	})
}

// app is a whole API behind Engine.Middleware: the operation, a route without an annotation, and the usual layers.
func (f *fixture) app(s shape, b business, layers ...func(http.Handler) http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/accounts/{accountId}/payments", s(bound(f.op, b)))
	mux.HandleFunc("GET /v1/accounts/{accountId}/payments", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "list") })
	var inner http.Handler = mux
	for i := len(layers) - 1; i >= 0; i-- { // the first is the outermost
		inner = layers[i](inner)
	}
	return f.engine.Middleware(inner)
}

// payFor is the handler of the other tests in the shape of business code.
func (f *fixture) payFor(runs *int) business {
	pay := f.pay(runs)
	return func(ctx context.Context, ex *execution, cmd paymentCommand) (idem.Response, error) {
		cmd.Account = "acc"
		return pay(ctx, ex, cmd)
	}
}

// eachShape runs a test for every shape.
func eachShape(t *testing.T, test func(t *testing.T, s shape)) {
	t.Helper()
	require.Len(t, shapes, 3)
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
}
