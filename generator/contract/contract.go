package contract

import (
	"time"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

// Forever is the retention of records that never expire, as the runtime spells it.
const Forever time.Duration = -1

// API is everything that is generated from one document. It is the IR: emitters read it, the lock stores it, diff compares it.
type API struct {
	Base       string // file name without extension: payments
	Package    string // Go package name: paymentsidem
	BasePath   string // path of the first server
	Dimensions []Dimension
	Views      []View      // sorted by Name
	Contracts  []*Contract // sorted by Name
	Gone       []Gone      // sorted by Contract
	// Others are the operations without a contract whose requests an annotated template could match too.
	Others []openapi.Route
}

// Dimension is a scope value that the server supplies: a field of the generated Scope struct.
type Dimension struct {
	Name   string // tenant
	GoName string // Tenant
}

// View is a function that the program supplies: a field of the generated Views struct.
type View struct {
	Name   string // claims
	GoName string // Claims
}

// Contract is one operation's annotation and schema, resolved, defaulted and named.
type Contract struct {
	Pos  diag.Pos // of the annotation
	Name string   // pinned in the lock
	// Kept is what the document calls the operation where the name is another one that the lock keeps: operationId removeOrder.
	Kept     string
	GoName   string // CreatePayment; unique in the package
	FileName string // createpayment; unique in the package, never "contract"
	Names    Names  // identifiers of its declarations
	Method   string // "" for a webhook
	Path     string // "" for a webhook
	Webhook  string // its name; "" elsewhere
	Summary  string // text of the document: only into comments, through one helper
	Key      Key
	Scope    []ScopeTerm
	// Before is the scope that the operation had, while it changes: records stand under both. Nil: it does not change.
	Before   []ScopeTerm
	Keyspace string
	// Retention is Forever when records never expire; RetentionText is its spelling for the lock.
	Retention     time.Duration
	RetentionText string
	Execution     string // Transactional or Leased
	// Lease and what follows belong to leased execution: how long an attempt may stay silent, what becomes of one that has ended without an
	// outcome, and how many there may be.
	Lease    time.Duration
	Takeover string
	Attempts int
	// CommandHeaders are the canonical MIME names of the headers that the command is made of, where a recovery needs them.
	CommandHeaders []string
	// Wait is how long a duplicate of a running request waits for its outcome; 0: it is rejected at once.
	Wait          time.Duration
	KeepExcept    []int // sorted
	ReplayHeaders []string
	ReplayMarker  string
	Statuses      Statuses
	Docs          string

	// Unique is the business key; nil: there is none.
	Unique *Unique

	// Compare is false when the annotation says fingerprint: none.
	Compare bool
	Version Version // the current one
	// Older are the versions before it that are still live, newest first.
	Older []Version
	// Retired are the versions that were pruned, as the lock spells them.
	Retired []string
	// Accepted are the changes that forget records and that somebody has answered for.
	Accepted []Accepted

	// Types of the command struct.
	PathParams   []CommandParam
	QueryParams  []CommandParam
	HeaderParams []CommandParam
	BodyType     *Type // nil when there is no body
	BodyRequired bool
	// Spec is what bodies the operation takes, whether they count or not.
	Spec canon.BodySpec
}

// Names are the Go identifiers of one contract's declarations, each unique in the package. Emitters never compute a name.
type Names struct {
	Operation   string // CreatePaymentOperation: the descriptor variable
	Fingerprint string // FingerprintCreatePayment
	Handle      string // HandleCreatePayment
	Command     string // CreatePaymentCommand: the struct
	Path        string // CreatePaymentPath, …Query, …Header: structs of parameters, fields of the command named Path, Query, Header
	Query       string
	Header      string
	Decode      string // decodeCreatePayment
	Params      string // createPaymentParams: the canon.Param table
	// Of a business key: its function BusinessKeyCreatePayment and its tables. Empty: there is none.
	Business       string
	BusinessParams string
	BusinessBody   string
	// Recover is RecoverCreatePayment, of an operation that recovers; else empty.
	Recover string
}

// Version is one version of a contract: what decides the hash.
type Version struct {
	Number int
	Names  VersionNames
	// Path is the template that its path parameters belong to; empty when it is the contract's.
	Path string
	ID   canon.ContractID
	// RetentionText is the longest retention that applied while this version was written, as the lock spells it.
	RetentionText string
	Spec          canon.BodySpec // the zero one when no body counts
	Body          *Node          // nil when no body counts
	// View names the function through which the body counts; empty where it counts as it is. Body is generic then.
	View   string
	Params []canon.Param
	// Fields are the lock's lines, in the order of the scanner's field indexes.
	Fields  []Field
	Ignored []string // field paths, sorted
	// Sensitive are the indexes of the sensitive fields.
	Sensitive []int
	// Unknown is the policy of every object of the body that does not choose its own; RejectUnknown where none is open.
	Unknown canon.UnknownPolicy
	// Vectors are its test vectors, and LeftOut is how many more there would be without a bound.
	Vectors []vector.Vector
	LeftOut int
}

// Field is one line of the lock: a leaf, an array or a container, and what it demands.
type Field struct {
	Path string // body.lines[].sku, body.method{card}.number; PlainPath gives it without branches
	Rule string // exact/1 required
	// Sensitive says that nobody may guess the value from what is stored: it needs a keyed fingerprint. No digest depends on it.
	Sensitive bool
}

// sensitiveTrait is how the lock says it.
const sensitiveTrait = " sensitive"

// lockRule is the line's text.
func (f Field) lockRule() string {
	if f.Sensitive {
		return f.Rule + sensitiveTrait
	}
	return f.Rule
}

// inBody reports whether the line is one of the body's.
func (f Field) inBody() bool {
	p, err := openapi.ParseFieldPath(PlainPath(f.Path))
	return err == nil && p.In == openapi.InBody
}

// NodeKind tells the kinds of body nodes apart.
type NodeKind uint8

const (
	ObjectNode NodeKind = iota + 1
	MapNode
	ArrayNode
	LeafNode // As says how, Generic included
	UnionNode
	RecursionNode // the value is read by the node above that Back points to, its fields included; Null is its own
)

// NullRule is what null means at a node.
type NullRule uint8

const (
	NullRefused NullRule = iota // the schema does not allow it
	NullDistinct
	NullAbsent
)

// Node is one value of the body as the scanner meets it. Equal nodes of one operation may be the same pointer. Back alone leads up again:
// whoever follows the other pointers comes to an end.
type Node struct {
	Kind NodeKind
	// GoName is the name of objects, maps, unions and recursive arrays: CreatePaymentBodyLines; unique among nodes, for emitted names with
	// scan or shape before it.
	GoName string
	Field  int // index in Version.Fields; -1 when it has none
	Null   NullRule
	As     canon.Normaliser // leaves
	Array  canon.ArrayKind  // arrays
	Elem   *Node            // arrays: elements; maps: values
	// Members of an object, in canonical order. Those of a map are the declared ones beside its dynamic values.
	Members []Member
	Unknown canon.UnknownPolicy // objects; maps have typed entries instead
	Union   *Union              // unions
	Back    *Node               // recursion
	// Recursive says that a recursion points back here.
	Recursive bool
	// Sensitive says that the value, and what stands inside, is for nobody to read or guess.
	Sensitive bool
	// Text says that the document declares a text where As takes numbers too: what makes requests writes quotes. No digest depends on it, and
	// nodes that come out of a lock do not know it.
	Text bool
}

// Union is a value that is one of several kinds, and says of which. It is written as an object whose only member is the branch.
type Union struct {
	// Discriminator is the member whose string chooses the branch. Empty: the branches differ by JSON type.
	Discriminator string
	Branches      []Branch // those of one schema stand together
}

// Branch is one kind of value of a union. Branches of one schema share a node.
type Branch struct {
	Label string // the discriminator's value; or string, number, boolean, array, object
	Node  *Node
}

// Member is one declared member of an object node.
type Member struct {
	Name     string
	Key      string // canonical spelling with colon: `"amount":`
	Required bool
	Ignored  bool
	Default  string // canonical text of a materialised default
	Node     *Node  // nil when ignored
}

// Key is where the idempotency key stands, defaults applied.
type Key struct {
	From      string // field path: header.Idempotency-Key
	In        string // header, query, body, path
	Name      string
	Path      []string // member names, for body keys
	Index     int      // for path keys
	Required  bool
	MinLength int
	MaxLength int
	Format    string // "" or uuid
	// Numbers says that the document declares the body's member as a number, so that one is taken as its text.
	Numbers bool
}

// ScopeTerm is one value of a scope.
type ScopeTerm struct {
	Text      string // as in the lock: tenant, path.accountId, global
	Dimension int    // index in API.Dimensions; -1 when taken from the request or a literal
	Literal   string // "global"
	In        string // header, query, body, path
	Name      string
	Path      []string
	Index     int
	// As says which spellings are one value, by what the document declares; 0: the text as sent.
	As canon.Normaliser
}

// Statuses are the HTTP statuses of an operation's problems, defaults applied.
type Statuses struct {
	Missing, Malformed, Mismatch, InFlight, Unknown, Unavailable int
}

// CommandParam is a declared parameter in the command struct.
type CommandParam struct {
	Name     string // as declared
	GoName   string
	Type     *Type // a scalar, or a list of scalars
	Required bool
	Index    int  // path parameters: position in the template
	Split    byte // lists: separator inside one value; 0 for repeated names
	Doc      string
}

// TypeKind tells the Go types of a command apart.
type TypeKind uint8

const (
	TypeString  TypeKind = iota + 1
	TypeInt64            // int64
	TypeInt32            // int32
	TypeNumber           // idem.Number
	TypeBool             // bool
	TypeBytes            // []byte from base64
	TypeInstant          // idem.Instant
	TypeRaw              // json.RawMessage: what has no plain Go type
	TypeStruct           // a named struct
	TypeList             // []Elem
	TypeMap              // map[string]Elem
)

// Type is the Go type of a part of a command.
type Type struct {
	Kind   TypeKind
	GoName string // structs: unique in the package
	Elem   *Type  // lists and maps
	Fields []TypeField
}

// TypeField is one field of a command struct.
type TypeField struct {
	Name     string // JSON member name
	GoName   string
	Type     *Type
	Optional bool // a pointer, unless Nullable
	Nullable bool // idem.Nullable[T]
	Doc      string
}
