package openapi

import (
	"time"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Val is a value of the annotation with the place where it was written.
// Set is false for a member that nobody wrote; Pos is then the annotation's own place.
type Val[T any] struct {
	Value T
	Pos   diag.Pos
	Set   bool
}

// Mode is the short form or the meaning of an annotation as a whole.
type Mode uint8

const (
	ModeObject   Mode = iota + 1 // {…}: all members as written
	ModeRequired                 // required, true
	ModeOptional                 // optional
	ModeExempt                   // exempt, false, {exempt: why}
)

// Annotation is x-idempotency of one operation after inheritance (root, path item, operation): as written, without defaults.
type Annotation struct {
	Pos  diag.Pos
	Mode Val[Mode]
	// ExemptReason is the text of {exempt: "why"}.
	ExemptReason Val[string]

	Name        Val[string]
	Key         Val[Key]
	Scope       Val[Scope]
	Keyspace    Val[string]
	Fingerprint Val[Fingerprint]
	Unique      Val[[]FieldPath]
	Retention   Val[Retention]
	Execution   Val[string] // transactional | leased
	Lease       Val[time.Duration]
	Takeover    Val[string] // recover | retake | hold
	Attempts    Val[int]
	Wait        Val[time.Duration] // concurrent: {wait: d}; 0 with Set means reject
	KeepExcept  Val[[]Val[int]]
	Replay      Replay
	Errors      Errors
}

// Key says where the idempotency key stands.
type Key struct {
	From      Val[FieldPath]
	Required  Val[bool]
	MinLength Val[int]
	MaxLength Val[int]
	Format    Val[string] // "" or uuid
}

// Scope is whom a key belongs to: Now, and Before while a change of scope is under way.
type Scope struct {
	Now    []ScopeTerm
	Before []ScopeTerm
}

// ScopeTerm is a dimension that the server supplies (Dimension set) or a part of the request (Path set).
type ScopeTerm struct {
	Dimension string
	Path      *FieldPath
	Pos       diag.Pos
}

// FingerprintMode tells the three ways of choosing fields apart.
type FingerprintMode uint8

const (
	FingerprintFields FingerprintMode = iota + 1 // a list
	FingerprintAll                               // fields: all, or the shorthand `fingerprint: all`
	FingerprintNone                              // none: comparison switched off
)

// Fingerprint is what makes two requests the same command.
type Fingerprint struct {
	Mode    FingerprintMode
	Fields  []FieldRule
	Ignored []FieldPath
	Unknown Val[string] // reject | ignore | include
	View    Val[string]
}

// FieldRule is one entry of fingerprint.fields.
type FieldRule struct {
	Path      FieldPath
	As        Val[string] // normaliser name
	Null      Val[string] // distinct | absent
	Default   Val[string] // distinct | materialise
	Sensitive Val[bool]
}

// Retention is how long a record answers; Forever when it never expires.
type Retention struct {
	Duration time.Duration
	Forever  bool
	Text     string // as written
}

// Replay says which response headers are stored and how a replay is marked.
type Replay struct {
	Headers Val[[]Val[string]]
	Marker  Val[string]
}

// Errors are the statuses that an operation answers with, and the documentation link of its problems.
type Errors struct {
	Missing, Malformed, Mismatch, InFlight, Unknown, Unavailable Val[int]
	Docs                                                         Val[string]
}
