package canon

import (
	"regexp"
	"slices"
	"strings"
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
	media, reason := c.media(r.ContentType)
	switch {
	case reason != "":
		return nil, refRefuse("header.content-type", -1, reason)
	case len(r.Body) > refLargest:
		return nil, refRefuse("body", -1, "a body of more than 128 MiB")
	case media == JSON:
		return refReadJSON(r.Body), nil
	}
	return nil, refRefuse("header.content-type", -1, "the media type is not accepted")
}

// refJSONType matches a media type in lower case.
var refJSONType = regexp.MustCompile("^(application/json|[a-z0-9!#$%&'*+.^_`|~-]+/[a-z0-9!#$%&'*+.^_`|~-]+\\+json)$")

// media finds the accepted kind that a Content-Type names. Without one the body is of the accepted kind when there is only one.
func (c *Contract) media(contentType string) (Media, string) {
	if len(c.Accepts) == 0 {
		return NoBody, "the operation takes no body"
	}
	parts := refParameters(contentType)
	media := NoBody
	switch mediaType := refLower(strings.Trim(parts[0], " \t")); {
	case mediaType == "" && len(c.Accepts) == 1:
		media = c.Accepts[0]
	case refJSONType.MatchString(mediaType) && slices.Contains(c.Accepts, JSON):
		media = JSON
	default:
		return NoBody, "the media type is not accepted"
	}
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, "=")
		if refLower(strings.Trim(name, " \t")) == "charset" && refLower(strings.Trim(value, " \t\"")) != "utf-8" {
			return NoBody, "the charset is not UTF-8"
		}
	}
	return media, ""
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
