package canon

import "strconv"

// Request is what of an HTTP request a fingerprint can be made of, as it entered.
// A scanner reads it and never changes it.
type Request struct {
	// Body is the request body after Content-Encoding was undone. Length 0 means that the request has no body.
	Body []byte
	// ContentType is the whole Content-Type header value.
	ContentType string
	// Query is the raw query without the question mark.
	Query string
	// Header holds the header lines under their canonical MIME names, as net/http does.
	Header map[string][]string
	// Path holds the decoded values of the path parameters in the order of the operation's template.
	Path []string
}

// Digest is the SHA-256 that FINGERPRINT section 1 defines, prefix included.
type Digest [32]byte

// ContractID names what decides a hash: 16 lower-case hexadecimal digits.
type ContractID string

// Refusal says why a request has no canonical form, and where. It never carries a value of the request.
type Refusal struct {
	// Place is a field place for people: a JSON pointer below "body" ("body", "body/lines/3/sku"), or "query.expand", "path.id", "header.x".
	Place string
	// Offset is the byte offset in the body, or -1 outside of it.
	Offset int
	// Reason is one lower-case sentence without a full stop.
	Reason string
}

// Error gives the place, the offset and the reason on one line.
func (r *Refusal) Error() string {
	if r.Offset < 0 {
		return r.Place + ": " + r.Reason
	}
	return r.Place + " (byte " + strconv.Itoa(r.Offset) + "): " + r.Reason
}
