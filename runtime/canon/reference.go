package canon

import "crypto/sha256"

// Contract is a contract as data, from which the reference interpreter works: [Contract.Canonical] gives the canonical text of a request by
// the plainest reading of FINGERPRINT section 1. It is slow, it shares no code with the scanner, and it must agree with the scanner on
// everything: what is accepted, what is refused and where, and every byte of the canonical text. Explanations and vectors are made from it.
//
//	text, err := contract.Canonical(&canon.Request{Body: body, ContentType: "application/json"})
//
// Where a request has several faults, the refusal names the one that is met first when the request is read from its beginning. The names of
// undeclared members are compared when the object that holds them ends, after its required members were looked for.
//
// A Contract is read and never changed, so it is safe for concurrent use.
type Contract struct {
	Name string
	ID   ContractID
	// Accepts are the kinds of body that the operation takes. Without Body they do not matter: a body is then not looked at.
	Accepts      []Media
	Types        []string // media types of Octets, or where it is not accepted of Text: "image/png", "image/*", "*/*"
	Parts        []Part   // of a multipart body, those that are no texts
	BodyRequired bool
	Body         *Node // nil when no body counts
	// View names the view through which the body counts; empty when it counts as it is. Then Body reads Request.View. The ID holds the name.
	View   string
	Params []Param
	Fields []string // field paths; Node.Field and Param.Field are indexes into it
}

// NodeKind tells the kinds of values apart.
type NodeKind uint8

const (
	ObjectNode NodeKind = iota + 1
	MapNode             // an object whose undeclared members all are as Elem says
	ArrayNode
	LeafNode // As says how, Generic included
	UnionNode
)

// NullRule is what null means at a node.
type NullRule uint8

const (
	NullRefused  NullRule = iota // no value of the schema
	NullDistinct                 // a value of its own
	NullAbsent                   // as if the member had not been sent; for members of objects and entries of maps
)

// Node says what one value of the body must be and how it counts. It may point back to a node above it.
type Node struct {
	Kind    NodeKind
	Field   int // index in Contract.Fields; -1 when it has none
	Null    NullRule
	As      Normaliser    // leaves
	Array   ArrayKind     // arrays
	Elem    *Node         // arrays: elements; maps: entries
	Members []NodeMember  // objects and maps: the declared members
	Unknown UnknownPolicy // objects
	Union   *Union        // unions
}

// NodeMember is one declared member of an object or map.
type NodeMember struct {
	Name     string
	Required bool
	Ignored  bool   // checked as JSON, left out of the canonical text
	Default  string // canonical text that stands for an absent member; empty when there is none
	Node     *Node  // nil when ignored
}

// Union is a value that is one of several. It is written as an object whose only member is the branch.
type Union struct {
	// Discriminator is the member whose string chooses the branch. Empty: the branches differ by JSON type.
	Discriminator string
	Branches      []Branch
}

// Branch is one of the values that a union can be.
type Branch struct {
	// Label is the discriminator's value, or the JSON type: string, number, boolean, array, object.
	Label string
	Node  *Node
}

// Canonical gives the canonical text of a request, or a *Refusal.
func (c *Contract) Canonical(r *Request) ([]byte, error) {
	text, refusal := c.canonical(r)
	if refusal != nil {
		return nil, refusal
	}
	return []byte(text), nil
}

// Digest gives the digest of a request, or a *Refusal.
func (c *Contract) Digest(r *Request) (Digest, error) {
	text, refusal := c.canonical(r)
	if refusal != nil {
		return Digest{}, refusal
	}
	return sha256.Sum256([]byte("idempotency-fingerprint/1\n" + c.Name + "\n" + string(c.ID) + "\n" + text)), nil
}

func (c *Contract) canonical(r *Request) (string, *Refusal) {
	var members []refMember
	if c.Body != nil {
		body, refusal := c.bodyTree(r)
		if refusal != nil {
			return "", refusal
		}
		if body != nil {
			text, refusal := c.bodyText(body)
			if refusal != nil {
				return "", refusal
			}
			members = append(members, refMember{"body", text})
		}
	}
	params, refusal := c.paramMembers(r)
	if refusal != nil {
		return "", refusal
	}
	return refObject(append(members, params...)), nil
}

// bodyText gives the canonical text of the body. What is wrong with what a view made is no place in what the client sent.
func (c *Contract) bodyText(body *refValue) (string, *Refusal) {
	text, _, refusal := refNode(c.Body, body, "body")
	if refusal == nil {
		refusal = body.after
	}
	if refusal != nil && c.View != "" {
		refusal = refRefuse("body", -1, "what its view gives cannot be compared: "+refusal.Reason)
	}
	return text, refusal
}
