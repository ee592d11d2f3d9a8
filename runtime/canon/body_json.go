package canon

// BodyJSON appends the JSON text that the request's body stands for, for decoders: nothing when there is no body. A JSON body is taken as
// it is. In that of a form or multipart body every single value is a string, JSON parts apart, and a file is base64 of its content. A text
// is a string, other bytes are base64 in one. The error is a *Refusal.
//
// Arrays stand as they were sent: a name that stands once is no array, and one with indexes is an object.
func BodyJSON(r *Request, spec *BodySpec, dst []byte) ([]byte, error) {
	if len(r.Body) == 0 {
		return dst, nil
	}
	s := Acquire()
	defer s.Release()
	s.Start(r)
	media := s.readBody(spec, forDecoder)
	if s.refused.set {
		return dst, s.refusal()
	}
	if media == JSON {
		return append(dst, r.Body...), nil
	}
	return append(dst, s.form.text...), nil
}
