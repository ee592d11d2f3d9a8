package idem

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Code names a problem for programs. It never changes its meaning.
type Code string

const (
	CodeKeyMissing       Code = "IDEMPOTENCY_KEY_MISSING"
	CodeKeyMalformed     Code = "IDEMPOTENCY_KEY_MALFORMED"
	CodeRequestMalformed Code = "IDEMPOTENCY_REQUEST_MALFORMED"
	CodeRequestTooLarge  Code = "IDEMPOTENCY_REQUEST_TOO_LARGE"
	CodeRequestEncoding  Code = "IDEMPOTENCY_REQUEST_ENCODING"
	CodeMismatch         Code = "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST"
	CodeDuplicateDiffers Code = "IDEMPOTENCY_DUPLICATE_DIFFERS"
	CodeInFlight         Code = "IDEMPOTENCY_IN_FLIGHT"
	CodeOutcomeUnknown   Code = "IDEMPOTENCY_OUTCOME_UNKNOWN"
	CodeContractUnknown  Code = "IDEMPOTENCY_CONTRACT_UNKNOWN"
	CodeStoreUnavailable Code = "IDEMPOTENCY_STORE_UNAVAILABLE"
	CodeTryAgain         Code = "IDEMPOTENCY_TRY_AGAIN"
	CodeScopeUnresolved  Code = "IDEMPOTENCY_SCOPE_UNRESOLVED"
	CodeNotBound         Code = "IDEMPOTENCY_NOT_BOUND"
	CodeCompletionFailed Code = "IDEMPOTENCY_COMPLETION_FAILED"
)

// Problem is an answer that idemgen gives in place of a handler's: never stored, rendered as RFC 9457 or by Options.Problem.
type Problem struct {
	Code   Code
	Status int
	// Title is the same for all problems of a code.
	Title string
	// Detail says what the client can do. It never holds the key or a value of the request.
	Detail string
	// Docs is the operation's URL for people; empty when it has none.
	Docs string
	// RetryAfter is 0 when trying again by itself does not help. It is sent in whole seconds.
	RetryAfter time.Duration
	// Fields are the paths of the fields that differ from the first request, where they are known.
	Fields []string
	// Place is where the request is malformed: "body", "body/lines/3/sku", "query.expand", "path.id", "header.x"; or empty.
	Place string
	// Err is the cause, for logs. It is never rendered.
	Err error
}

// Pointer gives the JSON pointer (RFC 6901) of a place in the body.
func (p *Problem) Pointer() (string, bool) {
	if p.Place == "body" {
		return "", true
	}
	pointer, ok := strings.CutPrefix(p.Place, "body/")
	return "/" + pointer, ok
}

// kindOf is what all problems of one code share.
type kindOf struct {
	status     int
	setting    func(*Statuses) int // the operation's own status; nil when the status is fixed
	title      string
	detail     string
	retryAfter time.Duration
}

// kind gives the table of STATE section 2.
func (c Code) kind() kindOf {
	unavailable := func(s *Statuses) int { return s.Unavailable }
	switch c {
	case CodeKeyMissing:
		return kindOf{400, func(s *Statuses) int { return s.Missing }, "Idempotency key missing",
			"This operation needs an idempotency key; send a new one for each command and the same one with each retry.", 0}
	case CodeKeyMalformed:
		return kindOf{400, func(s *Statuses) int { return s.Malformed }, "Idempotency key malformed",
			"The idempotency key cannot be read.", 0}
	case CodeRequestMalformed:
		return kindOf{400, nil, "Request malformed", "The request cannot be read.", 0}
	case CodeRequestTooLarge:
		return kindOf{413, nil, "Request too large", "The request body is larger than this operation accepts.", 0}
	case CodeRequestEncoding:
		return kindOf{415, nil, "Request encoding not supported", "Send the body without Content-Encoding or with gzip.", 0}
	case CodeMismatch:
		return kindOf{422, func(s *Statuses) int { return s.Mismatch }, "Idempotency key used for another request",
			"This idempotency key belongs to a different request; a new command needs a new key.", 0}
	case CodeDuplicateDiffers:
		return kindOf{422, func(s *Statuses) int { return s.Mismatch }, "Duplicate of another request",
			"Another request has made the same thing with other values; it cannot be made twice.", 0}
	case CodeInFlight:
		return kindOf{409, func(s *Statuses) int { return s.InFlight }, "Request in flight",
			"The first request with this idempotency key has not ended yet; try again with the same key.", time.Second}
	case CodeOutcomeUnknown:
		return kindOf{409, func(s *Statuses) int { return s.Unknown }, "Outcome unknown",
			"The outcome of the first request is being looked into; try again later with the same key.", 30 * time.Second}
	case CodeContractUnknown:
		return kindOf{503, unavailable, "Request not comparable",
			"The first request with this key cannot be compared at present; try again with the same key.", 5 * time.Second}
	case CodeStoreUnavailable:
		return kindOf{503, unavailable, "Idempotency store unavailable",
			"This request was not carried out, an earlier one with the same key may have been; try again with the same key.", 5 * time.Second}
	case CodeTryAgain:
		return kindOf{503, unavailable, "Try again",
			"The request could not be settled; try again with the same key, which is safe.", time.Second}
	case CodeScopeUnresolved:
		return kindOf{500, nil, "Scope not resolved", "The server could not tell whom the idempotency key belongs to.", 0}
	case CodeNotBound:
		return kindOf{500, nil, "Operation not bound", "The server is not set up to answer this operation with its idempotency protection.", 0}
	case CodeCompletionFailed:
		return kindOf{500, nil, "Completion failed", "The request could not be completed and may have been carried out; send it again with the same key.", 0}
	}
	return kindOf{500, nil, http.StatusText(http.StatusInternalServerError), "", 0}
}

// problem makes op's problem of a code; op may be nil.
func problem(op *Operation, c Code, cause error) *Problem {
	k := c.kind()
	p := &Problem{Code: c, Status: k.status, Title: k.title, Detail: k.detail, RetryAfter: k.retryAfter, Err: cause}
	if op == nil {
		return p
	}
	p.Docs = op.Docs
	if k.setting != nil {
		if own := k.setting(&op.Statuses); own != 0 {
			p.Status = own
		}
	}
	return p
}

// contentTypePlace is where the scanner refuses a media type or charset that the operation does not take.
const contentTypePlace = "header.content-type"

// requestProblem gives the answer to a key or request that cannot be read.
func requestProblem(op *Operation, err error) *Problem {
	var key *KeyError
	var refusal *canon.Refusal
	var view *ViewError
	switch {
	case errors.As(err, &view) && isContextError(err):
		return problem(op, CodeTryAgain, err) // not for what the client sent
	case errors.Is(err, errTooLarge):
		return problem(op, CodeRequestTooLarge, err)
	case errors.Is(err, errEncoding):
		return problem(op, CodeRequestEncoding, err)
	case errors.Is(err, ErrKeyMissing):
		p := problem(op, CodeKeyMissing, err)
		p.Detail = "This operation needs an idempotency key in " + op.Key.place() + "; send a new one for each command and the same one with each retry."
		return p
	case errors.As(err, &key):
		p := problem(op, CodeKeyMalformed, err)
		p.Detail = "The idempotency key in " + op.Key.place() + " cannot be read: " + key.Reason + "."
		return p
	case errors.As(err, &refusal):
		p := problem(op, CodeRequestMalformed, err)
		if refusal.Place == contentTypePlace {
			p = problem(op, CodeRequestEncoding, err) // its media type is what the client has to change
		}
		p.Detail = "The request cannot be read: " + refusal.Error() + "."
		p.Place = refusal.Place
		return p
	case view != nil:
		p := problem(op, CodeRequestMalformed, err)
		p.Place = "body"
		return p
	}
	return problem(op, CodeRequestMalformed, err)
}

const (
	noEffect = "The request could not be completed and had no effect; the same key may be used again."
	inDark   = "It is not known whether the request was carried out." // and no key makes it safe to find out
)

// settleProblem gives the answer to a transactional claim that could not be completed. The key is absent or, after a commit whose
// outcome is unknown, safe to try again.
func settleProblem(op *Operation, err error) *Problem {
	switch {
	case errors.Is(err, ErrFenced): // a handler that commits by itself is fenced, too, and what it wrote stays
		return problem(op, CodeCompletionFailed, err)
	case errors.Is(err, ErrSerialization), errors.Is(err, ErrCommitUnknown), errors.Is(err, errNotSealed), isContextError(err):
		return problem(op, CodeTryAgain, err)
	case errors.Is(err, ErrStoreUnavailable):
		return problem(op, CodeStoreUnavailable, err)
	}
	p := problem(op, CodeCompletionFailed, err)
	p.Detail = noEffect
	return p
}

// claimProblem gives the answer to a claim that failed. Nothing runs without its claim.
func claimProblem(op *Operation, err error) *Problem {
	if errors.Is(err, ErrSerialization) || errors.Is(err, ErrFenced) {
		return problem(op, CodeTryAgain, err)
	}
	return problem(op, CodeStoreUnavailable, err)
}
