package canon

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const refLargest = 128 << 20

// bodyTree makes the body a tree, nil when there is none. Every kind of body becomes one here, so what follows knows no media types.
func (c *Contract) bodyTree(r *Request) (*refValue, *Refusal) {
	if len(r.Body) == 0 {
		if c.BodyRequired {
			return nil, refRefuse("body", -1, "a body is required")
		}
		return nil, nil
	}
	parts := refParameters(r.ContentType)
	media := c.media(refLower(strings.Trim(parts[0], " \t")))
	switch {
	case len(c.Accepts) == 0:
		return nil, refRefuse("header.content-type", -1, "the operation takes no body")
	case media != NoBody && media != Octets && !refUTF8(parts[1:]):
		return nil, refRefuse("header.content-type", -1, "the charset is not UTF-8")
	case media != NoBody && len(r.Body) > refLargest:
		return nil, refRefuse("body", -1, "a body of more than 128 MiB")
	}
	if c.View != "" && media != NoBody {
		return refView(r.View)
	}
	switch media {
	case JSON:
		return refReadJSON(r.Body), nil
	case Form:
		return refReadForm(string(r.Body))
	case Multipart:
		return refReadMultipart(string(r.Body), c.Parts, parts[1:])
	case Text:
		if !utf8.Valid(r.Body) {
			return nil, refRefuse("body", -1, "invalid UTF-8")
		}
		return refPiece{text: string(r.Body)}.value("body", 0)
	case Octets:
		return refPiece{text: string(r.Body), kind: FilePart}.value("body", 0)
	case NoBody:
	}
	return nil, refRefuse("header.content-type", -1, "the media type is not accepted")
}

// refView makes what a view gave a tree.
func refView(text []byte) (*refValue, *Refusal) {
	switch {
	case len(text) == 0:
		return nil, refRefuse("body", -1, "its view gives nothing")
	case len(text) > refLargest:
		return nil, refRefuse("body", -1, "its view gives more than 128 MiB")
	}
	return refReadJSON(text), nil
}

var (
	refMediaType = regexp.MustCompile("^([a-z0-9!#$%&'*+.^_`|~-]+)/([a-z0-9!#$%&'*+.^_`|~-]+)$")
	refJSONType  = regexp.MustCompile(`^application/json$|^[^/]+/.+\+json$`) // of what is a media type
)

// media finds the accepted kind that a media type in lower case names; the narrowest comes first. Without one the body is of the accepted
// kind when there is only one.
func (c *Contract) media(mediaType string) Media {
	if mediaType == "" && len(c.Accepts) == 1 {
		return c.Accepts[0]
	}
	parts := refMediaType.FindStringSubmatch(mediaType)
	if parts == nil {
		return NoBody
	}
	declared := slices.ContainsFunc(c.Types, func(declared string) bool {
		kind, subtype, _ := strings.Cut(refLower(declared), "/")
		return (kind == "*" || kind == parts[1]) && (subtype == "*" || subtype == parts[2])
	})
	for _, is := range []struct {
		media Media
		named bool
	}{
		{JSON, refJSONType.MatchString(mediaType)},
		{Form, mediaType == "application/x-www-form-urlencoded"},
		{Multipart, mediaType == "multipart/form-data"},
		{Text, mediaType == "text/plain"},
		{Octets, declared},
		{Text, declared},
	} {
		if is.named && slices.Contains(c.Accepts, is.media) {
			return is.media
		}
	}
	return NoBody
}

// refUTF8 looks for a charset among the parameters of a media type.
func refUTF8(parameters []string) bool {
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		if refLower(strings.Trim(name, " \t")) == "charset" && refLower(strings.Trim(value, " \t\"")) != "utf-8" {
			return false
		}
	}
	return true
}

func refLower(text string) string {
	return strings.Map(func(r rune) rune { return refShift(r, 'A', 'a') }, text)
}

// refParameters splits a Content-Type at its semicolons, those in the quoted strings of parameters apart.
func refParameters(contentType string) []string {
	mediaType, rest, more := strings.Cut(contentType, ";")
	parts := []string{mediaType}
	quoted, escaped, part := false, false, ""
	for _, c := range rest {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ';' && !quoted:
			parts, part = append(parts, part), ""
			continue
		}
		part += string(c)
	}
	if more {
		parts = append(parts, part)
	}
	return parts
}
