// Package business is what the API does, whatever serves it: payments, accounts and events, written through the transaction that a server
// hands over. It knows idempotency keys as little as it knows HTTP.
package business
