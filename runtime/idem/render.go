package idem

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// problemBody is the problem+json document (RFC 9457).
type problemBody struct {
	Type      string   `json:"type,omitempty"`
	Title     string   `json:"title"`
	Status    int      `json:"status"`
	Detail    string   `json:"detail,omitempty"`
	Code      Code     `json:"code,omitempty"`
	Fields    []string `json:"fields,omitempty"`
	Pointer   *string  `json:"pointer,omitempty"`
	Parameter string   `json:"parameter,omitempty"`
}

// WriteProblem renders p as application/problem+json with Retry-After, Link and Cache-Control: no-store.
func WriteProblem(w http.ResponseWriter, r *http.Request, p Problem) {
	setProblemHeaders(w.Header(), &p)
	body := problemBody{Type: p.Docs, Title: p.Title, Status: p.Status, Detail: p.Detail, Code: p.Code, Fields: p.Fields}
	if pointer, ok := p.Pointer(); ok {
		body.Pointer = &pointer
	} else {
		body.Parameter = p.Place
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Del("Content-Length") // the server's to say: a layer between may encode the body
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(text) // a client that is gone needs no answer
	}
}

// setProblemHeaders sets what belongs to a problem whoever renders its body.
func setProblemHeaders(h http.Header, p *Problem) {
	h.Set("Cache-Control", "no-store")
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(retrySeconds(p.RetryAfter)))
	}
	if p.Docs != "" {
		h.Set("Link", "<"+strings.NewReplacer("<", "%3C", ">", "%3E", "\r", "", "\n", "").Replace(p.Docs)+`>; rel="describedby"`)
	}
	switch { // RFC 9110 section 15.5.16: a 415 says what would have been taken
	case p.Code == CodeRequestEncoding && p.Place == contentTypePlace:
		h.Set("Accept", "application/json")
	case p.Code == CodeRequestEncoding:
		h.Set("Accept-Encoding", "gzip, identity")
	}
}

// retrySeconds rounds up and stays between 1 and 60.
func retrySeconds(d time.Duration) int {
	return int(min(max(math.Ceil(d.Seconds()), 1), 60))
}

// answerer writes answers as the engine's options say.
type answerer struct {
	problem func(http.ResponseWriter, *http.Request, Problem)
	failure func(http.ResponseWriter, *http.Request, error)
}

// send writes an answer over the headers that stand on w.
func (a *answerer) send(w http.ResponseWriter, r *http.Request, answer *Answer) {
	switch {
	case answer.Problem != nil:
		setProblemHeaders(w.Header(), answer.Problem)
		a.problem(w, r, *answer.Problem)
	case answer.Err != nil:
		a.failure(w, r, answer.Err)
	case answer.Replayed:
		response := answer.op.replayed(w.Header(), answer.Response, answer.NotKept)
		clear(w.Header()) // what must not stand beside a replay was left out
		sendResponse(w, r, &response)
	default:
		sendResponse(w, r, &answer.Response)
	}
}

// sendResponse sends a response's headers and exact bytes. Its headers replace those of the same name.
func sendResponse(w http.ResponseWriter, r *http.Request, response *Response) {
	putHeaders(w.Header(), response)
	// The length is the server's to say, but one that is right is left alone.
	if length := w.Header().Get("Content-Length"); length != "" && length != strconv.Itoa(len(response.Body)) {
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(response.Status)
	if r.Method != http.MethodHead && bodyAllowed(response.Status) {
		_, _ = w.Write(response.Body) // a client that is gone needs no answer: the retry gets it
	}
}

// putHeaders puts a response's headers in the place of those of the same name. Framing is left to the server.
func putHeaders(h http.Header, response *Response) {
	for name := range response.Header {
		h.Del(name)
	}
	for name, lines := range response.Header {
		name = http.CanonicalHeaderKey(name)
		h[name] = append(h[name], lines...)
	}
	h.Del("Transfer-Encoding")
	h.Del("Trailer")
}
