package idem

import (
	"time"

	"github.com/idemgen/idemgen/runtime/canon"
)

// RuntimeVersion1 ties generated code to this runtime: generated packages refer to it, so that a runtime
// which no longer provides what they need does not compile.
const RuntimeVersion1 = true

// Forever is the retention of a record that never expires.
const Forever time.Duration = -1

// Contract is what a generated package knows: its operations and what they share.
type Contract struct {
	// BasePath is the path of the document's first server, without a trailing slash.
	BasePath string
	// Dimensions are the scope's dimensions, in the order in which the resolver gives their values.
	Dimensions []string
	Operations []*Operation
	// Views are the functions that Version.View names. They are the program's, so generated contracts have none: a generated NewEngine puts
	// them there.
	Views map[string]View
	// Others are the document's operations without an annotation. The middleware needs those whose path an annotated template
	// matches too (/payments/search beside /payments/{id}); without them it would take their requests for annotated ones.
	Others []Route
}

// Route is a method in upper case and a path template.
type Route struct{ Method, Path string }

// Operation describes one annotated operation. It is generated and never changed after start.
type Operation struct {
	Name string // the contract's name
	// Method and Path are empty for a received webhook: it has a handler and no place in the matcher.
	Method   string
	Path     string // template: /accounts/{accountId}/payments
	Key      KeySource
	Scope    []ScopePart
	Keyspace string
	// Retention is how long a record answers, counted from its claim; Forever when it never expires.
	Retention time.Duration
	Execution ExecutionMode
	// KeepExcept are statuses that are not outcomes.
	KeepExcept []int
	// ReplayHeaders are stored beside Content-Type, Content-Encoding and Content-Language; canonical MIME names.
	ReplayHeaders []string
	// ReplayMarker is the header that a replay carries with the value "true".
	ReplayMarker string
	Statuses     Statuses
	// Docs is the URL that problems refer to; empty when there is none.
	Docs string
	// Versions are the live versions of the contract, newest first. None: comparison is switched off.
	Versions []Version

	// Wait is how long a duplicate of a running request waits for its outcome; 0: not at all.
	Wait time.Duration
	// Before is the scope that the operation had; nil: it has not changed. Records stand under both.
	Before []ScopePart
	// Unique is the operation's business key; nil: none.
	Unique *BusinessKey

	// Lease is how long an attempt may stay silent. It and what follows belong to leased execution.
	Lease    time.Duration
	Takeover TakeoverPolicy
	// Attempts bounds the attempts under one record; then its outcome is unknown.
	Attempts int
	// CommandHeaders are the headers besides Content-Type that the command is made of, and that a recovery needs therefore;
	// canonical MIME names.
	CommandHeaders []string
}

// BusinessKey says which values of a request name the thing that it makes: two requests with the same ones are duplicates, also
// when they come with different idempotency keys or with none.
type BusinessKey struct {
	// Fields are the field paths.
	Fields []string
	// Digest gives the digest of the values. A request that it refuses has no business key: a value is missing.
	Digest func(*canon.Scanner, *canon.Request) (canon.Digest, error)
}

// TakeoverPolicy says what happens to an attempt that ended without an outcome.
type TakeoverPolicy uint8

const (
	// Recover calls the program's recovery function with the stored command, in the next request or in Engine.Run.
	Recover TakeoverPolicy = iota + 1
	// Retake runs the handler again with the next request. Recorded phases are not repeated.
	Retake
	// Hold makes the outcome unknown until somebody resolves it.
	Hold
)

// Version is one live version of an operation's contract.
type Version struct {
	Number int
	ID     canon.ContractID
	// Fields are the field paths in the order of the scanner's field indexes.
	Fields      []string
	Fingerprint func(*canon.Scanner, *canon.Request) (canon.Digest, error)
	// Sensitive are the indexes of fields that need a keyed fingerprint: without Options.Keys the engine refuses to start.
	Sensitive []int
	// View names the function of Contract.Views that makes of a body what counts of it; empty where the body counts as it is.
	View string
	// ViewBody says for which bodies View is called; every other one is refused by Fingerprint. It is needed with View.
	ViewBody *canon.BodySpec
}

// ExecutionMode says what commits together.
type ExecutionMode uint8

const (
	// Transactional commits claim, the handler's writes and the stored response in one database transaction.
	Transactional ExecutionMode = iota + 1
	// Leased commits the claim alone; the handler works in phases and may call other systems between them.
	Leased
)

// KeySource says where the idempotency key stands and what it may be.
type KeySource struct {
	In KeyIn
	// Name is the header's canonical MIME name or the query parameter's name.
	Name string
	// Path are the member names below the body, outermost first.
	Path      []string
	Required  bool
	MinLength int
	MaxLength int
	Format    KeyFormat
	// Numbers, of a key in the body: a number is taken as its text; else only strings are keys.
	Numbers bool
}

// KeyIn is the part of the request that holds the key.
type KeyIn uint8

const (
	KeyInHeader KeyIn = iota + 1
	KeyInQuery
	KeyInBody
	KeyInPath
)

// KeyFormat is a further demand on the key.
type KeyFormat uint8

const (
	AnyKey KeyFormat = iota
	UUIDKey
)

// ScopePart is one value of a scope: a dimension that the resolver supplies, or a part of the request.
type ScopePart struct {
	// Dimension is the index in Contract.Dimensions; -1 when the value comes from the request.
	Dimension int
	// From is used when Dimension is -1.
	From RequestPart
	// Literal is used when Dimension is -1 and From is empty: the scope [global].
	Literal string
}

// RequestPart is a single value of the request: a member of the body, a path or query parameter, a header.
type RequestPart struct {
	In   KeyIn
	Name string
	// Index is the position among the template's parameters, for path values.
	Index int
	// Path are the member names below the body, outermost first.
	Path []string
	// As says which spellings are one value, so that a retry which spells it otherwise finds its record. 0: the text as sent.
	As canon.Normaliser
}

// Statuses are the HTTP statuses of an operation's problems.
type Statuses struct {
	Missing, Malformed, Mismatch, InFlight, Unknown, Unavailable int
}
