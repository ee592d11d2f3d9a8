package idem_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A leased operation calls another system between its phases. What is sent again never charges again.
func ExamplePhase() {
	operation := &idem.Operation{
		Name: "charge", Method: "POST", Path: "/charges", Keyspace: "charge",
		Key:       idem.KeySource{In: idem.KeyInHeader, Name: "Idempotency-Key", Required: true, MinLength: 1, MaxLength: 255},
		Scope:     []idem.ScopePart{{Dimension: 0}},
		Retention: idem.Forever, ReplayMarker: "Idempotent-Replayed",
		Execution: idem.Leased, Lease: time.Minute, Takeover: idem.Retake, Attempts: 5,
	}
	contract := idem.Contract{Dimensions: []string{"tenant"}, Operations: []*idem.Operation{operation}}
	tenant := func(context.Context) ([]string, error) { return []string{"acme"}, nil } // of the authenticated caller
	engine, err := idem.NewEngine(memstore.New(), contract, tenant, idem.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	running := make(chan error)
	go func() { running <- engine.Run(ctx) }() // keeps leases alive, recovers, sweeps

	charged := map[string]bool{} // at the payment provider, by the keys that it was sent
	handler := idem.HandleLeased(engine, operation,
		func(r *canon.Request) (string, error) { return string(r.Body), nil },
		func(ctx context.Context, l *idem.Lease[*memstore.Tx], amount string) (idem.Response, error) {
			order, err := idem.Phase(ctx, l, "order", func(tx *memstore.Tx) (int, error) {
				tx.OnCommit(func() { fmt.Println("order written") })
				return 1, nil
			})
			if err != nil {
				return idem.Response{}, err
			}
			charged[l.DownstreamKey("provider")] = true // no transaction is open here
			if l.Attempt() == 1 {
				return idem.Response{}, errors.New("the provider's answer was lost")
			}
			_, err = idem.LastPhase(ctx, l, "paid", func(tx *memstore.Tx) (any, error) {
				tx.OnCommit(func() { fmt.Println("order", order, "paid") })
				return nil, nil
			})
			return idem.Response{Status: http.StatusCreated, Body: []byte("paid " + amount)}, err
		}, nil)

	for range 3 {
		r := httptest.NewRequest(http.MethodPost, "/charges", strings.NewReader("10 EUR"))
		r.Header.Set("Idempotency-Key", "8e03978e")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Printf("%d, replayed: %t\n", w.Code, w.Header().Get("Idempotent-Replayed") == "true")
	}
	stop()
	fmt.Println("charges:", len(charged), <-running)
	// Output:
	// order written
	// 500, replayed: false
	// order 1 paid
	// 201, replayed: false
	// 201, replayed: true
	// charges: 1 <nil>
}
