package canon

import (
	"bytes"
	"strings"
)

// partHead is what the header of a part says.
type partHead struct {
	name     []byte // on the text stack
	filename bool
	isJSON   bool
	charset  string // what is wrong with it
	typed    bool   // there is a Content-Type
}

// maxParameters is how many parameters one header line of a part may have.
const maxParameters = 16

const (
	reasonHead        = "a header line of a part is malformed"
	reasonDisposition = "a part without one Content-Disposition: form-data with a name"
	reasonTwice       = "a header line of a part, or a parameter of it, stands there twice"
	reasonParameters  = "a parameter that is malformed, or extended in the name"
	reasonTransfer    = "a Content-Transfer-Encoding other than 7bit, 8bit and binary"
	reasonNested      = "a multipart body in a part"
)

// readHead reads the header of the part at pos into the scanner's part, and gives where its content begins. A line that begins like the
// boundary ends the part for readers that look for boundaries first.
func (s *Scanner) readHead(body, delimiter []byte, pos int) int {
	h := &s.form.part
	*h = partHead{}
	for {
		end := bytes.IndexByte(body[pos:], '\n') + pos
		if end < pos {
			s.refuse(refused{place: "body", offset: len(body), reason: reasonEnd})
			return 0
		}
		if end == pos || body[end-1] != '\r' || bytes.HasPrefix(body[pos:], delimiter[2:]) {
			s.refusePart(pos, reasonHead)
			return 0
		}
		line := body[pos : end-1]
		if len(line) == 0 {
			if h.name == nil {
				s.refusePart(pos, reasonDisposition)
			}
			return end + 1
		}
		if reason := s.readHeadLine(h, line); reason != "" {
			s.refusePart(pos, reason)
			return 0
		}
		pos = end + 1
	}
}

// readHeadLine reads one header line. Lines that say nothing about the content do not count, but they must be well formed.
func (s *Scanner) readHeadLine(h *partHead, line []byte) string {
	colon := bytes.IndexByte(line, ':')
	if colon < 1 || !isTokenText(line[:colon]) {
		return reasonHead
	}
	for _, c := range line {
		if c < ' ' && c != '\t' || c == 0x7F {
			return reasonHead
		}
	}
	name, value := line[:colon], trimSpaceTab(line[colon+1:])
	switch {
	case equalASCIIBytes(name, "content-disposition"):
		if h.name != nil {
			return reasonTwice
		}
		return s.readDisposition(h, value)
	case equalASCIIBytes(name, "content-type"):
		if h.typed {
			return reasonTwice
		}
		return h.readType(value)
	case equalASCIIBytes(name, "content-transfer-encoding"):
		if !equalASCIIBytes(value, "7bit") && !equalASCIIBytes(value, "8bit") && !equalASCIIBytes(value, "binary") {
			return reasonTransfer
		}
	}
	return ""
}

// readType reads a part's Content-Type.
func (h *partHead) readType(value []byte) string {
	h.typed = true
	text := string(value)
	mediaType, parameters, _ := strings.Cut(text, ";")
	mediaType = strings.Trim(mediaType, " \t")
	if kind, _, _ := strings.Cut(mediaType, "/"); equalASCII(kind, "multipart") {
		return reasonNested
	}
	h.isJSON = isJSON(mediaType)
	h.charset = charsetFault(parameters)
	return ""
}

// readDisposition reads a part's Content-Disposition (RFC 7578 section 4.2).
func (s *Scanner) readDisposition(h *partHead, value []byte) string {
	end := bytes.IndexByte(value, ';')
	if end < 0 || !equalASCIIBytes(trimSpaceTab(value[:end]), "form-data") {
		return reasonDisposition
	}
	var names [maxParameters][]byte
	rest := value[end:]
	for n := 0; len(rest) > 0; n++ {
		if n == maxParameters {
			return reasonParameters
		}
		var name, value []byte
		var ok bool
		if name, value, rest, ok = cutPartParameter(rest); !ok {
			return reasonParameters
		}
		names[n] = name
		for _, earlier := range names[:n] {
			if bytes.EqualFold(earlier, name) {
				return reasonTwice
			}
		}
		switch {
		case equalASCIIBytes(name, "name"):
			if h.name, ok = s.partName(value); !ok {
				return reasonParameters
			}
		case equalASCIIBytes(name, "filename"), len(name) > 8 && equalASCIIBytes(name[:9], "filename*"):
			h.filename = true
		case len(name) > 4 && equalASCIIBytes(name[:5], "name*"):
			return reasonParameters
		}
	}
	if len(h.name) == 0 {
		return reasonDisposition
	}
	return ""
}

// cutPartParameter reads `; name=value` and what follows. value has its quotes.
func cutPartParameter(text []byte) (name, value, rest []byte, ok bool) {
	if text[0] != ';' {
		return nil, nil, nil, false
	}
	text = trimSpaceTab(text[1:])
	equals := bytes.IndexByte(text, '=')
	if equals < 1 || !isTokenText(text[:equals]) {
		return nil, nil, nil, false
	}
	name, text = text[:equals], text[equals+1:]
	end := 0
	if len(text) > 0 && text[0] == '"' {
		for end = 1; end < len(text) && text[end] != '"'; end++ {
			if text[end] == '\\' {
				end++
			}
		}
		end++
		if end > len(text) {
			return nil, nil, nil, false
		}
	} else {
		for end < len(text) && text[end] != ';' && text[end] != ' ' && text[end] != '\t' {
			end++
		}
		if !isTokenText(text[:end]) {
			return nil, nil, nil, false
		}
	}
	return name, text[:end], trimSpaceTab(text[end:]), true
}

// partName puts the characters of a parameter's value onto the text stack. A backslash stands before a quote or a backslash only: what it
// means before others is not agreed upon.
func (s *Scanner) partName(value []byte) ([]byte, bool) {
	if value[0] != '"' {
		return value, true
	}
	start := len(s.text)
	value = value[1 : len(value)-1]
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' {
			i++
			if value[i] != '"' && value[i] != '\\' {
				return nil, false
			}
		}
		s.text = append(s.text, value[i])
	}
	return s.text[start:], true
}

// kind says how the part is read.
func (h *partHead) kind(listed []Part) pairKind {
	base, rest := splitName(h.name)
	for i := range listed {
		if string(base) != listed[i].Name {
			continue
		}
		if n := len(rest); n > 2 && !isIndex(rest[1:n-1]) {
			break // a member of it, in a form's spelling
		}
		switch listed[i].Kind {
		case JSONPart:
			return jsonText
		case FilePart:
			return fileContent
		case TextPart:
		}
	}
	return plainText
}

// lookupKind says how the part is read for a look-up, which knows no contract: what the part itself says, and that only JSON has members.
func (h *partHead) lookupKind(path []string) pairKind {
	base, rest := splitName(h.name)
	switch {
	case len(path) == 0 || string(base) != path[0]:
		return unread
	case len(rest) == 0 && (h.isJSON || len(path) > 1 && !h.filename):
		return jsonText
	case h.filename:
		return fileContent
	}
	return plainText
}

func isTokenText(text []byte) bool {
	for _, c := range text {
		if c|0x20-'a' >= 26 && c-'0' >= 10 && !isTokenByte(c) {
			return false
		}
	}
	return len(text) > 0
}

func equalASCIIBytes(a []byte, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if foldByte(c) != b[i] {
			return false
		}
	}
	return true
}
