package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// Client asks a provider.
type Client struct{ URL string }

// ErrNotFound says that nobody has charged under a key.
var ErrNotFound = errors.New("provider: there is no such charge")

// Charge takes money under a key. After an error nobody knows whether it was taken; the same key can be asked for again.
func (c Client) Charge(ctx context.Context, key, amount, currency string) (Charge, error) {
	body, err := json.Marshal(Charge{Amount: amount, Currency: currency})
	if err != nil {
		return Charge{}, fmt.Errorf("provider: charge: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/charges", bytes.NewReader(body))
	if err != nil {
		return Charge{}, fmt.Errorf("provider: charge: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	return c.do(r)
}

// Find gives the charge of a key; ErrNotFound when there is none.
func (c Client) Find(ctx context.Context, key string) (Charge, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/charges/"+url.PathEscape(key), nil)
	if err != nil {
		return Charge{}, fmt.Errorf("provider: find: %w", err)
	}
	return c.do(r)
}

func (c Client) do(r *http.Request) (charge Charge, err error) {
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return Charge{}, fmt.Errorf("provider: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusOK, http.StatusCreated:
	case http.StatusNotFound:
		return Charge{}, ErrNotFound
	default:
		return Charge{}, fmt.Errorf("provider: it answered %s", response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&charge); err != nil {
		return Charge{}, fmt.Errorf("provider: read its answer: %w", err)
	}
	return charge, nil
}
