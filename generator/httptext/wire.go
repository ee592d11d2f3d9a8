package httptext

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// method is a token as HTTP's methods are written (RFC 9110 section 9.1, in upper case).
var method = regexp.MustCompile(`^[A-Z][A-Z-]*$`)

// parseWire reads a message as RFC 9112 section 2.1 has it, with the freedoms of .http files: comments before it, line breaks of either
// kind, no version behind the target, no Content-Length.
func parseWire(text []byte) (*Request, error) {
	p := wireParser{rest: text}
	r := &Request{Header: http.Header{}}
	if err := p.start(r); err != nil {
		return nil, err
	}
	for {
		line, ok := p.next()
		if !ok || line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			return nil, p.wrong("a header's line is continued, which RFC 9112 section 5.2 forbids")
		}
		if err := r.header(line); err != nil {
			return nil, p.wrong(err.Error())
		}
	}
	if r.Header.Get("Transfer-Encoding") != "" {
		return nil, errors.New("a body with Transfer-Encoding is not read: give it as it is when it has arrived")
	}
	return r, p.body(r)
}

type wireParser struct {
	rest []byte
	line int
}

func (p *wireParser) wrong(message string) error { return fmt.Errorf("line %d: %s", p.line, message) }

// next takes a line, without its break.
func (p *wireParser) next() (string, bool) {
	if len(p.rest) == 0 {
		return "", false
	}
	p.line++
	line, rest, _ := bytes.Cut(p.rest, []byte("\n"))
	p.rest = rest
	return string(bytes.TrimSuffix(line, []byte("\r"))), true
}

// start takes comments and the request line.
func (p *wireParser) start(r *Request) error {
	for {
		line, ok := p.next()
		line = strings.TrimSpace(line)
		switch {
		case !ok:
			return errors.New("there is no request line")
		case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//"):
			continue
		}
		words := strings.Fields(line)
		switch {
		case !method.MatchString(words[0]) || len(words) < 2:
			return p.wrong("a request begins with a method and a target: POST /payments HTTP/1.1")
		case len(words) > 3 || len(words) == 3 && !strings.HasPrefix(words[2], "HTTP/"):
			return p.wrong("a target has no blanks, and only an HTTP version stands behind it")
		}
		r.Method = words[0]
		if err := r.target(words[1]); err != nil {
			return p.wrong(err.Error())
		}
		return nil
	}
}

// nextRequest is how .http files part requests.
var nextRequest = regexp.MustCompile(`(?m)^###.*$`)

// body takes what is left: as much as Content-Length says, or all but the line break at the file's end.
func (p *wireParser) body(r *Request) error {
	if text := r.Header.Get("Content-Length"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > len(p.rest) {
			return fmt.Errorf("Content-Length is %s and the body has %d bytes", text, len(p.rest))
		}
		r.Body = p.rest[:n]
		return nil
	}
	if nextRequest.Match(p.rest) {
		return errors.New("the text holds several requests: give one")
	}
	r.Body = bytes.TrimSuffix(bytes.TrimSuffix(p.rest, []byte("\n")), []byte("\r"))
	return nil
}
