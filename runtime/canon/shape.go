package canon

// Shape is the static description of one declared object, emitted by the generator. It is never changed after start.
type Shape struct {
	// Members are the declared members, selected and ignored, in canonical order (see CompareNames).
	Members []Member
	// Unknown is what undeclared members mean; zero rejects them.
	Unknown UnknownPolicy
}

// Member is one declared member of an object.
type Member struct {
	Name string
	// Key is the member's canonical spelling with its colon: `"amount":`.
	Key      string
	Required bool
	// Ignored members are checked as JSON and left out of the canonical form.
	Ignored bool
	// Default is the canonical text that stands for an absent member; empty when the contract materialises none.
	Default string
}

// Span is a piece of the scanner's scratch text. The zero Span is a member that was not sent.
type Span struct{ start, end int }

// Param is the static description of one path, query or header parameter that counts.
type Param struct {
	In       In
	Name     string // as declared; header names in lower case
	Index    int    // position in Request.Path, for path parameters
	As       Normaliser
	Array    ArrayKind // 0: a single value
	Split    byte      // separator inside one value for arrays that are not repeated; 0: repeated names
	Required bool
	Default  string // canonical JSON text; empty when none
	Field    int    // index in the contract's field list; with Array the elements count under the same field
}

// In is the part of the request outside of the body that a Param stands in. The order is the canonical one.
type In uint8

const (
	InHeader In = iota + 1
	InPath
	InQuery
)

// Media is a kind of request body.
type Media uint8

const (
	NoBody    Media = iota
	JSON            // application/json and every +json type, whatever its parameters
	Form            // application/x-www-form-urlencoded
	Multipart       // multipart/form-data
	Text            // text/plain
	Octets          // every other type that the operation declares
)
