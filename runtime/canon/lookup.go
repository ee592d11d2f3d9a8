package canon

// Found says what stands at a path of a JSON body.
type Found uint8

const (
	NotFound Found = iota // absent: also when something on the way is missing, null or no object
	FoundNull
	FoundText  // a string, unescaped
	FoundToken // a number, true or false: the token as it was sent
	FoundOther // an object or array
)

// Lookup finds the value at a path of member names in a JSON body, for keys and scope values that stand in it. The whole body is
// checked: one that is not JSON, or has a duplicate name anywhere, is a *Refusal. A body of length 0 has nothing in it.
func Lookup(body []byte, path []string) (string, Found, error) {
	if len(body) == 0 {
		return "", NotFound, nil
	}
	if len(body) > maxBody {
		return "", NotFound, &Refusal{Place: "body", Offset: -1, Reason: reasonLarge}
	}
	s := Acquire()
	defer s.Release()
	s.Start(&Request{Body: body})
	s.open(body)
	text, found := s.lookup(path)
	s.endBody()
	if s.refused.set {
		return "", NotFound, s.refusal()
	}
	return text, found, nil
}

// lookedUp are the kinds of body that have members.
var lookedUp = BodySpec{Accepts: []Media{JSON, Form, Multipart}}

// LookupBody is Lookup in the body of a request, by its Content-Type: a form, a multipart body, or else JSON. Single values of forms are
// FoundText. Of a multipart body only the parts of the first name on the path are read: as JSON where the part says so and where the path
// goes on below it; a file is FoundOther.
func LookupBody(r *Request, path []string) (string, Found, error) {
	media, _, _ := lookedUp.media(r.ContentType)
	if media == NoBody || media == JSON || len(r.Body) == 0 {
		return Lookup(r.Body, path)
	}
	s := Acquire()
	defer s.Release()
	s.Start(r)
	s.form.path = path
	s.readBody(&lookedUp, forLookup)
	text, found := "", NotFound
	if !s.refused.set {
		text, found = s.lookup(path)
		s.endBody()
	}
	if s.refused.set {
		return "", NotFound, s.refusal()
	}
	return text, found, nil
}

// lookup consumes one value and finds what stands at path in it.
func (s *Scanner) lookup(path []string) (string, Found) {
	if len(path) == 0 {
		return s.take()
	}
	if s.peek() != '{' {
		s.skip()
		return "", NotFound
	}
	if !s.enter(s.pos) {
		return "", NotFound
	}
	names, text := len(s.names), len(s.text)
	value, found := "", NotFound
	s.pos++
	for first := true; s.nextName(first); first = false {
		s.names = append(s.names, s.nameRef())
		if string(s.Name()) == path[0] {
			value, found = s.lookup(path[1:])
		} else {
			s.skip()
		}
	}
	s.checkNames(names)
	s.text = s.text[:text]
	s.depth--
	return value, found
}

// take consumes one value and gives it.
func (s *Scanner) take() (string, Found) {
	at := s.pos
	switch s.peek() {
	case '"':
		text, _ := s.readText()
		return string(text), FoundText
	case '{', '[':
		s.skip()
		return "", FoundOther
	case 'n':
		s.skip()
		return "", FoundNull
	}
	s.skip()
	if s.refused.set {
		return "", NotFound
	}
	return string(s.data[at:s.pos]), FoundToken
}
