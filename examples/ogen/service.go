package ogen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/ogen/api"
	"github.com/idemgen/idemgen/examples/ogen/bind"
	"github.com/idemgen/idemgen/examples/payments/openapiidem"
	"github.com/idemgen/idemgen/examples/payments/provider"
	"github.com/idemgen/idemgen/examples/payments/store"
	"github.com/idemgen/idemgen/runtime/idem"
)

// service is the business code. In ogen's signatures a failure that this document describes is an error, which is no outcome: nothing is
// stored, and the same key may try again.
type service struct {
	queries  *store.Queries
	provider provider.Client
}

var _ bind.Server[pgx.Tx] = (*service)(nil)

var errCaptured = errors.New("the money of this payment was taken")

// CreatePayment writes a payment, in the transaction that stores the answer.
func (s *service) CreatePayment(ctx context.Context, ex *idem.Execution[pgx.Tx], req *api.NewPayment, _ api.CreatePaymentParams) (*api.PaymentHeaders, error) {
	p, err := s.queries.WithTx(ex.Tx()).CreatePayment(ctx, store.CreatePaymentParams{
		ID: "pay_" + idem.NewUUID().String(), Merchant: merchantOf(ctx), Amount: req.Amount, Currency: req.Currency, Reference: req.Reference.Value,
	})
	if err != nil {
		return nil, fmt.Errorf("create payment: %w", err)
	}
	return &api.PaymentHeaders{Location: api.NewOptString("/payments/" + p.ID), Response: payment(p)}, nil
}

// GetPayment reads a payment. It is not annotated, so its signature is the server's.
func (s *service) GetPayment(ctx context.Context, params api.GetPaymentParams) (*api.Payment, error) {
	p, err := s.queries.GetPayment(ctx, merchantOf(ctx), params.PaymentId)
	if err != nil {
		return nil, fmt.Errorf("get payment: %w", err)
	}
	out := payment(p)
	return &out, nil
}

// CapturePayment takes the money.
func (s *service) CapturePayment(ctx context.Context, l *idem.Lease[pgx.Tx], params api.CapturePaymentParams) (*api.Payment, error) {
	return s.capture(ctx, l, params.PaymentId)
}

// RecoverCapturePayment does the same after an attempt that was cut off.
func (s *service) RecoverCapturePayment(ctx context.Context, l *idem.Lease[pgx.Tx], cmd openapiidem.CapturePaymentCommand, _ idem.Prior) (idem.Response, error) {
	p, err := s.capture(ctx, l, cmd.Path.PaymentID)
	if err != nil {
		return idem.Response{}, err
	}
	body, err := json.Marshal(p)
	return idem.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, Body: body}, err
}

// capture can be run again at any point: the provider knows by the key what it has done.
func (s *service) capture(ctx context.Context, l *idem.Lease[pgx.Tx], id string) (*api.Payment, error) {
	merchant := l.Scope()[0] // not the caller's: a recovery has none
	p, err := s.queries.GetPayment(ctx, merchant, id)
	if err == nil && p.Status != "created" {
		err = errCaptured // longer ago than records live
	}
	if err != nil {
		return nil, idem.NothingDone(fmt.Errorf("capture payment: %w", err))
	}
	key := l.DownstreamKey("provider")
	charge, err := s.provider.Find(ctx, key)
	if errors.Is(err, provider.ErrNotFound) {
		charge, err = s.provider.Charge(ctx, key, p.Amount, p.Currency)
	}
	if err != nil {
		return nil, fmt.Errorf("capture payment: %w", err)
	}
	return idem.LastPhase(ctx, l, "captured", func(tx pgx.Tx) (*api.Payment, error) {
		p, err := s.queries.WithTx(tx).MarkCaptured(ctx, merchant, id, charge.ID)
		out := payment(p)
		return &out, err
	})
}

// ReceiveEvent takes an event of the provider's.
func (s *service) ReceiveEvent(ctx context.Context, ex *idem.Execution[pgx.Tx], req *api.Event) error {
	if req.Kind != "charge.refunded" {
		return nil
	}
	if _, err := s.queries.WithTx(ex.Tx()).MarkRefunded(ctx, req.Charge); err != nil {
		return fmt.Errorf("receive event: %w", err)
	}
	return nil
}

// payment is a row as the API shows it.
func payment(p store.Payment) api.Payment {
	out := api.Payment{ID: p.ID, Amount: p.Amount, Currency: p.Currency, Status: api.PaymentStatus(p.Status)}
	if p.Reference != "" {
		out.Reference = api.NewOptString(p.Reference)
	}
	if p.Charge != nil {
		out.Charge = api.NewOptString(*p.Charge)
	}
	return out
}
