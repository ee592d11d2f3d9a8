package idem

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// template is a compiled path template. http.ServeMux refuses `{id}.json`, `{id}:capture`, `{payment-id}` and pairs such as
// `/a/{x}/b` with `/a/c/{y}`, all of which OpenAPI allows.
type template struct {
	segments []segment
	names    []string // the parameters in their order
}

// segment is what stands between two slashes: literals and parameters in turn, beginning and ending with a literal, which
// may be empty. A segment without parameters has one literal, kept decoded.
type segment struct {
	literals []string
}

func (s *segment) params() int { return len(s.literals) - 1 }

// parseTemplate compiles /accounts/{accountId}/payments/{id}:capture.
func parseTemplate(path string) (template, error) {
	rest, ok := strings.CutPrefix(path, "/")
	if !ok {
		return template{}, errors.New("a path begins with a slash")
	}
	var t template
	for text := range strings.SplitSeq(rest, "/") {
		s, names, err := parseSegment(text)
		if err != nil {
			return template{}, err
		}
		t.segments = append(t.segments, s)
		t.names = append(t.names, names...)
	}
	return t, nil
}

func parseSegment(text string) (segment, []string, error) {
	var s segment
	var names []string
	for {
		literal, rest, open := strings.Cut(text, "{")
		if strings.Contains(literal, "}") {
			return segment{}, nil, fmt.Errorf("%q has a brace that was not opened", text)
		}
		s.literals = append(s.literals, literal)
		if !open {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || name == "" || strings.Contains(name, "{") {
			return segment{}, nil, fmt.Errorf("%q has a parameter that is not closed or has no name", text)
		}
		if len(names) > 0 && literal == "" {
			return segment{}, nil, fmt.Errorf("%q has two parameters with nothing between them", text)
		}
		names = append(names, name)
		text = after
	}
	if len(names) == 0 {
		s.literals[0] = decodeOr(s.literals[0])
	}
	return s, names, nil
}

// decodeOr undoes percent escapes where they are well formed.
func decodeOr(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}

// split gives the segments of an escaped path, which begins with a slash or is empty.
func split(escapedPath string) []string {
	return strings.Split(strings.TrimPrefix(escapedPath, "/"), "/")
}

// match reads a whole path, given as its escaped segments.
func (t *template) match(segments []string) ([]string, bool) {
	if len(segments) != len(t.segments) {
		return nil, false
	}
	values := make([]string, 0, len(t.names))
	for i := range segments {
		var ok bool
		if values, ok = t.segments[i].match(values, segments[i]); !ok {
			return nil, false
		}
	}
	return values, true
}

// matchSuffix reads the end of a path, so that a handler works below any prefix. A template without parameters has nothing
// to read and always matches.
func (t *template) matchSuffix(escapedPath string) ([]string, bool) {
	if len(t.names) == 0 {
		return nil, true
	}
	segments := split(escapedPath)
	if len(segments) < len(t.segments) {
		return nil, false
	}
	return t.match(segments[len(segments)-len(t.segments):])
}

// match appends the decoded values of the parameters. Escapes are undone value by value, after the path was cut: a value may
// hold a slash, a colon or a dot that is escaped. A parameter takes at least one character and otherwise as few as it can.
func (s *segment) match(values []string, text string) ([]string, bool) {
	if s.params() == 0 {
		return values, decodeOr(text) == s.literals[0]
	}
	text, ok := strings.CutPrefix(text, s.literals[0])
	if !ok {
		return nil, false
	}
	for i, literal := range s.literals[1:] {
		end := s.end(text, literal, i == s.params()-1)
		if end < 1 {
			return nil, false
		}
		value, err := url.PathUnescape(text[:end])
		if err != nil {
			return nil, false
		}
		values = append(values, value)
		text = text[end+len(literal):]
	}
	return values, true
}

// end finds where a parameter ends: before the literal that follows it, or before the one that ends the segment.
func (s *segment) end(text, literal string, last bool) int {
	if last {
		if !strings.HasSuffix(text, literal) {
			return -1
		}
		return len(text) - len(literal)
	}
	if text == "" {
		return -1
	}
	at := strings.Index(text[1:], literal)
	return at + 1 // 0 when it is missing
}

// moreLiteral reports whether t is the narrower of two templates that match one path: at the first segment where they
// differ in kind, a literal wins over a mixture and a mixture over a bare parameter.
func (t *template) moreLiteral(other *template) bool {
	for i := range t.segments {
		if a, b := t.segments[i].width(), other.segments[i].width(); a != b {
			return a < b
		}
	}
	return false
}

func (s *segment) width() int {
	if s.params() == 0 {
		return 0
	}
	for _, literal := range s.literals {
		if literal != "" {
			return 1
		}
	}
	return 2
}
