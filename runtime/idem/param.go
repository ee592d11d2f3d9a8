package idem

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/idemgen/idemgen/runtime/canon"
)

// ParamType is what a path, query or header parameter can be decoded into.
type ParamType interface {
	string | int64 | int32 | bool | Instant | Number | []byte
}

// PathParam decodes path value index. Like those of the other parameters, its error is a *canon.Refusal with the name.
func PathParam[T ParamType](r *canon.Request, index int, name string) (T, error) {
	if index < 0 || index >= len(r.Path) {
		var zero T
		return zero, refuseParam("path", name, "it is missing")
	}
	return decodeParam[T]("path", name, r.Path[index])
}

// QueryParam decodes a query parameter; nil when it is absent.
func QueryParam[T ParamType](r *canon.Request, name string) (*T, error) {
	values, err := queryValues(r.Query, name)
	if err != nil || len(values) == 0 {
		return nil, err
	}
	if len(values) > 1 {
		return nil, refuseParam("query", name, "it stands there more than once")
	}
	return pointer(decodeParam[T]("query", name, values[0]))
}

// QueryParams decodes every value of a repeated query parameter, or of one value split at split when that is not 0.
// It is nil when the parameter is absent.
func QueryParams[T ParamType](r *canon.Request, name string, split byte) ([]T, error) {
	values, err := queryValues(r.Query, name)
	if err != nil {
		return nil, err
	}
	if split != 0 && len(values) > 1 {
		return nil, refuseParam("query", name, "it stands there more than once")
	}
	if split != 0 && len(values) == 1 {
		values = strings.Split(values[0], string(rune(split)))
	}
	var decoded []T
	for _, text := range values {
		v, err := decodeParam[T]("query", name, text)
		if err != nil {
			return nil, err
		}
		decoded = append(decoded, v)
	}
	return decoded, nil
}

// HeaderParam decodes a header parameter; nil when it is absent. Several lines are one value, joined by commas
// (RFC 9110 section 5.3).
func HeaderParam[T ParamType](r *canon.Request, name string) (*T, error) {
	lines := r.Header[http.CanonicalHeaderKey(name)]
	if len(lines) == 0 {
		return nil, nil
	}
	return pointer(decodeParam[T]("header", strings.ToLower(name), strings.Trim(strings.Join(lines, ", "), " \t")))
}

func pointer[T any](v T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// decodeParam decodes one text; in and name say where it stands.
func decodeParam[T ParamType](in, name, text string) (T, error) {
	var v T
	if reason := setParam(&v, text); reason != "" {
		return v, refuseParam(in, name, reason)
	}
	return v, nil
}

// setParam gives the reason why text is no T; empty when it is.
func setParam(target any, text string) string {
	switch v := target.(type) {
	case *string:
		*v = text
		if !utf8.ValidString(text) {
			return "it is not UTF-8"
		}
	case *int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if *v = n; err != nil {
			return "it cannot be read as an integer of 64 bits"
		}
	case *int32:
		n, err := strconv.ParseInt(text, 10, 32)
		if *v = int32(n); err != nil {
			return "it cannot be read as an integer of 32 bits"
		}
	case *bool:
		*v = text == "true"
		if text != "true" && text != "false" {
			return "it is neither true nor false"
		}
	case *Instant:
		if v.UnmarshalText([]byte(text)) != nil {
			return "it cannot be read as an RFC 3339 date-time"
		}
	case *Number:
		*v = Number(text)
		if !isNumber(text) {
			return "it cannot be read as a number"
		}
	case *[]byte:
		decoded, err := base64.StdEncoding.Strict().DecodeString(text)
		if *v = decoded; err != nil || strings.ContainsAny(text, "\r\n") {
			return "it cannot be read as base64"
		}
	}
	return ""
}

func refuseParam(in, name, reason string) error {
	return &canon.Refusal{Place: in + "." + name, Offset: -1, Reason: reason}
}
