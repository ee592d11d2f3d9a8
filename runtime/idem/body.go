package idem

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

var (
	errTooLarge = errors.New("idem: the request body is too large")
	errEncoding = errors.New("idem: the Content-Encoding is not supported")
)

// readBody reads all of a request body, at most limit bytes.
func readBody(body io.Reader, limit int64) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	raw, err := io.ReadAll(io.LimitReader(body, limit+1))
	return raw, bodyError(len(raw), limit, err)
}

// bodyError says what the end of reading means.
func bodyError(size int, limit int64, err error) error {
	if int64(size) > limit {
		return errTooLarge
	}
	if err == nil {
		return nil
	}
	var outer *http.MaxBytesError
	if errors.As(err, &outer) {
		return errTooLarge
	}
	return fmt.Errorf("idem: read request body: %w", err)
}

// decodeBody undoes Content-Encoding. An empty body has none, whatever its header says.
func decodeBody(raw []byte, header http.Header, limit int64) ([]byte, error) {
	coding := strings.ToLower(strings.Join(header.Values("Content-Encoding"), ","))
	switch strings.Trim(coding, " \t") {
	case "", "identity":
		return raw, nil
	case "gzip", "x-gzip": // RFC 9110 section 8.4.1.3: recipients treat them alike
		if len(raw) == 0 {
			return raw, nil
		}
		return gunzip(raw, limit)
	default:
		return nil, errEncoding
	}
}

func gunzip(raw []byte, limit int64) ([]byte, error) {
	malformed := &canon.Refusal{Place: "body", Offset: -1, Reason: "it is no whole gzip stream"}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, malformed
	}
	decoded, err := io.ReadAll(io.LimitReader(z, limit+1))
	if int64(len(decoded)) > limit {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, malformed
	}
	return decoded, nil
}

// NewRequest reads r as the handler of an operation with this path template does: the body without its Content-Encoding, of at most limit
// bytes before and after, and the values that the end of r's path has for the template's parameters. It is for tools that look at
// fingerprints; handlers and the middleware read requests by themselves. template is empty for a received webhook.
//
// An error is a *canon.Refusal, or says which limit or coding the body has, or is ErrNotBound when the path is another operation's.
func NewRequest(r *http.Request, template string, limit int64) (*canon.Request, error) {
	var path []string
	if template != "" {
		t, err := parseTemplate(template)
		if err != nil {
			return nil, fmt.Errorf("idem: path template %q: %w", template, err)
		}
		var ok bool
		if path, ok = t.matchSuffix(r.URL.EscapedPath()); !ok || len(t.names) == 0 && !strings.HasSuffix(r.URL.Path, template) {
			return nil, fmt.Errorf("%w: the path %s does not end in %s", ErrNotBound, r.URL.EscapedPath(), template)
		}
	}
	raw, err := readBody(r.Body, limit)
	if err == nil {
		raw, err = decodeBody(raw, r.Header, limit)
	}
	if err != nil {
		return nil, err
	}
	return newRequest(raw, r.Header, r.URL.RawQuery, path), nil
}

// newRequest makes what a fingerprint can be made of. header is as it entered.
func newRequest(body []byte, header http.Header, query string, path []string) *canon.Request {
	return &canon.Request{
		Body: body, ContentType: header.Get("Content-Type"), Query: query, Header: header, Path: path,
	}
}
