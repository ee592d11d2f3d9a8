package main

import "context"

// Effect is one thing that was done: the money that moved.
type Effect struct {
	ID                string `json:"id"`
	Kind              string `json:"kind"` // payment or capture
	PaymentID         string `json:"paymentId"`
	AccountID         string `json:"accountId"`
	Amount            string `json:"amount"`
	Currency          string `json:"currency"`
	MerchantReference string `json:"merchantReference,omitempty"`
}

// Ledger keeps effects. Record and Payment work inside the transaction that holds the claim, so an effect
// and the stored answer are there together or not at all.
type Ledger[Tx any] interface {
	Record(ctx context.Context, tx Tx, tenant string, e Effect) error
	// Payment finds a payment of the tenant; false when there is none.
	Payment(ctx context.Context, tx Tx, tenant, id string) (Effect, bool, error)
	// List gives the tenant's committed effects, oldest first.
	List(ctx context.Context, tenant string) ([]Effect, error)
}
