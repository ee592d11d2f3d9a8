package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Order is one request. One without a key is for operations with a business key.
type Order struct {
	Path string
	Key  string
	Command
}

// Answer is what a client got.
type Answer struct {
	Status   int
	Replayed bool
	Code     idem.Code // empty unless idemgen answered with a problem
	Receipt  Receipt   // zero unless a handler made the response
	Header   http.Header
	Body     []byte
}

// Client sends orders to a server.
type Client struct {
	URL  string
	HTTP *http.Client
}

// Local is a client of a handler in this process: no network, and every request runs in the caller's goroutine.
func Local(h http.Handler) Client { return Client{HTTP: &http.Client{Transport: local{h}}} }

type local struct{ handler http.Handler }

// RoundTrip runs the request.
func (l local) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

// Send sends an order and reads the whole answer. An error means that nobody knows what became of it.
func (c Client) Send(ctx context.Context, o Order) (Answer, error) {
	request, err := o.request(ctx, c.URL)
	if err != nil {
		return Answer{}, err
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return Answer{}, fmt.Errorf("shop: send order: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return Answer{}, fmt.Errorf("shop: read answer: %w", err)
	}
	return answerOf(response.StatusCode, response.Header, body)
}

func (o Order) request(ctx context.Context, url string) (*http.Request, error) {
	body, err := json.Marshal(o.Command)
	if err != nil {
		return nil, fmt.Errorf("shop: write order: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+o.Path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("shop: make request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if o.Key != "" {
		request.Header.Set("Idempotency-Key", o.Key)
	}
	// A request with this header and a body that can be read again is sent again by net/http itself when a connection breaks; a
	// history must know of every request.
	request.GetBody = nil
	return request, nil
}

// answerOf reads a problem or a receipt.
func answerOf(status int, header http.Header, body []byte) (Answer, error) {
	a := Answer{Status: status, Replayed: header.Get("Idempotent-Replayed") == "true", Header: header, Body: body}
	var into any
	switch header.Get("Content-Type") {
	case "application/problem+json":
		into = &struct {
			Code *idem.Code `json:"code"`
		}{&a.Code}
	case "application/json":
		into = &a.Receipt
	default:
		return a, nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return a, fmt.Errorf("shop: read answer %d: %w", status, err)
	}
	return a, nil
}
