package idem

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
)

// sealHeader is where a record keeps its sealed headers, and says with it that its body is sealed as well. It is no header name
// (RFC 9110 section 5.6.2), so that no response can bring it along.
const sealHeader = ":sealed"

// sealResponse gives what a record keeps of a response, whose status stays in clear. The header line is text, since not every
// store keeps other bytes there.
func (s seals) sealResponse(ctx context.Context, at place, c Completion) (Completion, error) {
	if s.sealer == nil {
		return c, nil
	}
	header, err := s.enclose(ctx, at, responsePart(partHeader, c.Response.Status), appendHeader(nil, c.Response.Header))
	if err != nil {
		return c, err
	}
	plain := c.Response.Body
	c.Response.Header = http.Header{sealHeader: {base64.StdEncoding.EncodeToString(header)}}
	if c.NotKept {
		return c, nil
	}
	c.Response.Body, err = s.enclose(ctx, at, responsePart(partBody, c.Response.Status), plain)
	return c, err
}

// openResponse undoes sealResponse. Errors wrap errUnopened.
func (s seals) openResponse(ctx context.Context, at place, prior *Prior) (Response, error) {
	r := prior.Response
	lines, sealed := r.Header[sealHeader]
	if !sealed {
		return r, nil
	}
	if len(lines) != 1 {
		return Response{}, fmt.Errorf("%w: %s: it is damaged", errUnopened, partHeader)
	}
	line, err := base64.StdEncoding.DecodeString(lines[0])
	if err != nil {
		return Response{}, fmt.Errorf("%w: %s: %w", errUnopened, partHeader, err)
	}
	text, err := s.disclose(ctx, at, responsePart(partHeader, r.Status), line)
	if err != nil {
		return Response{}, err
	}
	header := sizedReader{rest: text}
	if r.Header = header.header(); header.bad {
		return Response{}, fmt.Errorf("%w: %s: it is of a newer format", errUnopened, partHeader)
	}
	if prior.NotKept {
		return r, nil
	}
	if r.Body, err = s.disclose(ctx, at, responsePart(partBody, r.Status), r.Body); err != nil {
		return Response{}, err
	}
	return r, nil
}

// responsePart binds a part to the status beside it.
func responsePart(part string, status int) string { return part + " of " + strconv.Itoa(status) }
