package openapi

import "github.com/idemgen/idemgen/openapi/diag"

// In is the part of a request that a field path starts in.
type In uint8

const (
	InBody In = iota + 1
	InHeader
	InPath
	InQuery
)

// SegmentKind tells the steps of a field path apart.
type SegmentKind uint8

const (
	SegName     SegmentKind = iota + 1 // .name or ["name"]
	SegElement                         // [] : every element of an array
	SegWildcard                        // .* : every additional member of a map
)

// Segment is one step of a field path below its root.
type Segment struct {
	Kind SegmentKind
	Name string // SegName only
}

// FieldPath names a part of a request (ANNOTATION section 2): body.lines[].sku, path.paymentId, header.Stripe-Account.
// For path, query and header the first segment is the parameter's name.
type FieldPath struct {
	In       In
	Segments []Segment
	Pos      diag.Pos
}
