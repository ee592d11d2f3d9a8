package canon

import "strings"

const contentTypePlace = "header.content-type"

// Body finds out which of the accepted kinds the request's body is and opens the member "body". It knows JSON alone; OpenBody knows all.
// NoBody means an absent body, or a refusal that sticks: required but absent, or a content type that is not accepted.
//
// A body without a Content-Type is taken for the accepted kind when there is exactly one: RFC 9110 section 8.3 leaves that to the
// recipient, and the handler's decoder will do the same. When no kind is accepted, every body is refused.
// A charset other than UTF-8 is refused; other parameters of the media type do not count.
func (s *Scanner) Body(required bool, accepted ...Media) Media {
	if s.refused.set {
		return NoBody
	}
	if len(s.req.Body) == 0 {
		if required {
			s.refuse(refused{place: "body", offset: -1, reason: "a body is required"})
		}
		return NoBody
	}
	media, reason := mediaOf(s.req.ContentType, accepted)
	switch {
	case reason != "":
		s.refuse(refused{place: contentTypePlace, offset: -1, reason: reason})
		return NoBody
	case len(s.req.Body) > maxBody:
		s.refuse(refused{place: "body", offset: -1, reason: reasonLarge})
		return NoBody
	}
	s.open(s.req.Body)
	if s.refused.set {
		return NoBody
	}
	s.reserve(len(s.data))
	s.out = append(s.out, `,"body":`...)
	return media
}

// open makes a JSON text the input.
func (s *Scanner) open(text []byte) {
	s.data, s.pos = text, 0
	s.inBody = true
	if len(s.data) >= 3 && string(s.data[:3]) == "\ufeff" {
		s.refuseAt(0, "a byte order mark")
		return
	}
	s.pos = skipSpace(s.data, 0)
}

// reserve makes room for the canonical text of a large body at once, instead of growing and copying it several times.
func (s *Scanner) reserve(body int) {
	if body > maxKept && cap(s.out) < body {
		s.out = append(make([]byte, 0, body+body/16), s.out...)
	}
}

// mediaOf finds the kind that a Content-Type names among the accepted ones.
func mediaOf(contentType string, accepted []Media) (Media, string) {
	if len(accepted) == 0 {
		return NoBody, "the operation takes no body"
	}
	if contentType == "application/json" && len(accepted) == 1 && accepted[0] == JSON {
		return JSON, "" // by far the most frequent spelling
	}
	mediaType, parameters, _ := strings.Cut(contentType, ";")
	mediaType = strings.Trim(mediaType, " \t")
	for _, media := range accepted {
		if media == JSON && (isJSON(mediaType) || mediaType == "" && len(accepted) == 1) {
			return JSON, charsetFault(parameters)
		}
	}
	return NoBody, "the media type is not accepted"
}

func isJSON(mediaType string) bool {
	if equalASCII(mediaType, "application/json") {
		return true
	}
	kind, subtype, ok := strings.Cut(mediaType, "/")
	suffix := len(subtype) - len("+json")
	return ok && isToken(kind) && isToken(subtype) && suffix > 0 && equalASCII(subtype[suffix:], "+json")
}

// equalASCII compares without the case of ASCII letters. Unicode's folding takes other letters for them: U+017F is an s to it.
func equalASCII(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if foldByte(a[i]) != foldByte(b[i]) {
			return false
		}
	}
	return true
}

// isToken follows RFC 9110 section 5.6.2.
func isToken(text string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c|0x20-'a' >= 26 && c-'0' >= 10 && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return text != ""
}

// charsetFault looks for a charset among a media type's parameters.
func charsetFault(parameters string) string {
	for parameters != "" {
		var parameter string
		parameter, parameters = cutParameter(parameters)
		name, value, _ := strings.Cut(parameter, "=")
		if equalASCII(strings.Trim(name, " \t"), "charset") &&
			!equalASCII(strings.Trim(value, " \t\""), "utf-8") {
			return "the charset is not UTF-8"
		}
	}
	return ""
}

// cutParameter splits at the first semicolon that stands in no quoted string.
func cutParameter(parameters string) (parameter, rest string) {
	quoted := false
	for i := 0; i < len(parameters); i++ {
		switch c := parameters[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ';' && !quoted:
			return parameters[:i], parameters[i+1:]
		}
	}
	return parameters, ""
}
