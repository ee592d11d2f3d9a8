package idem

import (
	"bytes"
	"context"
	"fmt"

	"github.com/idemgen/idemgen/runtime/canon"
)

// View makes of a request body what counts of it, as one JSON text: the claims of a signed token, the elements of an XML document. Two bodies
// of which it makes the same JSON value are the same command; spacing, escapes and the order of members do not count, numbers are compared
// exactly.
//
// It is called once for a request, before its key is looked up or claimed, with the Content-Type as it was sent and the body after
// Content-Encoding was undone, within Options.MaxBody. The body is a copy: the view may change and keep it. It is not called for an absent body,
// nor for a Content-Type that the operation does not take. ctx has the values of the request's context and ends with Options.Deadline.
//
// A view must be a function of its arguments. Whenever it makes something else of the same bytes, in another process or after a deploy, a
// retry is taken for another command, or another command for a retry: the contract's id holds a view's name and can hold no more. So a view
// that is changed gets another name, and none looks at the clock or at who sends the body; a token that has expired is for authentication to refuse.
//
// An error refuses the request with 400 IDEMPOTENCY_REQUEST_MALFORMED, and nothing is claimed. The client is told that the body cannot be read,
// and nothing of the error, unless it is a *canon.Refusal, whose place and reason are written for clients. The observer gets it whole, as a *ViewError.
// What is no JSON text, has a member twice, more than 128 levels or a number of more than 38 digits is refused in the same way. An error of a
// context is answered with 503 IDEMPOTENCY_TRY_AGAIN. A panic passes through, and nothing is claimed.
type View func(ctx context.Context, contentType string, body []byte) ([]byte, error)

// ViewError says that a view failed.
type ViewError struct {
	View string // its name
	Err  error
}

// Error gives the view's name and its error.
func (e *ViewError) Error() string { return fmt.Sprintf("idem: view %s: %v", e.View, e.Err) }

// Unwrap gives the view's error.
func (e *ViewError) Unwrap() error { return e.Err }

// views are what the views of an operation's versions made of one request. The zero views have made nothing yet.
type views struct{ made []viewed }

// viewed is a request with what a view made of its body, or why it made nothing.
type viewed struct {
	name    string
	request *canon.Request
	err     error
}

// of gives r as the fingerprint of version v reads it. A view that several versions have is called once.
func (all *views) of(ctx context.Context, p *plan, v *Version, r *canon.Request) (*canon.Request, error) {
	if v.View == "" || len(r.Body) == 0 || !v.ViewBody.Takes(r.ContentType) {
		return r, nil
	}
	for _, m := range all.made {
		if m.name == v.View {
			return m.request, m.err
		}
	}
	with := *r
	var err error
	if with.View, err = p.views[v.View](ctx, r.ContentType, bytes.Clone(r.Body)); err != nil {
		err = &ViewError{View: v.View, Err: err}
	}
	all.made = append(all.made, viewed{v.View, &with, err})
	return &with, err
}
