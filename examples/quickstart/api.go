package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/examples/quickstart/openapiidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// api is the business code: it knows payments, and nothing of keys, retries and stored answers.
type api[Tx any] struct {
	ledger Ledger[Tx]
	delay  time.Duration
	fail   atomic.Int64 // handler runs that are still to fail
}

// newAPI ties the generated handlers to the business code.
func newAPI[Tx any](store idem.Store[Tx], ledger Ledger[Tx], cfg config) (http.Handler, error) {
	engine, err := openapiidem.NewEngine(store, scope, idem.Options{})
	if err != nil {
		return nil, fmt.Errorf("quickstart: %w", err)
	}
	a := &api[Tx]{ledger: ledger, delay: cfg.delay}
	a.fail.Store(cfg.fail)
	mux := http.NewServeMux()
	mux.Handle("POST /payments", openapiidem.HandleCreatePayment(engine, a.createPayment))
	mux.Handle("POST /payments/{paymentId}/capture", openapiidem.HandleCapturePayment(engine, a.capturePayment))
	mux.HandleFunc("GET /payments", a.listPayments)
	return authenticate(cfg.tokens, mux), nil
}

func scope(ctx context.Context) (openapiidem.Scope, error) {
	tenant, err := tenantOf(ctx)
	return openapiidem.Scope{Tenant: tenant}, err
}

func (a *api[Tx]) createPayment(ctx context.Context, ex *idem.Execution[Tx], cmd openapiidem.CreatePaymentCommand) (idem.Response, error) {
	amount, err := positive(string(cmd.Body.Amount))
	if err != nil {
		return problem(http.StatusBadRequest, err.Error()), nil
	}
	if !currency.MatchString(cmd.Body.Currency) {
		return problem(http.StatusBadRequest, "currency: three capital letters"), nil
	}
	id := newID("pay_")
	e := Effect{ID: id, Kind: "payment", PaymentID: id, AccountID: cmd.Body.AccountID, Amount: amount, Currency: cmd.Body.Currency}
	if cmd.Body.MerchantReference != nil {
		e.MerchantReference = *cmd.Body.MerchantReference
	}
	if err := a.record(ctx, ex.Tx(), e); err != nil {
		return idem.Response{}, err
	}
	response, err := created(e)
	response.Header.Set("Location", "/payments/"+id)
	return response, err
}

func (a *api[Tx]) capturePayment(ctx context.Context, ex *idem.Execution[Tx], cmd openapiidem.CapturePaymentCommand) (idem.Response, error) {
	tenant, err := tenantOf(ctx)
	if err != nil {
		return idem.Response{}, err
	}
	payment, ok, err := a.ledger.Payment(ctx, ex.Tx(), tenant, cmd.Path.PaymentID)
	if err != nil {
		return idem.Response{}, err
	}
	if !ok {
		return problem(http.StatusNotFound, "there is no such payment"), nil
	}
	e := Effect{ID: newID("cap_"), Kind: "capture", PaymentID: payment.ID, AccountID: payment.AccountID, Amount: payment.Amount, Currency: payment.Currency}
	if cmd.Body != nil && cmd.Body.Amount != nil {
		if e.Amount, err = positive(string(*cmd.Body.Amount)); err != nil {
			return problem(http.StatusBadRequest, err.Error()), nil
		}
	}
	if err := a.record(ctx, ex.Tx(), e); err != nil {
		return idem.Response{}, err
	}
	return created(e)
}

// record writes e, sleeps as long as -delay says, and fails after the write as often as -fail says.
func (a *api[Tx]) record(ctx context.Context, tx Tx, e Effect) error {
	tenant, err := tenantOf(ctx)
	if err != nil {
		return err
	}
	if err := a.ledger.Record(ctx, tx, tenant, e); err != nil {
		return err
	}
	select {
	case <-time.After(a.delay):
	case <-ctx.Done():
		return ctx.Err()
	}
	if a.fail.Add(-1) >= 0 {
		return errors.New("quickstart: failing after the write, as -fail demands")
	}
	return nil
}

func (a *api[Tx]) listPayments(w http.ResponseWriter, r *http.Request) {
	tenant, err := tenantOf(r.Context())
	if err == nil {
		var effects []Effect
		if effects, err = a.ledger.List(r.Context(), tenant); err == nil {
			if effects == nil {
				effects = []Effect{}
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(effects) // the client has gone: nobody is left to tell
			return
		}
	}
	http.Error(w, "the effects could not be read", http.StatusInternalServerError)
}

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// positive checks an amount and gives it back as it was sent.
func positive(amount string) (string, error) {
	r, ok := new(big.Rat).SetString(amount)
	if !ok || r.Sign() <= 0 {
		return "", errors.New("amount: a positive decimal number")
	}
	return amount, nil
}

func newID(prefix string) string { return prefix + idem.NewUUID().String() }

func created(e Effect) (idem.Response, error) {
	body, err := json.Marshal(e)
	return idem.Response{Status: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, err
}

func problem(status int, detail string) idem.Response {
	body, _ := json.Marshal(map[string]any{"title": http.StatusText(status), "status": status, "detail": detail}) // a map of plain values
	return idem.Response{Status: status, Header: http.Header{"Content-Type": {"application/problem+json"}}, Body: body}
}
