package canon

import "strconv"

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

var normaliserNames = [...]string{
	Exact:         "exact",
	Int:           "int",
	Decimal:       "decimal",
	Double:        "double",
	Boolean:       "boolean",
	Instant:       "instant",
	UUID:          "uuid",
	Base64:        "base64",
	ContentDigest: "digest",
	ASCIILower:    "ascii-lower",
	ASCIIUpper:    "ascii-upper",
	ASCIITrim:     "ascii-trim",
	Generic:       "generic",
}

// String gives the name that annotations and locks use.
func (n Normaliser) String() string { return enumName(normaliserNames[:], int(n), "normaliser") }

// Version is the number behind the name in a lock: exact/1.
func (n Normaliser) Version() int { return 1 }

// ParseNormaliser finds a normaliser by its name.
func ParseNormaliser(name string) (Normaliser, bool) {
	i, ok := enumValue(normaliserNames[:], name)
	return Normaliser(i), ok
}

// ArrayKind says what makes two arrays equal.
type ArrayKind uint8

const (
	List     ArrayKind = iota + 1 // same elements in the same order
	Set                           // order and repetition apart
	Multiset                      // order apart
)

var arrayKindNames = [...]string{List: "list", Set: "set", Multiset: "multiset"}

// String gives the name that annotations and locks use.
func (k ArrayKind) String() string { return enumName(arrayKindNames[:], int(k), "array kind") }

// ParseArrayKind finds an array kind by its name.
func ParseArrayKind(name string) (ArrayKind, bool) {
	i, ok := enumValue(arrayKindNames[:], name)
	return ArrayKind(i), ok
}

// UnknownPolicy says what an undeclared body member means.
type UnknownPolicy uint8

const (
	RejectUnknown UnknownPolicy = iota + 1
	IgnoreUnknown
	IncludeUnknown // under Generic
)

var unknownPolicyNames = [...]string{RejectUnknown: "reject", IgnoreUnknown: "ignore", IncludeUnknown: "include"}

// String gives the name that annotations and locks use.
func (p UnknownPolicy) String() string {
	return enumName(unknownPolicyNames[:], int(p), "unknown policy")
}

// enumName gives a value without a name a text that cannot be taken for one.
func enumName(names []string, i int, kind string) string {
	if i < len(names) && names[i] != "" {
		return names[i]
	}
	return kind + " " + strconv.Itoa(i)
}

func enumValue(names []string, name string) (int, bool) {
	for i, n := range names {
		if n == name && n != "" {
			return i, true
		}
	}
	return 0, false
}
