package generator

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/httptext"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// Explanation says what an operation makes of requests.
type Explanation struct {
	Contract  string `json:"contract"`
	Operation string `json:"operation"` // POST /accounts/{accountId}/payments
	// Versions are the live ones, newest first.
	Versions []ExplainedVersion `json:"versions"`
	Unique   *ExplainedUnique   `json:"unique,omitempty"`
	Record   *ExplainedRecord   `json:"record,omitempty"`
}

// ExplainedUnique is the business key of each request. One that is refused has none.
type ExplainedUnique struct {
	ID       string             `json:"id"`
	Requests []ExplainedRequest `json:"requests"`
	// Same is set for two requests that both have one: whether they name the same thing.
	Same *bool `json:"same,omitempty"`
}

// ExplainedVersion is what one version of the contract makes of each request.
type ExplainedVersion struct {
	Number   int                `json:"version"`
	ID       string             `json:"id"`
	Requests []ExplainedRequest `json:"requests"`
	// Same is set for two requests that this version accepts: whether they are the same command. Differ are the fields that make
	// them two.
	Same   *bool             `json:"same,omitempty"`
	Differ []FieldDifference `json:"differ,omitempty"`
}

// ExplainedRequest is a request's canonical text and digest, or why it has none.
type ExplainedRequest struct {
	Canonical string `json:"canonical,omitempty"`
	// SHA256 is left out where sensitive values are masked: together with the text it would let them be guessed.
	SHA256 string `json:"sha256,omitempty"`
	// Masked says that sensitive values stand in the text as "<sensitive>".
	Masked  bool   `json:"masked,omitempty"`
	Refused string `json:"refused,omitempty"`
}

// FieldDifference is a field whose value is another one in the second request.
type FieldDifference struct {
	Field string `json:"field"`
	Rule  string `json:"rule"`
	// Values are the field's normalised values as JSON, one for each request. They are left out for sensitive fields, unless these were
	// asked for, and for what stands at several places of a request.
	Values []string `json:"values,omitempty"`
}

// Question says what is to be explained.
type Question struct {
	// Operation is a contract's name, or a method and a path.
	Operation string
	Requests  []Sent // one, or two to compare
	// ShowSensitive shows the values of sensitive fields, which are masked otherwise, and digests that they could be guessed from.
	ShowSensitive bool
	// Find gives what a store holds at an address; idem.ErrNoRecord: nothing. With it the one request is judged against that record.
	Find func(idem.Address) (idem.StoredRecord, error)
	// Key, if it is not empty, counts in place of the request's own, and Scope are the values of the scope's dimensions: what Find is
	// asked with.
	Key   string
	Scope map[string]string
	// Keys compare fingerprints of the record that are keyed; nil leaves them incomparable.
	Keys *idem.KeyRing
}

// Sent is a request to explain: one that somebody wrote down, or the parts of one.
type Sent struct {
	Request *httptext.Request
	// Path are the values of the path's parameters, where Request is nil; and Query, Header and Body what else it has.
	Path   map[string]string
	Query  string
	Header http.Header
	Body   []byte
	// View is what the program's view makes of the body, as JSON text, where the operation has a view: the function is the program's alone.
	View []byte
}

// mostExplained is the size to which bodies are read, in bytes: that of the runtime's multipart bodies.
const mostExplained = 32 << 20

// ErrNoOperation says that a document has no such operation.
var ErrNoOperation = errors.New("no such operation")

// Explain says what an operation makes of each request. It is what generated code does with them, made by the interpreter that its
// fingerprints are tested against. The explanation is nil when the list has errors.
func Explain(document string, q Question, opts Options) (*Explanation, diag.List, error) {
	u, err := compile(document, opts)
	if err != nil || u.api == nil || u.findings.HasErrors() {
		return nil, u.findings, err
	}
	c, err := findContract(u.api, q.Operation)
	if err != nil {
		return nil, u.findings, fmt.Errorf("generator: explain: %w", err)
	}
	sent := make([]sentRequest, len(q.Requests))
	for i, r := range q.Requests {
		if sent[i], err = sentTo(c, r); err != nil {
			return nil, u.findings, fmt.Errorf("generator: explain: %w", err)
		}
	}
	out := &Explanation{Contract: c.Name, Operation: strings.TrimSpace(c.Method + " " + c.Path), Versions: []ExplainedVersion{}}
	if c.Webhook != "" {
		out.Operation = "webhook " + c.Webhook
	}
	if !c.Compare && c.Unique == nil && q.Find == nil {
		return nil, u.findings, fmt.Errorf("generator: explain: %s compares nothing: fingerprint is none", c.Name)
	}
	for _, v := range c.Versions() {
		out.Versions = append(out.Versions, explainVersion(c, v, sent, q.ShowSensitive))
	}
	if c.Unique != nil {
		out.Unique = explainUnique(c, sent)
	}
	if q.Find != nil {
		if out.Record, err = explainRecord(u.api, c, q, sent[0]); err != nil {
			return nil, u.findings, fmt.Errorf("generator: explain: %w", err)
		}
	}
	return out, u.findings, nil
}

// findContract finds an operation by its contract's name, or by method and path.
func findContract(api *contract.API, name string) (*contract.Contract, error) {
	var names []string
	for _, c := range api.Contracts {
		if c.Name == name || c.Method+" "+c.Path == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	hint := ""
	if near, ok := diag.Nearest(name, names); ok {
		hint = ": did you mean " + near + "?"
	}
	return nil, fmt.Errorf("%w as %s%s", ErrNoOperation, name, hint)
}

// sentRequest is a request as a server gets it, and what a view makes of its body.
type sentRequest struct {
	*http.Request
	view []byte
}

func sentTo(c *contract.Contract, sent Sent) (sentRequest, error) {
	r, err := httpRequest(c, sent)
	if err != nil {
		return sentRequest{}, err
	}
	body := sent.Body
	if sent.Request != nil {
		body = sent.Request.Body
	}
	view := c.Version.View
	switch {
	case view == "" && len(sent.View) > 0:
		return sentRequest{}, fmt.Errorf("%s has no view", c.Name)
	case view != "" && len(body) > 0 && len(sent.View) == 0:
		return sentRequest{}, fmt.Errorf("bodies of %s count through the view %s, a function of the program: give what it makes of the body with --view", c.Name, view)
	}
	return sentRequest{r, sent.View}, nil
}

// httpRequest makes a request as a server gets it.
func httpRequest(c *contract.Contract, sent Sent) (*http.Request, error) {
	r := sent.Request
	if r == nil {
		path, err := fillPath(c.Path, sent.Path)
		if err != nil {
			return nil, err
		}
		r = &httptext.Request{Method: c.Method, Path: path, Query: sent.Query, Header: sent.Header, Body: sent.Body}
	}
	if c.Method != "" && r.Method != c.Method {
		return nil, fmt.Errorf("the request is a %s and %s is a %s", r.Method, c.Name, c.Method)
	}
	u, err := url.Parse(r.Path)
	if err != nil {
		return nil, fmt.Errorf("the path %q cannot be read", r.Path)
	}
	u.RawQuery = r.Query
	out := &http.Request{Method: r.Method, URL: u, Header: r.Header, Body: io.NopCloser(bytes.NewReader(r.Body))}
	if _, err := idem.NewRequest(&http.Request{URL: u, Header: r.Header}, c.Path, mostExplained); errors.Is(err, idem.ErrNotBound) {
		return nil, err
	}
	return out, nil
}

// fillPath puts values into a template. Each has its place, and each place its value.
func fillPath(template string, values map[string]string) (string, error) {
	left := maps.Clone(values)
	var missing []string
	path := pathVariable.ReplaceAllStringFunc(template, func(variable string) string {
		name := variable[1 : len(variable)-1]
		value, ok := values[name]
		if !ok {
			missing = append(missing, name)
		}
		delete(left, name)
		return url.PathEscape(value)
	})
	switch {
	case len(missing) > 0:
		return "", fmt.Errorf("%s needs a value for %s", template, strings.Join(missing, " and "))
	case len(left) > 0:
		return "", fmt.Errorf("%s has no parameter %s", template, strings.Join(slices.Sorted(maps.Keys(left)), " and "))
	}
	return path, nil
}

var pathVariable = regexp.MustCompile(`\{[^}]*\}`)

func explainVersion(c *contract.Contract, v *contract.Version, sent []sentRequest, showSensitive bool) ExplainedVersion {
	out := ExplainedVersion{Number: v.Number, ID: string(v.ID)}
	read := make([]*canon.Request, len(sent))
	for i, r := range sent {
		var e ExplainedRequest
		var err error
		if read[i], e, err = explainRequest(c, v.Reference(c.Name), r); err != nil {
			if !showSensitive {
				err = runtimeVersion(v).Discreet(err)
			}
			e.Refused = err.Error()
		}
		out.Requests = append(out.Requests, e)
	}
	if len(read) == 2 && !slices.Contains(read, nil) {
		same := out.Requests[0].SHA256 == out.Requests[1].SHA256
		out.Same = &same
	}
	if !showSensitive {
		for i := range out.Requests {
			out.Requests[i].mask(v)
		}
	}
	if out.Same != nil {
		out.Differ = differences(v, read, out.Requests, showSensitive)
	}
	return out
}

// mask hides what is sensitive.
func (e *ExplainedRequest) mask(v *contract.Version) {
	if e.Canonical, e.Masked = masked(v, e.Canonical); e.Masked {
		e.SHA256 = ""
	}
}

func explainUnique(c *contract.Contract, sent []sentRequest) *ExplainedUnique {
	v := &c.Unique.Version
	out := &ExplainedUnique{ID: string(v.ID)}
	for _, r := range sent {
		_, e, err := explainRequest(c, v.Reference(c.Unique.DigestName(c.Name)), r)
		if err != nil {
			e.Refused = runtimeVersion(&c.Version).Discreet(err).Error()
		}
		out.Requests = append(out.Requests, e)
	}
	if len(sent) == 2 && out.Requests[0].Refused == "" && out.Requests[1].Refused == "" {
		same := out.Requests[0].SHA256 == out.Requests[1].SHA256
		out.Same = &same
	}
	return out
}

// read gives the request as the runtime reads it. It may be read again.
func (r sentRequest) read(c *contract.Contract) (*canon.Request, error) {
	body, _ := io.ReadAll(r.Body) // from memory
	r.Body = io.NopCloser(bytes.NewReader(body))
	request, err := idem.NewRequest(r.Request, c.Path, mostExplained)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.View = r.view
	return request, nil
}

func explainRequest(c *contract.Contract, reference *canon.Contract, r sentRequest) (*canon.Request, ExplainedRequest, error) {
	request, err := r.read(c)
	if err != nil {
		return nil, ExplainedRequest{}, err
	}
	text, err := reference.Canonical(request)
	if err != nil {
		return nil, ExplainedRequest{}, err
	}
	digest, err := reference.Digest(request)
	if err != nil {
		return nil, ExplainedRequest{}, err
	}
	return request, ExplainedRequest{Canonical: string(text), SHA256: hex.EncodeToString(digest[:])}, nil
}
