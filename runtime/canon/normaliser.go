package canon

// Normaliser says which spellings of a value are the same value (ANNOTATION section 4).
// Names and versions are part of every contract: a changed meaning is a new version, never an edit.
type Normaliser uint8

const (
	Exact Normaliser = iota + 1
	Int
	Decimal
	Double
	Boolean
	Instant
	UUID
	Base64
	ContentDigest // "digest": binary bodies and file parts
	ASCIILower
	ASCIIUpper
	ASCIITrim
	Generic
)

// ArrayKind says what makes two arrays equal.
type ArrayKind uint8

const (
	List     ArrayKind = iota + 1 // same elements in the same order
	Set                           // order and repetition apart
	Multiset                      // order apart
)

// UnknownPolicy says what an undeclared body member means.
type UnknownPolicy uint8

const (
	RejectUnknown UnknownPolicy = iota + 1
	IgnoreUnknown
	IncludeUnknown // under Generic
)
