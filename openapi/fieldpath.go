package openapi

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi/diag"
)

// In is the part of a request that a field path starts in.
type In uint8

const (
	InBody In = iota + 1
	InHeader
	InPath
	InQuery
)

// String gives the word that a field path begins with.
func (in In) String() string {
	switch in {
	case InBody:
		return "body"
	case InHeader:
		return "header"
	case InPath:
		return "path"
	case InQuery:
		return "query"
	}
	return "nowhere"
}

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

// String gives the canonical spelling: a name is quoted only when it must be. ParseFieldPath reads it back.
func (p FieldPath) String() string {
	var b strings.Builder
	b.WriteString(p.In.String())
	for _, seg := range p.Segments {
		switch seg.Kind {
		case SegName:
			writeName(&b, seg.Name)
		case SegElement:
			b.WriteString("[]")
		case SegWildcard:
			b.WriteString(".*")
		}
	}
	return b.String()
}

// Equal reports whether p and q name the same part of a request. Header names are compared without case;
// places do not count.
func (p FieldPath) Equal(q FieldPath) bool { return p.identity() == q.identity() }

// identity is a text that is the same for equal paths.
func (p FieldPath) identity() string {
	if p.In != InHeader || len(p.Segments) == 0 {
		return p.String()
	}
	low := FieldPath{In: p.In, Segments: slices.Clone(p.Segments)}
	low.Segments[0].Name = lowerASCII(low.Segments[0].Name)
	return low.String()
}

// single reports whether p names one value of a request: no step goes to every element or every member.
func (p FieldPath) single() bool {
	return !slices.ContainsFunc(p.Segments, func(s Segment) bool { return s.Kind != SegName })
}

// lowerASCII is the comparison of header names: RFC 9110 knows no other letters in a token.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}
