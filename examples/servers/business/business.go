package business

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/idemgen/idemgen/examples/servers/paymentsidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

// NewPayment is what a client asks for.
type NewPayment struct{ AccountID, Amount, Currency string }

// Payment is what it gets.
type Payment struct {
	ID        string `json:"id"`
	AccountID string `json:"accountId"`
	Amount    string `json:"amount"`
	Currency  string `json:"currency"`
	Captured  bool   `json:"captured"`
}

// AccountPatch changes what it names. A limit of "" is removed where Limited is set; nothing happens to it otherwise.
type AccountPatch struct {
	Limit   string
	Limited bool
	Owner   string
}

// Account is an account as it is now.
type Account struct{ ID, Limit, Owner string }

// Event is what the provider tells.
type Event struct{ ID, Kind, PaymentID string }

// Effect is one row of the ledger: what an operation did.
type Effect struct {
	Operation string
	Subject   string // of a payment, an account or an event: its id
	Payment   Payment
	Account   Account
}

// Ledger keeps effects.
type Ledger[Tx any] interface {
	// Record writes an effect in a transaction.
	Record(ctx context.Context, tx Tx, tenant string, e Effect) error
	// Effects are those that were committed, oldest first.
	Effects(ctx context.Context, tenant string) ([]Effect, error)
}

// API is the business code.
type API[Tx any] struct {
	Ledger Ledger[Tx]
	// Tenant says whose token it is; false refuses the caller.
	Tenant func(token string) (tenant string, ok bool)
	// Charge calls the provider, under a key that is the same in every attempt. Nil charges nobody.
	Charge func(ctx context.Context, key string, payment Payment) error
	// Failed, if it is not nil, is told of every error that a server renders: what a team would log.
	Failed func(error)
	// Wrote, if it is not nil, is called when an operation has written and not yet returned, and after each line of an export.
	Wrote func(ctx context.Context, operation string) error
}

var (
	// ErrUnauthorized refuses a caller.
	ErrUnauthorized = errors.New("business: the token is none of ours")
	// ErrNotFound says that there is no such payment.
	ErrNotFound = errors.New("business: there is no such payment")
)

// CreatePayment writes a payment.
func (a *API[Tx]) CreatePayment(ctx context.Context, ex *idem.Execution[Tx], in NewPayment) (Payment, error) {
	p := Payment{ID: "pay_" + idem.NewUUID().String(), AccountID: in.AccountID, Amount: in.Amount, Currency: in.Currency}
	return p, a.record(ctx, ex.Tx(), Effect{Operation: "createPayment", Subject: p.ID, Payment: p})
}

// CapturePayment charges a payment at the provider: what is recorded before and after stands in phases, so that an attempt that is cut off
// between them can be brought to its end.
func (a *API[Tx]) CapturePayment(ctx context.Context, lease *idem.Lease[Tx], id, amount string) (Payment, error) {
	p, err := idem.Phase(ctx, lease, "find", func(Tx) (Payment, error) { return a.payment(ctx, tenantOf(ctx, lease), id) })
	if err != nil {
		return Payment{}, idem.NothingDone(err)
	}
	p.Amount, p.Captured = amount, true
	if a.Charge != nil {
		if err := a.Charge(ctx, lease.DownstreamKey("psp"), p); err != nil {
			return Payment{}, err
		}
	}
	return idem.LastPhase(ctx, lease, "capture", func(tx Tx) (Payment, error) {
		return p, a.recordFor(ctx, tx, tenantOf(ctx, lease), Effect{Operation: "capturePayment", Subject: id, Payment: p})
	})
}

// RecoverCapturePayment does what is missing: the phases that are recorded give their results, and the provider knows the key.
func (a *API[Tx]) RecoverCapturePayment(ctx context.Context, lease *idem.Lease[Tx], cmd paymentsidem.CapturePaymentCommand, _ idem.Prior) (idem.Response, error) {
	p, err := a.CapturePayment(ctx, lease, cmd.Path.PaymentID, cmd.Body.Amount)
	if err != nil {
		return idem.Response{}, err
	}
	body, err := json.Marshal(p)
	return idem.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, err
}

// UpdateAccount changes an account.
func (a *API[Tx]) UpdateAccount(ctx context.Context, ex *idem.Execution[Tx], id string, patch AccountPatch) (Account, error) {
	account := Account{ID: id, Limit: patch.Limit, Owner: patch.Owner}
	return account, a.record(ctx, ex.Tx(), Effect{Operation: "updateAccount", Subject: id, Account: account})
}

// ReceiveEvent takes what the provider tells.
func (a *API[Tx]) ReceiveEvent(ctx context.Context, ex *idem.Execution[Tx], event Event) error {
	return a.record(ctx, ex.Tx(), Effect{Operation: "receiveEvent", Subject: event.ID, Payment: Payment{ID: event.PaymentID}})
}

// GetPayment reads a payment.
func (a *API[Tx]) GetPayment(ctx context.Context, id string) (Payment, error) {
	return a.payment(ctx, tenantOf[Tx](ctx, nil), id)
}

// ExportPayments writes a line for each payment, and calls flush behind each.
func (a *API[Tx]) ExportPayments(ctx context.Context, w io.Writer, flush func()) error {
	effects, err := a.Ledger.Effects(ctx, tenantOf[Tx](ctx, nil))
	if err != nil {
		return err
	}
	for _, e := range effects {
		if e.Operation != "createPayment" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s %s %s\n", e.Payment.ID, e.Payment.Amount, e.Payment.Currency); err != nil {
			return err
		}
		flush()
		if err := a.wrote(ctx, "exportPayments"); err != nil {
			return err
		}
	}
	return nil
}

func (a *API[Tx]) payment(ctx context.Context, tenant, id string) (found Payment, err error) {
	effects, err := a.Ledger.Effects(ctx, tenant)
	for _, e := range effects {
		if e.Payment.ID == id && (e.Operation == "createPayment" || e.Operation == "capturePayment") {
			found = e.Payment
		}
	}
	if err == nil && found.ID == "" {
		err = ErrNotFound
	}
	return found, err
}

func (a *API[Tx]) record(ctx context.Context, tx Tx, e Effect) error {
	return a.recordFor(ctx, tx, tenantOf[Tx](ctx, nil), e)
}

func (a *API[Tx]) recordFor(ctx context.Context, tx Tx, tenant string, e Effect) error {
	if err := a.Ledger.Record(ctx, tx, tenant, e); err != nil {
		return err
	}
	return a.wrote(ctx, e.Operation)
}

func (a *API[Tx]) wrote(ctx context.Context, operation string) error {
	if a.Wrote == nil {
		return nil
	}
	return a.Wrote(ctx, operation)
}
