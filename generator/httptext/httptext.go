package httptext

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Request is a request as it was written down.
type Request struct {
	Method string
	// Path is the URL's path as it was escaped, and Query what stands after the question mark.
	Path, Query string
	Header      http.Header
	Body        []byte
}

// ReadFunc gives the content of a file that a curl command names.
type ReadFunc func(file string) ([]byte, error)

// Parse reads one request. An error says what is wrong with the text, at its line where there is one.
func Parse(text []byte, read ReadFunc) (*Request, error) {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	start := bytes.TrimLeft(text, " \t\r\n")
	if len(start) == 0 {
		return nil, errors.New("the text is empty")
	}
	if command, ok := curlCommand(string(start)); ok {
		r, err := parseCurl(command, read)
		if err != nil {
			return nil, fmt.Errorf("curl: %w", err)
		}
		return r, nil
	}
	return parseWire(text)
}

// curlCommand recognises a command line, also behind a prompt.
func curlCommand(text string) (string, bool) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "$ "))
	name, _, _ := strings.Cut(strings.ReplaceAll(text, "\n", " "), " ")
	return text, name == "curl" || name == "curl.exe"
}

// target takes a URL apart, or a path with a query. A host without a scheme is one for curl alone.
func (r *Request) target(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("the URL %q cannot be read", text)
	}
	if u.Opaque != "" || u.Host == "" && !strings.HasPrefix(u.Path, "/") {
		return fmt.Errorf("%q is neither a URL nor a path", text)
	}
	r.Path, r.Query = u.EscapedPath(), u.RawQuery
	if r.Path == "" {
		r.Path = "/"
	}
	return nil
}

// header adds a line "name: value".
func (r *Request) header(line string) error {
	name, value, ok := strings.Cut(line, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return fmt.Errorf("%q is no header", line)
	}
	r.Header.Add(name, strings.TrimSpace(value))
	return nil
}
