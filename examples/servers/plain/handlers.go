package plain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/paymentsidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// handlers are the operations of the API, each as every router can mount it.
type handlers struct {
	create, capture, update, receive http.Handler // annotated
	get, export                      http.Handler
}

// newHandlers ties the generated handlers to business code. Those that are not annotated read path values of the request.
func newHandlers[Tx any](engine *idem.Engine[Tx], api *business.API[Tx]) handlers {
	c := commands[Tx]{api}
	return handlers{
		create:  paymentsidem.HandleCreatePayment(engine, c.create),
		capture: paymentsidem.HandleCapturePayment(engine, c.capture, api.RecoverCapturePayment),
		update:  paymentsidem.HandleUpdateAccount(engine, c.update),
		receive: paymentsidem.HandleReceiveEvent(engine, c.receive),
		get:     http.HandlerFunc(c.get),
		export:  http.HandlerFunc(c.export),
	}
}

// commands makes the API's commands into those of business code.
type commands[Tx any] struct{ api *business.API[Tx] }

func (c commands[Tx]) create(ctx context.Context, ex *idem.Execution[Tx], cmd paymentsidem.CreatePaymentCommand) (idem.Response, error) {
	p, err := c.api.CreatePayment(ctx, ex, business.NewPayment{
		AccountID: cmd.Body.AccountID, Amount: string(cmd.Body.Amount), Currency: cmd.Body.Currency,
	})
	return answer(http.StatusCreated, p, err)
}

func (c commands[Tx]) capture(ctx context.Context, l *idem.Lease[Tx], cmd paymentsidem.CapturePaymentCommand) (idem.Response, error) {
	p, err := c.api.CapturePayment(ctx, l, cmd.Path.PaymentID, cmd.Body.Amount)
	return answer(http.StatusOK, p, err)
}

func (c commands[Tx]) update(ctx context.Context, ex *idem.Execution[Tx], cmd paymentsidem.UpdateAccountCommand) (idem.Response, error) {
	patch := business.AccountPatch{Limit: cmd.Body.Limit.Value, Limited: cmd.Body.Limit.Present}
	if cmd.Body.Owner != nil {
		patch.Owner = *cmd.Body.Owner
	}
	a, err := c.api.UpdateAccount(ctx, ex, cmd.Path.AccountID, patch)
	return answer(http.StatusOK, a, err)
}

func (c commands[Tx]) receive(ctx context.Context, ex *idem.Execution[Tx], cmd paymentsidem.ReceiveEventCommand) (idem.Response, error) {
	err := c.api.ReceiveEvent(ctx, ex, business.Event{ID: cmd.Body.ID, Kind: cmd.Body.Kind, PaymentID: cmd.Body.PaymentID})
	return idem.Response{Status: http.StatusNoContent}, err
}

func (c commands[Tx]) get(w http.ResponseWriter, r *http.Request) {
	p, err := c.api.GetPayment(r.Context(), r.PathValue("paymentId"))
	response, err := answer(http.StatusOK, p, err)
	if err != nil {
		response = problem(http.StatusInternalServerError)
	}
	w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	w.WriteHeader(response.Status)
	_, _ = w.Write(response.Body) // a client that has gone hears nothing
}

func (c commands[Tx]) export(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	flush := func() { _ = http.NewResponseController(w).Flush() } // as above
	_ = c.api.ExportPayments(r.Context(), w, flush)               // and what was sent cannot be taken back
}

// answer makes the response of what business code did. Its errors are no outcome, except that there is no such payment.
func answer(status int, v any, err error) (idem.Response, error) {
	if errors.Is(err, business.ErrNotFound) {
		return problem(http.StatusNotFound), nil
	}
	if err != nil {
		return idem.Response{}, err
	}
	body, err := json.Marshal(v)
	if err != nil {
		return idem.Response{}, fmt.Errorf("plain: make a response: %w", err)
	}
	return idem.Response{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, nil
}

func problem(status int) idem.Response {
	body := fmt.Appendf(nil, `{"status":%d,"title":%q}`, status, http.StatusText(status))
	return idem.Response{Status: status, Header: http.Header{"Content-Type": {"application/problem+json"}}, Body: body}
}
