package canon

const (
	reasonView      = "what its view gives cannot be compared: "
	reasonNoView    = "its view gives nothing"
	reasonLargeView = "its view gives more than 128 MiB"
)

// OpenView is OpenBody for a body that counts through a view: a function of the program that makes JSON text of a body of any media type.
// It opens Request.View in place of the body, mostly for Generic; of the body itself only its presence and its Content-Type are looked at.
//
// A refusal of what the view gave has the place "body" and no offset: the client sent other bytes. The view's depth, numbers, duplicate names
// and characters are held to the same rules as those of a JSON body.
func (s *Scanner) OpenView(spec *BodySpec) Media {
	if s.refused.set || len(s.req.Body) == 0 {
		return s.Body(spec.Required)
	}
	media, _, reason := spec.media(s.req.ContentType)
	fault := refused{place: "body", offset: -1}
	switch {
	case reason != "":
		fault = refused{place: contentTypePlace, offset: -1, reason: reason}
	case len(s.req.Body) > maxBody:
		fault.reason = reasonLarge
	case len(s.req.View) == 0:
		fault.reason = reasonNoView
	case len(s.req.View) > maxBody:
		fault.reason = reasonLargeView
	}
	if fault.reason != "" {
		s.refuse(fault)
		return NoBody
	}
	s.viewed = true
	s.open(s.req.View)
	if s.refused.set {
		return NoBody
	}
	s.reserve(len(s.data))
	s.out = append(s.out, `,"body":`...)
	return media
}

// Takes reports whether a body of this Content-Type is one that the operation takes: what a view need not be called for is refused without it.
func (spec *BodySpec) Takes(contentType string) bool {
	_, _, reason := spec.media(contentType)
	return reason == ""
}
