package canon

import (
	"bytes"
	"strings"
)

// maxParts is how many parts a multipart body may have.
const maxParts = 1000

// maxBoundary is the longest boundary of RFC 2046 section 5.1.1.
const maxBoundary = 70

const (
	reasonNoBoundary = "a multipart body without a boundary of 1 to 70 characters"
	reasonBoundary   = "a boundary is expected"
	reasonBadLine    = "a boundary with something after it"
	reasonEpilogue   = "data after the last boundary"
	reasonParts      = "more than 1000 parts"
)

// readMultipart finds the pairs of a multipart/form-data body (RFC 7578). It takes what clients send and nothing looser, so that no other
// reader of multipart bodies sees other parts: lines end with CR LF, no header line is folded, nothing stands before the first boundary but
// one line end, and nothing after the last.
func (s *Scanner) readMultipart(body []byte, listed []Part, parameters string) {
	mark := len(s.text)
	defer func() { s.text = s.text[:mark] }()
	s.text = append(s.text, "\r\n--"...)
	if !s.boundary(parameters) {
		s.refuse(refused{place: contentTypePlace, offset: -1, reason: reasonNoBoundary})
		return
	}
	delimiter := s.text[mark:]
	var pos int
	switch {
	case bytes.HasPrefix(body, delimiter):
		pos = len(delimiter)
	case bytes.HasPrefix(body, delimiter[2:]):
		pos = len(delimiter) - 2
	default:
		s.refusePart(0, reasonBoundary)
		return
	}
	for parts := 0; ; parts++ {
		end, last := s.boundaryLine(body, pos)
		if last || s.refused.set {
			return
		}
		if parts == maxParts {
			s.refusePart(end, reasonParts)
			return
		}
		if pos = s.readPart(body, listed, delimiter, end); s.refused.set {
			return
		}
	}
}

// boundary appends the boundary that the body's Content-Type names to the text stack. A parameter that others might read otherwise is none:
// one that is malformed, and an extended or continued boundary (RFC 2231).
func (s *Scanner) boundary(parameters string) bool {
	parameters = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(parameters, " \t"), ";"), " \t") // one semicolon may end them
	if strings.HasSuffix(parameters, ";") {
		return false
	}
	found := false
	for parameters != "" {
		var parameter string
		parameter, parameters = cutParameter(parameters)
		name, value, _ := strings.Cut(parameter, "=")
		name, value = strings.Trim(name, " \t"), strings.Trim(value, " \t")
		switch {
		case !isToken(name) || !isToken(value) && !isQuoted(value), len(name) > 8 && equalASCII(name[:9], "boundary*"):
			return false
		case !equalASCII(name, "boundary"):
		case found || !s.addBoundary(value):
			return false
		default:
			found = true
		}
	}
	return found
}

// isQuoted reports whether text is a quoted string as a whole.
func isQuoted(text string) bool {
	n := len(text)
	if n < 2 || text[0] != '"' {
		return false
	}
	for i := 1; i < n; i++ {
		switch c := text[i]; {
		case c < ' ' && c != '\t' || c == 0x7F:
			return false
		case c == '"':
			return i == n-1
		case c == '\\' && i+1 < n && text[i+1] >= ' ' && text[i+1] != 0x7F:
			i++
		}
	}
	return false
}

// addBoundary appends a boundary of RFC 2046 section 5.1.1, and what tokens may have beside it.
func (s *Scanner) addBoundary(value string) bool {
	if value[0] == '"' {
		value = value[1 : len(value)-1]
	}
	if len(value) == 0 || len(value) > maxBoundary || value[len(value)-1] == ' ' {
		return false
	}
	for i := range len(value) {
		if c := value[i]; c|0x20-'a' >= 26 && c-'0' >= 10 && strings.IndexByte("'()+_,-./:=? ", c) < 0 && !isTokenByte(c) {
			return false
		}
	}
	s.text = append(s.text, value...)
	return true
}

func isTokenByte(c byte) bool { return strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0 }

// boundaryLine reads what follows a boundary at pos: the end of its line, or what makes it the last one.
func (s *Scanner) boundaryLine(body []byte, pos int) (end int, last bool) {
	at := pos
	last = bytes.HasPrefix(body[pos:], []byte("--"))
	if last {
		pos += 2
	}
	for pos < len(body) && (body[pos] == ' ' || body[pos] == '\t') {
		pos++
	}
	lineEnd := bytes.HasPrefix(body[pos:], []byte("\r\n"))
	switch {
	case lineEnd && last && pos+2 < len(body):
		s.refusePart(pos+2, reasonEpilogue)
	case lineEnd, last && pos == len(body):
	default:
		s.refusePart(at, reasonBadLine)
	}
	return pos + 2, last
}

// readPart reads the part at pos, and gives where the line of the boundary goes on that ends it.
func (s *Scanner) readPart(body []byte, listed []Part, delimiter []byte, pos int) int {
	mark := len(s.text)
	defer func() { s.text = s.text[:mark] }()
	start := s.readHead(body, delimiter, pos)
	if s.refused.set {
		return 0
	}
	content, next := start, start+len(delimiter)-2
	if !bytes.HasPrefix(body[start:], delimiter[2:]) { // else a part without content, whose boundary stands after its blank line
		size := bytes.Index(body[start:], delimiter)
		if size < 0 {
			s.refuse(refused{place: "body", offset: len(body), reason: reasonEnd})
			return 0
		}
		content, next = start+size, start+size+len(delimiter)
	}
	p := pair{value: uint32(start), valueEnd: uint32(content)}
	s.addPart(p, listed, pos)
	return next
}

// addPart adds a part under its name, by its kind.
func (s *Scanner) addPart(p pair, listed []Part, offset int) {
	h := &s.form.part
	p.kind = h.kind(listed)
	if s.form.use == forLookup {
		p.kind = h.lookupKind(s.form.path)
	}
	if p.kind != fileContent && p.kind != unread && h.charset != "" {
		s.refusePart(offset, h.charset)
		return
	}
	s.addPair(h.name, p, offset)
}

func (s *Scanner) refusePart(offset int, reason string) {
	s.refuse(refused{place: "body", offset: offset, reason: reason})
}
