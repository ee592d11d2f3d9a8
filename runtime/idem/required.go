package idem

import (
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// RequiredBody is DecodeBody for a body that the document demands; its absence is a *canon.Refusal.
func RequiredBody[T any](r *canon.Request) (T, error) {
	v, err := DecodeBody[T](r)
	return demanded(v, err, "body")
}

// RequiredMedia is DecodeMedia for a body that the document demands.
func RequiredMedia[T any](r *canon.Request, spec *canon.BodySpec) (T, error) {
	v, err := DecodeMedia[T](r, spec)
	return demanded(v, err, "body")
}

// RequiredQuery is QueryParam for a parameter that the document demands: the fingerprint misses only those that count.
func RequiredQuery[T ParamType](r *canon.Request, name string) (T, error) {
	v, err := QueryParam[T](r, name)
	return demanded(v, err, "query."+name)
}

// RequiredHeader is HeaderParam for a header that the document demands: the fingerprint misses only those that count.
func RequiredHeader[T ParamType](r *canon.Request, name string) (T, error) {
	v, err := HeaderParam[T](r, name)
	return demanded(v, err, "header."+strings.ToLower(name))
}

// demanded refuses absence at a place.
func demanded[T any](v *T, err error, place string) (value T, _ error) {
	switch {
	case err != nil:
		return value, err
	case v == nil:
		return value, &canon.Refusal{Place: place, Offset: -1, Reason: "is required"}
	}
	return *v, nil
}
