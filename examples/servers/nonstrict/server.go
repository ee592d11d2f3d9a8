package nonstrict

import (
	"encoding/json"
	"net/http"

	"github.com/idemgen/idemgen/examples/servers/business"
	"github.com/idemgen/idemgen/examples/servers/nonstrict/api"
	"github.com/idemgen/idemgen/examples/servers/nonstrict/bind"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Handler serves the API. The engine's middleware is the outermost layer; authentication, and whatever else a team has, stands inside of it.
func Handler[Tx any](engine *idem.Engine[Tx], app *business.API[Tx]) (http.Handler, error) {
	plain, err := bind.New(engine, &server[Tx]{app})
	if err != nil {
		return nil, err
	}
	return engine.Middleware(app.Authenticated(api.Handler(plain))), nil
}

// server is business code behind net/http. What it writes to the client is the outcome, unless it returns an error.
type server[Tx any] struct{ *business.API[Tx] }

var _ bind.Server[any] = (*server[any])(nil)

func (s *server[Tx]) CreatePayment(w http.ResponseWriter, r *http.Request, ex *idem.Execution[Tx]) error {
	var b api.NewPayment
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		return badRequest(w, err)
	}
	p, err := s.API.CreatePayment(r.Context(), ex, business.NewPayment{AccountID: b.AccountId, Amount: b.Amount, Currency: b.Currency})
	return s.answer(w, http.StatusCreated, p, err)
}

func (s *server[Tx]) CapturePayment(w http.ResponseWriter, r *http.Request, lease *idem.Lease[Tx], paymentID string) error {
	var b api.Capture
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		return badRequest(w, err)
	}
	p, err := s.API.CapturePayment(r.Context(), lease, paymentID, b.Amount)
	return s.answer(w, http.StatusOK, p, err)
}

func (s *server[Tx]) UpdateAccount(w http.ResponseWriter, r *http.Request, ex *idem.Execution[Tx], accountID string, _ api.UpdateAccountParams) error {
	var b api.AccountPatch
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		return badRequest(w, err)
	}
	var patch business.AccountPatch
	if b.Limit != nil {
		patch.Limit, patch.Limited = *b.Limit, true
	}
	if b.Owner != nil {
		patch.Owner = *b.Owner
	}
	a, err := s.API.UpdateAccount(r.Context(), ex, accountID, patch)
	return s.answer(w, http.StatusOK, api.Account{Id: a.ID, Limit: &a.Limit, Owner: &a.Owner}, err)
}

func (s *server[Tx]) ReceiveEvent(w http.ResponseWriter, r *http.Request, ex *idem.Execution[Tx]) error {
	var b api.Event
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		return badRequest(w, err)
	}
	if err := s.API.ReceiveEvent(r.Context(), ex, business.Event{ID: b.Id, Kind: b.Kind, PaymentID: b.PaymentId}); err != nil {
		s.WriteError(w, err)
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// GetPayment is not annotated: it is as the team's generator wants it.
func (s *server[Tx]) GetPayment(w http.ResponseWriter, r *http.Request, paymentID string) {
	p, err := s.API.GetPayment(r.Context(), paymentID)
	_ = s.answer(w, http.StatusOK, p, err) // it is rendered
}

// ExportPayments sends each line as it is read.
func (s *server[Tx]) ExportPayments(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	flush := func() { _ = http.NewResponseController(w).Flush() } // what cannot flush sends later
	_ = s.API.ExportPayments(r.Context(), w, flush)               // the response has begun: it can only end
}

// answer writes the response, or renders the error and hands it on: then nothing is stored.
func (s *server[Tx]) answer(w http.ResponseWriter, status int, body any, err error) error {
	if err != nil {
		s.WriteError(w, err)
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(body)
}

func badRequest(w http.ResponseWriter, err error) error {
	http.Error(w, err.Error(), http.StatusBadRequest)
	return err
}
