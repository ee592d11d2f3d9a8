package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/payments/api"
	"github.com/idemgen/idemgen/examples/payments/openapiidem"
	"github.com/idemgen/idemgen/examples/payments/openapiidem/bind"
	"github.com/idemgen/idemgen/examples/payments/provider"
	"github.com/idemgen/idemgen/examples/payments/store"
	"github.com/idemgen/idemgen/runtime/idem"
)

// service is the business code: the server's interface, and an execution or a lease where the document is annotated.
type service struct {
	queries  *store.Queries
	provider provider.Client
}

var _ bind.Server[pgx.Tx] = (*service)(nil)

// CreatePayment writes a payment, in the transaction that stores the answer.
func (s *service) CreatePayment(ctx context.Context, ex *idem.Execution[pgx.Tx], r api.CreatePaymentRequestObject) (api.CreatePaymentResponseObject, error) {
	p, err := s.queries.WithTx(ex.Tx()).CreatePayment(ctx, store.CreatePaymentParams{
		ID: "pay_" + idem.NewUUID().String(), Merchant: merchantOf(ctx), Amount: r.Body.Amount, Currency: r.Body.Currency, Reference: value(r.Body.Reference),
	})
	if err != nil {
		return nil, fmt.Errorf("create payment: %w", err)
	}
	location := "/payments/" + p.ID
	return api.CreatePayment201JSONResponse{Body: payment(p), Headers: api.CreatePayment201ResponseHeaders{Location: &location}}, nil
}

// GetPayment reads a payment. It is not annotated, so its signature is the server's.
func (s *service) GetPayment(ctx context.Context, r api.GetPaymentRequestObject) (api.GetPaymentResponseObject, error) {
	p, err := s.queries.GetPayment(ctx, merchantOf(ctx), r.PaymentId)
	if errors.Is(err, pgx.ErrNoRows) {
		return api.GetPaymentdefaultApplicationProblemPlusJSONResponse{Body: notFound, StatusCode: notFound.Status}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get payment: %w", err)
	}
	return api.GetPayment200JSONResponse(payment(p)), nil
}

// CapturePayment takes the money.
func (s *service) CapturePayment(ctx context.Context, l *idem.Lease[pgx.Tx], r api.CapturePaymentRequestObject) (api.CapturePaymentResponseObject, error) {
	return s.capture(ctx, l, r.PaymentId)
}

// RecoverCapturePayment does the same after an attempt that was cut off.
func (s *service) RecoverCapturePayment(ctx context.Context, l *idem.Lease[pgx.Tx], cmd openapiidem.CapturePaymentCommand, _ idem.Prior) (idem.Response, error) {
	response, err := s.capture(ctx, l, cmd.Path.PaymentID)
	if err != nil {
		return idem.Response{}, err
	}
	return idem.Record(response.VisitCapturePaymentResponse)
}

// capture can be run again at any point: the provider knows what it has done by the key, which is the same in every attempt. No
// transaction is open while the provider is asked.
func (s *service) capture(ctx context.Context, l *idem.Lease[pgx.Tx], id string) (api.CapturePaymentResponseObject, error) {
	merchant := l.Scope()[0] // not the caller's: a recovery has none
	p, err := s.queries.GetPayment(ctx, merchant, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return api.CapturePaymentdefaultApplicationProblemPlusJSONResponse{Body: notFound, StatusCode: notFound.Status}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("capture payment: %w", err)
	}
	if p.Status != "created" { // longer ago than records live
		return api.CapturePaymentdefaultApplicationProblemPlusJSONResponse{Body: captured, StatusCode: captured.Status}, nil
	}
	key := l.DownstreamKey("provider")
	charge, err := s.provider.Find(ctx, key)
	if errors.Is(err, provider.ErrNotFound) {
		charge, err = s.provider.Charge(ctx, key, p.Amount, p.Currency)
	}
	if err != nil {
		return nil, fmt.Errorf("capture payment: %w", err)
	}
	return idem.LastPhase(ctx, l, "captured", func(tx pgx.Tx) (api.CapturePayment200JSONResponse, error) {
		p, err := s.queries.WithTx(tx).MarkCaptured(ctx, merchant, id, charge.ID)
		return api.CapturePayment200JSONResponse(payment(p)), err
	})
}

// ReceiveEvent takes an event of the provider's.
func (s *service) ReceiveEvent(ctx context.Context, ex *idem.Execution[pgx.Tx], r api.ReceiveEventRequestObject) (api.ReceiveEventResponseObject, error) {
	if r.Body.Kind == "charge.refunded" {
		if _, err := s.queries.WithTx(ex.Tx()).MarkRefunded(ctx, r.Body.Charge); err != nil {
			return nil, fmt.Errorf("receive event: %w", err)
		}
	}
	return api.ReceiveEvent204Response{}, nil
}

// payment is a row as the API shows it.
func payment(p store.Payment) api.Payment {
	out := api.Payment{Id: p.ID, Amount: p.Amount, Currency: p.Currency, Status: api.PaymentStatus(p.Status), Charge: p.Charge}
	if p.Reference != "" {
		out.Reference = &p.Reference
	}
	return out
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

var (
	notFound = api.Problem{Status: http.StatusNotFound, Title: "There is no such payment"}
	captured = api.Problem{Status: http.StatusConflict, Title: "The money of this payment was taken"}
)
