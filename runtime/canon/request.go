package canon

// Request is what of an HTTP request a fingerprint can be made of, as it entered.
// A scanner reads it and never changes it.
type Request struct {
	// Body is the request body after Content-Encoding was undone. Length 0 means that the request has no body.
	Body []byte
	// View is what a view of the program made of Body, where the operation has one: JSON text, which counts in place of the body
	// (Scanner.OpenView). Elsewhere nothing reads it.
	View []byte
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
