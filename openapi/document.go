package openapi

import "github.com/idemgen/idemgen/openapi/diag"

// Document is an OpenAPI document reduced to its annotated operations and resolved: no reference is left to follow.
// It holds no type of another library.
type Document struct {
	File     string // the root file as the caller named it
	Version  string // the text of `openapi`
	Title    string
	BasePath string // path of the first server's URL, without a trailing slash; "" when there is none
	// Operations are the ones that carry x-idempotency and are not exempt, in document order.
	Operations []*Operation
	// Exempt are operations that were looked at and decided against.
	Exempt []*Operation
	// Routes are all operations below paths whose templates can be read, annotated or not, in document order.
	Routes []Route
	// SecuritySchemes are the names that components have for them, in document order.
	SecuritySchemes []string
	// Undecided counts POST, PUT, PATCH and DELETE operations without any annotation.
	Undecided int
	// Candidates are the POST and PATCH operations among them, in document order.
	Candidates []Candidate
	// Defaults is the annotation at the document's root, as written.
	Defaults Annotation
	// Insert is where a member of the document can be put in as text, InsertDefault where one of the root's annotation. Where the root has
	// none, the latter's Line is 0.
	Insert, InsertDefault Insertion
}

// Route is a method in upper case and a path template.
type Route struct{ Method, Path string }

// Operation is one annotated operation.
type Operation struct {
	Pos        diag.Pos
	ID         string // operationId; "" when the document gives none
	Method     string // upper case; "" for a webhook
	Path       string // template as written; "" for a webhook
	Webhook    string // the webhook's name; "" elsewhere
	Summary    string
	Secured    bool // the operation or the document names a security requirement
	Annotation Annotation
	Parameters []Parameter // path item's and operation's, merged; cookies left out
	Body       *Body       // nil when the operation declares none
	Streaming  diag.Pos    // valid when a response has a streaming media type
	Responses  Responses
	// Calls is valid where the document says that the operation calls other systems: the first callback, or a link to another server.
	Calls       diag.Pos
	Unsupported []Unsupported
}

// Responses are the answers that an operation declares.
type Responses struct {
	Pos   diag.Pos // of the member; the zero place when the operation has none
	Codes []string // as written, in document order: 201, 4XX, default
}

// Unsupported is a trait of an operation that makes generation impossible, found while loading.
type Unsupported struct {
	Pos     diag.Pos
	Message string
	Code    diag.Code
}

// Parameter is a declared path, query or header parameter.
type Parameter struct {
	Pos      diag.Pos
	Name     string
	In       In
	Required bool
	Style    string // the style in force, defaults applied
	Explode  bool
	Schema   *Schema
	// ContentType is set when the parameter is described by `content` instead of `schema`.
	ContentType string
}

// Body is a request body.
type Body struct {
	Pos      diag.Pos
	Required bool
	Media    []Media // in document order
}

// Media is one media type of a body.
type Media struct {
	Pos    diag.Pos
	Type   string // as written, for example application/json
	Schema *Schema
	// Encoding is what the document says of single members of a form or multipart body, by name; nil when it says nothing.
	Encoding map[string]Encoding
}

// Encoding says how one member of a form or multipart body is sent.
type Encoding struct {
	Pos         diag.Pos
	ContentType string // as written; "" when it is the default
	Style       string // as written; "" when it is the default
	// Joined says that explode is false: the elements of an array stand in one value.
	Joined bool
}

// Schema is a resolved schema. Pointers may be shared and may form cycles: a cycle is a recursive schema.
type Schema struct {
	Pos           diag.Pos
	Name          string   // the component's name when it was reached through $ref, for Go names
	Types         []string // without "null"; empty when any type is allowed
	Nullable      bool     // 3.0 nullable or 3.1 type array with null, or an only-null branch of oneOf / anyOf
	Format        string
	Encoding      string // contentEncoding
	MediaType     string // contentMediaType, of 3.1
	Properties    []Property
	Additional    Additional
	Items         *Schema
	AllOf         []*Schema
	OneOf         []*Schema
	AnyOf         []*Schema
	Discriminator *Discriminator
	Enum          []string // JSON texts
	Default       string   // JSON text with exact numbers; "" when there is none
	ReadOnly      bool
	WriteOnly     bool
	Description   string
	MaxLength     *uint64
	MinLength     uint64
	Pattern       string
	PatternPos    diag.Pos // valid where there is one
	UniqueItems   bool
	// True says that the schema is the boolean `true` or empty; False that it is `false`.
	False bool
	// CopyOf is set where the schema was written as another one or null: it says the same of a value's inside.
	CopyOf *Schema
}

// Property is one declared member of an object.
type Property struct {
	Pos      diag.Pos
	Name     string
	Required bool
	// Schema is nil when the member is only demanded here: another part of an allOf declares it, or nothing does.
	Schema *Schema
}

// Additional is what a schema says of undeclared members.
type Additional struct {
	Pos    diag.Pos
	Set    bool    // additionalProperties was written
	Allow  bool    // true when undeclared members are allowed; the default
	Schema *Schema // their schema; nil when none was given
}

// Discriminator tells the branches of a union apart by a member's value.
type Discriminator struct {
	Pos      diag.Pos
	Property string
	Mapping  []DiscriminatorBranch // resolved, implicit names included, sorted by value
}

// DiscriminatorBranch is one value of a discriminator and the branch it selects.
type DiscriminatorBranch struct {
	Value  string
	Schema *Schema
	// Implied says that the value is the schema's name and that the mapping does not list it.
	Implied bool
}
