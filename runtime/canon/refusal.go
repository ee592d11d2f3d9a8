package canon

import "strconv"

// Refusal says why a request has no canonical form, and where. It never carries a value of the request.
type Refusal struct {
	// Place is a field place for people: a JSON pointer below "body" ("body", "body/lines/3/sku"), or "query.expand", "path.id", "header.x".
	// A member name of more than 64 bytes is cut, and control characters in it are replaced.
	Place string
	// Offset is the byte offset in the body, or -1 outside of it.
	Offset int
	// Reason is one lower-case sentence without a full stop.
	Reason string
}

// Error gives the place, the offset and the reason on one line.
func (r *Refusal) Error() string {
	if r.Offset < 0 {
		return r.Place + ": " + r.Reason
	}
	return r.Place + " (byte " + strconv.Itoa(r.Offset) + "): " + r.Reason
}

// Reasons that stand at several places.
const (
	reasonLarge     = "a body of more than 128 MiB"
	reasonEnd       = "the body ends too early"
	reasonSeparator = "a comma or the closing bracket is expected"
	reasonName      = "a member name in quotes is expected"
	reasonColon     = "a colon is expected"
	reasonValue     = "a JSON value is expected"
	reasonObject    = "an object is expected"
	reasonArray     = "an array is expected"
	reasonString    = "a string is expected"
	reasonBoolean   = "true or false is expected"
	reasonNumber    = "a number is expected"
	reasonInteger   = "an integer is expected"
	reasonDepth     = "more than 128 levels of nesting"
	reasonDuplicate = "the member stands here a second time"
	reasonUnknown   = "the member is not declared"
	reasonFold      = "the name differs from a declared one only in case"
	reasonRequired  = "a required member is missing"
	reasonUTF8      = "invalid UTF-8"
	reasonTrailing  = "data after the end of the JSON value"
	reasonParam     = "a required parameter is missing"
	reasonRepeated  = "the parameter stands more than once"
	reasonEscape    = "a percent sign without two hexadecimal digits"
)

// refused is what refusal needs to build a Refusal.
type refused struct {
	set    bool
	place  string // "" when the place is found from the offset
	name   string // appended to the place: a missing member, a parameter
	offset int
	reason string
}

// refuse keeps the first refusal and empties the input.
func (s *Scanner) refuse(r refused) {
	s.data, s.pos = nil, 0
	s.name, s.nameStart, s.nameIn = nil, 0, 0
	if s.refused.set {
		return
	}
	r.set = true
	s.refused = r
}

// refuseAt refuses what stands at a byte offset of the body. It must not be inlined into the hot path, which never comes here.
//
//go:noinline
func (s *Scanner) refuseAt(offset int, reason string) {
	s.refuse(refused{offset: offset, reason: reason})
}

// refuseEnd refuses a body that ends inside of its value.
func (s *Scanner) refuseEnd() { s.refuseAt(len(s.data), reasonEnd) }

// refuseHere refuses the byte at the scanner's position, or the end of the body there.
func (s *Scanner) refuseHere(pos int, reason string) {
	if pos >= len(s.data) {
		s.refuseEnd()
		return
	}
	s.refuseAt(pos, reason)
}

// refusal builds the refusal. Only here, and so only when there is one, is the body read again for its place.
func (s *Scanner) refusal() *Refusal {
	r := s.refused
	if r.place != "" {
		return &Refusal{Place: r.place + r.name, Offset: r.offset, Reason: r.reason}
	}
	if s.viewed { // its offsets and names are not the client's
		return &Refusal{Place: "body", Offset: -1, Reason: reasonView + r.reason}
	}
	of := ofValue
	if r.name != "" {
		of = ofObject
	}
	body, offset := s.req.Body, r.offset
	if s.form.on {
		body, offset = s.form.text, s.form.bodyOffset(r.offset)
	}
	place := appendPlace([]byte("body"), body, r.offset, of)
	if r.name != "" {
		place = appendPointerName(place, []byte(r.name))
	}
	return &Refusal{Place: string(place), Offset: offset, Reason: r.reason}
}
