package canon

import (
	"strings"
	"unicode/utf8"
)

// BodySpec is the static description of what an operation takes as its body, emitted by the generator. It is never changed after start.
type BodySpec struct {
	Required bool
	Accepts  []Media
	// Types are the media types of Octets, as the document declares them: "image/png", "image/*", "*/*". Where Octets is not accepted,
	// they are those of Text.
	Types []string
	// Parts are the parts of a multipart body that are no text.
	Parts []Part
}

// Part says how the parts of one name of a multipart body are read. Names that are not listed are text, and so is what stands below
// a listed one (meta[a]).
type Part struct {
	Name string // the member of the body; parts named files, files[] and files[0] are of the member files
	Kind PartKind
}

// PartKind is a kind of content of a part.
type PartKind uint8

const (
	TextPart PartKind = iota
	JSONPart
	FilePart // counts by SHA-256 and length of its content
)

const reasonMedia = "the media type is not accepted"

// OpenBody is Body for every kind of body: it finds out which of the accepted kinds the request's body is and opens the member "body".
// NoBody means an absent body, or a refusal that sticks.
//
// The same calls then read every kind. A form or multipart body is an object whose leaves take text for what they expect; Array takes
// names that are repeated, that end with [], or that have indexes, and a name that stands once; nothing in it is null, but what a JSON
// part says. A Text body is one string. Of an Octets body there is ContentDigest.
func (s *Scanner) OpenBody(spec *BodySpec) Media {
	if len(spec.Accepts) == 1 && spec.Accepts[0] == JSON || s.refused.set || len(s.req.Body) == 0 {
		return s.Body(spec.Required, spec.Accepts...)
	}
	media := s.readBody(spec, forScanner)
	if s.refused.set {
		return NoBody
	}
	s.reserve(len(s.data))
	s.out = append(s.out, `,"body":`...)
	return media
}

// readBody makes the request's body the input: as it is when it is JSON, else the JSON text that it stands for.
func (s *Scanner) readBody(spec *BodySpec, use use) Media {
	media, parameters, reason := spec.media(s.req.ContentType)
	switch {
	case reason != "":
		s.refuse(refused{place: contentTypePlace, offset: -1, reason: reason})
		return NoBody
	case len(s.req.Body) > maxBody:
		s.refuse(refused{place: "body", offset: -1, reason: reasonLarge})
		return NoBody
	case media == JSON:
		s.open(s.req.Body)
		return JSON
	}
	s.form.start(use)
	s.rewriteBody(media, spec, parameters)
	if s.refused.set {
		return NoBody
	}
	s.data, s.pos, s.depth = s.form.text, 0, 0
	s.inBody = true
	return media
}

// rewriteBody writes the JSON text that the body stands for.
func (s *Scanner) rewriteBody(media Media, spec *BodySpec, parameters string) {
	body := s.req.Body
	switch media {
	case Form:
		s.readForm(body)
	case Multipart:
		s.readMultipart(body, spec.Parts, parameters)
	case Text:
		if !utf8.Valid(body) {
			s.refuse(refused{place: "body", offset: invalidUTF8(body), reason: reasonUTF8})
			return
		}
		s.form.text = appendJSONText(s.form.text, body)
		return
	case Octets:
		s.writeFile(body, 0)
		return
	case NoBody, JSON:
	}
	if !s.refused.set {
		s.writeForm(body)
	}
}

// media finds the accepted kind that a Content-Type names, and its parameters. The narrowest comes first: JSON is JSON also where "*/*" is
// declared beside it.
func (spec *BodySpec) media(contentType string) (media Media, parameters, reason string) {
	if len(spec.Accepts) == 0 {
		return NoBody, "", "the operation takes no body"
	}
	mediaType, parameters, _ := strings.Cut(contentType, ";")
	mediaType = strings.Trim(mediaType, " \t")
	media = spec.find(mediaType)
	if mediaType == "" && len(spec.Accepts) == 1 {
		media = spec.Accepts[0]
	}
	switch media {
	case NoBody:
		return NoBody, "", reasonMedia
	case Octets:
		return media, parameters, ""
	}
	return media, parameters, charsetFault(parameters)
}

func (spec *BodySpec) find(mediaType string) Media {
	switch {
	case spec.accepts(JSON) && isJSON(mediaType):
		return JSON
	case spec.accepts(Form) && equalASCII(mediaType, "application/x-www-form-urlencoded"):
		return Form
	case spec.accepts(Multipart) && equalASCII(mediaType, "multipart/form-data"):
		return Multipart
	case spec.accepts(Text) && equalASCII(mediaType, "text/plain"):
		return Text
	case !spec.matches(mediaType):
		return NoBody
	case spec.accepts(Octets):
		return Octets
	case spec.accepts(Text):
		return Text
	}
	return NoBody
}

func (spec *BodySpec) accepts(media Media) bool {
	for _, m := range spec.Accepts {
		if m == media {
			return true
		}
	}
	return false
}

// matches finds a media type among the declared ones, whose wildcards are those of RFC 9110 section 12.5.1.
func (spec *BodySpec) matches(mediaType string) bool {
	kind, subtype, ok := strings.Cut(mediaType, "/")
	if !ok || !isToken(kind) || !isToken(subtype) {
		return false
	}
	for _, declared := range spec.Types {
		k, s, _ := strings.Cut(declared, "/")
		if (k == "*" || equalASCII(k, kind)) && (s == "*" || equalASCII(s, subtype)) {
			return true
		}
	}
	return false
}
