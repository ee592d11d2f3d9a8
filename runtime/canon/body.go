package canon

// Part says how the parts of one name of a multipart body are read. Names that are not listed are text.
type Part struct {
	Name string // the member of the body
	Kind PartKind
}

// PartKind is a kind of content of a part.
type PartKind uint8

const (
	TextPart PartKind = iota
	JSONPart
	FilePart // counts by SHA-256 and length of its content
)

// BodySpec is the static description of what an operation takes as its body, emitted by the generator. It is never changed after start.
type BodySpec struct {
	Required bool
	Accepts  []Media
	// Types are the media types that Octets and Text stand for, as the document declares them: "image/png", "image/*", "*/*".
	Types []string
	// Parts are the parts of a multipart body that are no text.
	Parts []Part
}

// OpenBody is Body for every kind of body: it finds out which of the accepted kinds the request's body is and opens the member "body".
// NoBody means an absent body, or a refusal that sticks.
func (s *Scanner) OpenBody(spec *BodySpec) Media {
	media := s.Body(spec.Required, spec.Accepts...)
	if media != NoBody && media != JSON {
		s.refuse(refused{place: contentTypePlace, offset: -1, reason: reasonMedia})
		return NoBody
	}
	return media
}

const reasonMedia = "the media type is not accepted"

// BodyJSON appends the JSON text that the request's body stands for, for decoders. In that of a form or multipart body every single value
// is a string, and a file stands as base64 of its content.
func BodyJSON(r *Request, spec *BodySpec, dst []byte) ([]byte, error) {
	media, reason := mediaOf(r.ContentType, spec.Accepts)
	if reason == "" && media != JSON {
		reason = reasonMedia
	}
	if reason != "" {
		return dst, &Refusal{Place: contentTypePlace, Offset: -1, Reason: reason}
	}
	return append(dst, r.Body...), nil
}

// LookupBody is Lookup in the body of a request, by its Content-Type.
func LookupBody(r *Request, path []string) (string, Found, error) { return Lookup(r.Body, path) }
