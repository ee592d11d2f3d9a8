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
	ModeOptional                 // optional: a key is not required, whatever an inherited key says
	ModeExempt                   // exempt, false, {exempt: why}
)

// Annotation is x-idempotency of one operation after inheritance (root, path item, operation): as written, without defaults.
type Annotation struct {
	Pos diag.Pos
	// Entry is the operationId under which the annotation stands in the root's `operations`; empty when it stands at the operation.
	Entry string
	Mode  Val[Mode]
	// ExemptReason is the text of {exempt: "why"}.
	ExemptReason Val[string]
	// Broken says that an error was reported in this annotation or in one that it inherits from: a member
	// that is not Set may have been written and not understood, so nothing should be concluded from its absence.
	Broken bool
	// executionUnread says that some execution was written and not understood; it may have been leased.
	executionUnread bool

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
	KeepExcept  Val[[]Val[int]]    // Set with an empty list: every status is an outcome
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

// ScopeGlobal is the word of the scope [global], where everybody shares one bucket. It always stands alone.
const ScopeGlobal = "global"

// ScopeTerm is a dimension that the server supplies (Dimension set) or a part of the request (Path set).
// The scope [global] is the one term whose Dimension is ScopeGlobal.
type ScopeTerm struct {
	Dimension string
	Path      *FieldPath
	Pos       diag.Pos
}

// FingerprintMode tells the three ways of choosing fields apart.
type FingerprintMode uint8

const (
	FingerprintFields FingerprintMode = iota + 1 // a list
	FingerprintAll                               // fields: all, no `fields` member, or the shorthand `fingerprint: all`
	FingerprintNone                              // none: comparison switched off
)

// Fingerprint is what makes two requests the same command.
type Fingerprint struct {
	Mode    FingerprintMode
	Fields  []FieldRule
	Ignored []FieldPath
	// Unknown is reject, ignore or include. It is not Set for the shorthand, which leaves closed schemas closed
	// and includes what an open one lets through.
	Unknown Val[string]
	// View is the function of the program that makes of the body what counts of it.
	View Val[View]
}

// View is a function of the program by its name, a Go identifier in ASCII.
type View struct {
	Name      string
	Sensitive Val[bool]
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
	Pos     diag.Pos
	Set     bool // the member was written, be it empty: it replaces the whole one written higher
	Headers Val[[]Val[string]]
	Marker  Val[string]
}

// Errors are the statuses that an operation answers with, and the documentation link of its problems.
type Errors struct {
	Pos                                                          diag.Pos
	Set                                                          bool // as for Replay
	Missing, Malformed, Mismatch, InFlight, Unknown, Unavailable Val[int]
	Docs                                                         Val[string]
}
