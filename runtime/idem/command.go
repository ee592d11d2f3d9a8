package idem

import (
	"time"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Nullable is a member that may be absent, null, or a value: three different things.
// The zero Nullable is an absent one.
type Nullable[T any] struct {
	Present bool // the member was sent, as null or as a value
	Null    bool
	Value   T
}

// Instant is a date-time member of a command. It reads what the normaliser of the same name reads.
type Instant struct{ time.Time }

// ParamType is what a path, query or header parameter can be decoded into.
type ParamType interface {
	string | int64 | int32 | bool | Instant | Number | []byte
}

// Number is a decimal number in the text that was sent; no digit is lost.
type Number string

// DecodeBody decodes the JSON body of a request that was fingerprinted. nil: the request has no body.
func DecodeBody[T any](r *canon.Request) (*T, error) { panic("idem: built in this slice") }

// PathParam decodes path value index.
func PathParam[T ParamType](r *canon.Request, index int, name string) (T, error) {
	panic("idem: built in this slice")
}

// QueryParam decodes a query parameter; nil when it is absent.
func QueryParam[T ParamType](r *canon.Request, name string) (*T, error) {
	panic("idem: built in this slice")
}

// QueryParams decodes every value of a repeated query parameter, or of one value split at split when that is not 0.
func QueryParams[T ParamType](r *canon.Request, name string, split byte) ([]T, error) {
	panic("idem: built in this slice")
}

// HeaderParam decodes a header parameter; nil when it is absent.
func HeaderParam[T ParamType](r *canon.Request, name string) (*T, error) {
	panic("idem: built in this slice")
}
