package vector

import (
	"net/textproto"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Vector is a request and what a contract must make of it.
type Vector struct {
	Name string
	// Like, Unlike and Refused name the earlier vector whose request is changed. At most one is set; none where the request is whole.
	Like, Unlike, Refused string
	Request               Request
	Set                   []Change
	Remove                []string
	// Canonical and SHA256 must stand with a whole request, and may with Unlike. SHA256 is the digest in lower-case hexadecimal digits: of the
	// scheme, the contract's name and id, and the canonical text, as FINGERPRINT section 1 puts them together.
	Canonical string
	SHA256    string
}

// Base names the vector that v changes; empty for a whole request.
func (v *Vector) Base() string { return v.Like + v.Unlike + v.Refused }

// Change puts a JSON text at a path of the body.
type Change struct{ Path, JSON string }

// Request is a request, or what of it a vector replaces: the members that are not empty.
type Request struct {
	Body string
	// View is what the program's view made of a body, where the operation has one: JSON text. No vector says of which body, since no vector
	// runs the program; Type says of what type it was.
	View string
	// Type is the Content-Type. Empty means application/json where there is a body.
	Type   string
	Path   []Value // decoded
	Query  string  // raw, without the question mark
	Header []Value
}

// Value is a path value under the name of its template variable, or a header line under its name.
type Value struct{ Name, Text string }

const jsonType = "application/json"

// ContentType is the type of the body; empty without one.
func (r *Request) ContentType() string {
	if r.Type == "" && r.Body != "" {
		return jsonType
	}
	return r.Type
}

// Canon gives the request as fingerprints are made of it. template is the operation's path: /accounts/{accountId}/payments.
func (r *Request) Canon(template string) *canon.Request {
	out := &canon.Request{Body: []byte(r.Body), ContentType: r.ContentType(), Query: r.Query}
	if r.View != "" {
		out.Body, out.View = []byte(r.View), []byte(r.View) // some body: what it says is never read
	}
	for _, name := range variables(template) {
		text, _ := find(r.Path, name)
		out.Path = append(out.Path, text)
	}
	if len(r.Header) > 0 {
		out.Header = map[string][]string{}
	}
	for _, h := range r.Header {
		name := textproto.CanonicalMIMEHeaderKey(h.Name)
		out.Header[name] = append(out.Header[name], h.Text)
	}
	return out
}

// variables lists the names in the braces of a path template, in order.
func variables(template string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(template, "{")
		if !ok {
			return out
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			return out
		}
		out, template = append(out, name), after
	}
}

func find(values []Value, name string) (string, bool) {
	for _, v := range values {
		if v.Name == name {
			return v.Text, true
		}
	}
	return "", false
}
