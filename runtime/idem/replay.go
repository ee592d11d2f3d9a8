package idem

import (
	"net/http"
	"slices"
	"strings"
)

// alwaysStored are the headers without which the stored bytes cannot be read.
var alwaysStored = [...]string{"Content-Type", contentEncoding, "Content-Language"}

const contentEncoding = "Content-Encoding"

// neverReplayed reports whether a header must not be kept: it belongs to one connection (RFC 9110 section 7.6.1), to the
// framing of one message, to one moment, or to one caller.
func neverReplayed(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
		"Content-Length", "Content-Range", "Date",
		"Set-Cookie", "Set-Cookie2", "Clear-Site-Data",
		"Www-Authenticate", "Proxy-Authenticate", "Authorization", "Proxy-Authorization",
		"Authentication-Info", "Proxy-Authentication-Info":
		return true
	}
	return false
}

// stored reports whether a record of op keeps the header, whose name is canonical.
func (op *Operation) stored(name string) bool {
	if neverReplayed(name) {
		return false
	}
	return slices.Contains(alwaysStored[:], name) || slices.Contains(op.ReplayHeaders, name)
}

// keep gives what a record keeps of a response: an allow-list of header lines and the exact bytes.
func (op *Operation) keep(r Response) Response {
	kept := Response{Status: r.Status, Header: http.Header{}}
	for name, lines := range r.Header {
		if canonical := http.CanonicalHeaderKey(name); op.stored(canonical) && len(lines) > 0 {
			kept.Header[canonical] = append(kept.Header[canonical], lines...)
		}
	}
	if bodyAllowed(r.Status) {
		kept.Body = r.Body
	}
	return kept
}

// A replay whose body was too large to be stored says so.
const (
	notKeptHeader = "Idempotency-Response"
	notKeptValue  = "not-kept"
)

// replayed puts a stored response over the headers that stand there already, and marks it. Without its body it has no coding either:
// nothing at all is no gzip stream. A coding that stands there already is that of an outer layer, which encodes what is sent now.
func (op *Operation) replayed(standing http.Header, stored Response, notKept bool) Response {
	h := standing.Clone()
	if h == nil {
		h = http.Header{}
	}
	for name := range h {
		if op.stored(name) && name != contentEncoding || name == "Content-Length" {
			delete(h, name)
		}
	}
	for name, lines := range stored.Header {
		canonical := http.CanonicalHeaderKey(name)
		if neverReplayed(canonical) || notKept && canonical == contentEncoding {
			continue
		}
		h[canonical] = slices.Clone(lines)
	}
	h[op.ReplayMarker] = []string{"true"}
	exposeHeader(h, op.ReplayMarker)
	if notKept {
		h.Set(notKeptHeader, notKeptValue)
		exposeHeader(h, notKeptHeader)
	}
	return Response{Status: stored.Status, Header: h, Body: stored.Body}
}

// exposeHeader lets a browser's script read the header where the answer is a cross-origin one (Fetch, section 3.3.5).
func exposeHeader(h http.Header, name string) {
	if h.Get("Access-Control-Allow-Origin") == "" {
		return
	}
	const expose = "Access-Control-Expose-Headers"
	for _, line := range h[expose] {
		for token := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(token), name) {
				return
			}
		}
	}
	h.Add(expose, name)
}

// bodyAllowed says which statuses can have content (RFC 9110 section 6.4.1).
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}
