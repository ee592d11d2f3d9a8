package agreement

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	waits "github.com/idemgen/idemgen/golden/pipeline/duplicates-wait/openapiidem"
	leased "github.com/idemgen/idemgen/golden/pipeline/leased-charges/openapiidem"
	scopes "github.com/idemgen/idemgen/golden/pipeline/scope-changes/openapiidem"
	unique "github.com/idemgen/idemgen/golden/pipeline/unique-reference/openapiidem"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

type execution = idem.Execution[*memstore.Tx]

// newPayments serves the payments that their references name; paid counts them.
func newPayments(t *testing.T) (post func(path, key, body string) reply, paid *int) {
	t.Helper()
	engine, err := unique.NewEngine(memstore.New(), func(context.Context) (unique.Scope, error) { return unique.Scope{Tenant: "t"}, nil }, idem.Options{})
	require.NoError(t, err)
	paid = new(int)
	return server(t, unique.HandleCreatePayment(engine, func(_ context.Context, ex *execution, cmd unique.CreatePaymentCommand) (idem.Response, error) {
		ex.Tx().OnCommit(func() { *paid++ })
		return idem.Response{Status: http.StatusCreated, Body: []byte(cmd.Body.Amount)}, nil
	})), paid
}

const payments = "/accounts/" + account + "/payments"

// A payment that is named already is not made again, whatever key the request has, or with none.
func TestDuplicateWithAnotherKey(t *testing.T) {
	post, paid := newPayments(t)
	first := `{"amount":"10.00","order":{"reference":"R-1"}}`
	assert.Equal(t, reply{201, "10.00", ""}, post(payments, "k1", first))
	for _, key := range []string{"k1", "k2", ""} {
		assert.Equal(t, reply{201, "10.00", "true"}, post(payments, key, `{"order":{"note":"again","reference":"r-1"},"channel":"web","amount":10}`), "key %q", key)
	}
	for _, key := range []string{"k3", ""} {
		differs := post(payments, key, `{"amount":"11","order":{"reference":"r-1"}}`)
		assert.Equal(t, 422, differs.status)
		assert.Contains(t, differs.body, "IDEMPOTENCY_DUPLICATE_DIFFERS")
		assert.NotContains(t, differs.body, "10.00")
	}
	assert.Equal(t, 1, *paid)
	assert.Equal(t, 201, post(payments, "k2", `{"amount":"10","channel":"app","order":{"reference":"r-1"}}`).status, "another channel is another payment, and k2 made none")
	assert.Equal(t, 2, *paid)
}

// Without a key the business key protects as a key does; a request that has neither runs every time.
func TestDuplicateWithoutAnyKey(t *testing.T) {
	post, paid := newPayments(t)
	assert.Equal(t, reply{201, "5", ""}, post(payments, "", `{"amount":"5","order":{"reference":"r-1"}}`))
	assert.Equal(t, reply{201, "5", "true"}, post(payments, "", `{"amount":"5.0","order":{"reference":"r-1"}}`))
	assert.Equal(t, reply{201, "5", "true"}, post(payments, "k", `{"amount":5,"order":{"reference":"r-1"}}`))
	for range 2 {
		assert.Equal(t, reply{201, "5", ""}, post(payments, "", `{"amount":"5"}`))
		assert.Equal(t, reply{201, "5", ""}, post(payments, "", `{"amount":"5","order":{"reference":null}}`))
	}
	assert.Equal(t, 5, *paid)
	assert.Equal(t, reply{201, "5", ""}, post(payments, "k4", `{"amount":"5"}`))
	assert.Equal(t, reply{201, "5", "true"}, post(payments, "k4", `{"amount":"5"}`), "its key protects it")
}

// A charge that was cut off is found by what it charges for: a request with another key, or with none, recovers it.
func TestLeasedDuplicateWithAnotherKey(t *testing.T) {
	for _, key := range []string{"k2", ""} {
		var s shop
		post := server(t, leased.HandleCreateCharge(running(t, idem.Options{Recover: -1}), s.charge, s.recover))
		assert.Equal(t, reply{}, post("/charges", "", tenOf), "the connection is cut")
		second := post("/charges", key, tenOf)
		assert.Equal(t, []any{201, "ch_10.00"}, []any{second.status, second.body}, "key %q", key)
		assert.Equal(t, reply{201, "ch_10.00", "true"}, post("/charges", "k3", tenOf))
		assert.Contains(t, post("/charges", "k4", `{"amount":"11","reference":"r-1"}`).body, "IDEMPOTENCY_DUPLICATE_DIFFERS")
		charges, _ := s.provider.count()
		assert.Equal(t, []int{1, 1}, []int{charges, s.recoveries()})
	}
}

// Ten requests at once with one key: one books, and the others wait for its answer.
func TestDuplicatesWait(t *testing.T) {
	engine, err := waits.NewEngine(memstore.New(), func(context.Context) (waits.Scope, error) { return waits.Scope{Tenant: "t"}, nil }, idem.Options{})
	require.NoError(t, err)
	started, finish := make(chan struct{}, 10), make(chan struct{})
	post := server(t, waits.HandleCreateBooking(engine, func(context.Context, *execution, waits.CreateBookingCommand) (idem.Response, error) {
		started <- struct{}{}
		<-finish
		return idem.Response{Status: http.StatusCreated, Body: []byte("seat")}, nil
	}))
	answers := make(chan reply, 10)
	var clients sync.WaitGroup
	for range cap(answers) {
		clients.Go(func() { answers <- post("/bookings", "k", `{"seat":7}`) })
	}
	<-started
	time.Sleep(50 * time.Millisecond) // the others are there by then; a late one gets a replay all the same
	assert.Empty(t, answers, "nobody is rejected")
	close(finish)
	clients.Wait()
	close(answers)
	got := map[reply]int{}
	for a := range answers {
		got[a]++
	}
	assert.Equal(t, map[reply]int{{201, "seat", ""}: 1, {201, "seat", "true"}: 9}, got)
	assert.Empty(t, started)
	assert.Equal(t, []time.Duration{5 * time.Second, 0}, []time.Duration{waits.CreateBookingOperation.Wait, waits.CancelBookingOperation.Wait})
}

// The program from before the change and the one from after it know each other's records, and never both run a request.
func TestScopeChangesUnderWay(t *testing.T) {
	store := memstore.New()
	var orders []string
	user := "u"
	serve := func(op *idem.Operation, dimensions []string, resolve func() []string) func(path, key, body string) reply {
		engine, err := idem.NewEngine(store, idem.Contract{Dimensions: dimensions, Operations: []*idem.Operation{op}},
			func(context.Context) ([]string, error) { return resolve(), nil }, idem.Options{})
		require.NoError(t, err)
		return server(t, orderHandler(engine, op, &orders))
	}
	after := scopes.CreateOrderOperation
	before := after
	before.Scope, before.Before = after.Before, nil
	now := serve(&after, []string{"tenant", "user"}, func() []string { return []string{"t", user} })
	old := serve(&before, []string{"tenant"}, func() []string { return []string{"t"} })

	const sku = `{"sku":"s"}`
	assert.Equal(t, 201, old("/orders", "made-by-the-old-one", sku).status)
	assert.Equal(t, "true", now("/orders", "made-by-the-old-one", sku).replayed)
	assert.Equal(t, 201, now("/orders", "made-by-the-new-one", sku).status)
	assert.Equal(t, "true", old("/orders", "made-by-the-new-one", sku).replayed)
	assert.Equal(t, "true", now("/orders", "made-by-the-new-one", sku).replayed)
	assert.Len(t, orders, 2)

	last := after // the change is over: only its own scope counts
	last.Before = nil
	alone := serve(&last, []string{"tenant", "user"}, func() []string { return []string{"t", user} })
	assert.Equal(t, "true", alone("/orders", "made-by-the-new-one", sku).replayed)
	user = "another"
	assert.Equal(t, reply{201, "s", ""}, alone("/orders", "made-by-the-new-one", sku))
	assert.Len(t, orders, 3)
}

// orderHandler serves an order's operation as a program with another contract would.
func orderHandler(engine *idem.Engine[*memstore.Tx], op *idem.Operation, orders *[]string) http.Handler {
	return idem.Handle(engine, op, idem.DecodeBody[scopes.CreateOrderBody], func(_ context.Context, ex *execution, cmd *scopes.CreateOrderBody) (idem.Response, error) {
		ex.Tx().OnCommit(func() { *orders = append(*orders, cmd.SKU) })
		return idem.Response{Status: http.StatusCreated, Body: []byte(cmd.SKU)}, nil
	})
}
