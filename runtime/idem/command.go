package idem

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Nullable is a member that may be absent, null, or a value: three different things.
// The zero Nullable is an absent one; `omitzero` leaves it out when it is written.
type Nullable[T any] struct {
	Present bool // the member was sent, as null or as a value
	Null    bool
	Value   T
}

// UnmarshalJSON reads a member that was sent.
func (n *Nullable[T]) UnmarshalJSON(text []byte) error {
	*n = Nullable[T]{Present: true}
	if string(text) == "null" {
		n.Null = true
		return nil
	}
	return json.Unmarshal(text, &n.Value)
}

// MarshalJSON writes the value, or null when there is none.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if !n.Present || n.Null {
		return []byte("null"), nil
	}
	return json.Marshal(n.Value)
}

// IsZero reports whether the member was absent.
func (n Nullable[T]) IsZero() bool { return !n.Present }

// Instant is a date-time member of a command. It reads what the normaliser of the same name reads.
type Instant struct{ time.Time }

// UnmarshalText reads an RFC 3339 date-time.
func (i *Instant) UnmarshalText(text []byte) (err error) {
	i.Time, err = canon.ParseInstant(text)
	return err
}

// UnmarshalJSON reads an RFC 3339 date-time in a string.
func (i *Instant) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return wrongType[Instant]()
	}
	if string(text) == "null" {
		return nil // as encoding/json does for types without a null
	}
	if err := i.UnmarshalText([]byte(s)); err != nil {
		return wrongType[Instant]()
	}
	return nil
}

// Number is a decimal number in the text that was sent; no digit is lost.
type Number string

// UnmarshalJSON reads a number, or a string that holds one.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	s := string(text)
	if text[0] == '"' {
		if err := json.Unmarshal(text, &s); err != nil {
			return wrongType[Number]()
		}
	}
	if !isNumber(s) {
		return wrongType[Number]()
	}
	*n = Number(s)
	return nil
}

// MarshalJSON writes a number token. The zero Number is 0.
func (n Number) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("0"), nil
	}
	if !isNumber(string(n)) {
		return nil, errors.New("idem: a Number that is no number cannot be written")
	}
	return []byte(n), nil
}

// isNumber asks for JSON's grammar of a number, without blanks around it.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || '0' <= s[0] && s[0] <= '9') && s[len(s)-1] > ' ' && json.Valid([]byte(s))
}

// wrongType makes encoding/json name the member, which it does for this error type alone.
func wrongType[T any]() error {
	return &json.UnmarshalTypeError{Value: "value", Type: reflect.TypeFor[T]()}
}

// DecodeBody decodes the JSON body of a request that was fingerprinted. nil: the request has no body.
// The scanner has refused duplicate members and members that differ from a declared one in case alone, which encoding/json
// would take; unknown members are left out. Errors are *canon.Refusal and hold no value of the request.
func DecodeBody[T any](r *canon.Request) (*T, error) {
	if len(r.Body) == 0 {
		return nil, nil
	}
	v := new(T)
	if err := json.Unmarshal(r.Body, v); err != nil {
		return nil, bodyRefusal(err)
	}
	return v, nil
}

// DecodeMedia is DecodeBody for an operation that takes other kinds of bodies too. What a form says in text becomes the types of T, a
// file of a multipart body its content.
func DecodeMedia[T any](r *canon.Request, spec *canon.BodySpec) (*T, error) {
	if len(r.Body) == 0 {
		return nil, nil
	}
	text, err := canon.BodyJSON(r, spec, nil)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(text, r.Body) { // JSON stands for itself
		return DecodeBody[T](r)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var node any
	if err := decoder.Decode(&node); err != nil {
		return nil, bodyRefusal(err)
	}
	v := new(T)
	return v, assign(reflect.ValueOf(v).Elem(), node, "body")
}

func bodyRefusal(err error) error {
	refusal := &canon.Refusal{Place: "body", Offset: -1, Reason: "it cannot be read as what the operation declares"}
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong):
		if wrong.Offset > 0 {
			refusal.Offset = int(wrong.Offset)
		}
		refusal.Reason = "a value cannot be read as " + typeName(wrong.Type)
		if wrong.Field != "" { // names of declared members only; places within arrays are not in it, so it is no pointer
			refusal.Reason = "member " + wrong.Field + " cannot be read as " + typeName(wrong.Type)
		}
	case errors.As(err, &syntax):
		refusal.Offset = int(syntax.Offset)
		refusal.Reason = "it is not JSON"
	}
	return refusal
}

// typeName says what a Go type is to a client.
func typeName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Instant]():
		return "an RFC 3339 date-time"
	case reflect.TypeFor[Number]():
		return "a number"
	}
	if name, ok := kindNames[t.Kind()]; ok {
		return name
	}
	if t == reflect.TypeFor[[]byte]() {
		return "base64"
	}
	if t.Kind() == reflect.Slice {
		return "an array"
	}
	return "what the operation declares"
}

// kindNames are the kinds of the types that generated commands have.
var kindNames = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Bool: "true or false",
	reflect.Int32: "an integer of 32 bits", reflect.Int64: "an integer of 64 bits", reflect.Float64: "a number",
	reflect.Struct: "an object", reflect.Map: "an object",
}
