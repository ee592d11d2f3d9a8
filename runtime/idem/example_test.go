package idem_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A generated package wraps these calls: it knows the operation, its contract and the command's type.
func Example() {
	operation := &idem.Operation{
		Name: "sendGreeting", Method: "POST", Path: "/greetings", Keyspace: "sendGreeting",
		Key:       idem.KeySource{In: idem.KeyInHeader, Name: "Idempotency-Key", Required: true, MinLength: 1, MaxLength: 255},
		Scope:     []idem.ScopePart{{Dimension: 0}},
		Retention: idem.Forever, Execution: idem.Transactional, ReplayMarker: "Idempotent-Replayed",
	}
	contract := idem.Contract{Dimensions: []string{"tenant"}, Operations: []*idem.Operation{operation}}
	tenant := func(context.Context) ([]string, error) { return []string{"acme"}, nil } // of the authenticated caller
	engine, err := idem.NewEngine(memstore.New(), contract, tenant, idem.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}

	sent := 0
	handler := idem.Handle(engine, operation,
		func(r *canon.Request) (string, error) { return string(r.Body), nil },
		func(_ context.Context, ex *idem.Execution[*memstore.Tx], name string) (idem.Response, error) {
			ex.Tx().OnCommit(func() { sent++ })
			return idem.Response{Status: http.StatusCreated, Body: []byte("hello " + name)}, nil
		})

	for range 2 {
		r := httptest.NewRequest(http.MethodPost, "/greetings", strings.NewReader("ada"))
		r.Header.Set("Idempotency-Key", "8e03978e")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Printf("%d %s, replayed: %t\n", w.Code, w.Body, w.Header().Get("Idempotent-Replayed") == "true")
	}
	fmt.Println("sent:", sent)
	// Output:
	// 201 hello ada, replayed: false
	// 201 hello ada, replayed: true
	// sent: 1
}

// Stored responses are sealed under key 2; those from before the change of keys are still opened under key 1.
func ExampleNewAESSealer() {
	keys := map[uint32][]byte{ // from the program's secret store, 32 random bytes each
		1: []byte("last year's key, thirty-two bytes"[:32]),
		2: []byte("this year's key, thirty-two bytes"[:32]),
	}
	sealer, err := idem.NewAESSealer(2, keys)
	if err != nil {
		fmt.Println(err)
		return
	}
	opts := idem.Options{Sealer: sealer} // for the generated NewEngine
	fmt.Println("sealed:", opts.Sealer != nil)
	// Output: sealed: true
}
