package propose

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/openapi"
)

// keyRule recognises where clients put a key.
type keyRule struct {
	name    string
	fits    func(*part) bool
	comment string
}

// keyRules are asked in this order, each about all parts.
var keyRules = []keyRule{
	{"key header", func(p *part) bool { return p.path.In == openapi.InHeader && p.name.Key() }, ""},
	{"key member", func(p *part) bool { return p.path.In == openapi.InBody && p.name.Key() }, ""},
	{"key parameter", func(p *part) bool { return p.path.In == openapi.InQuery && p.name.Key() }, ""},
	{"described key", func(p *part) bool {
		return p.path.In != openapi.InPath && !ofAttempt(p) && p.name.EndsIn("key", "token", "id", "uuid") && mentions(p, "idempoten")
	}, "its description speaks of idempotency"},
	{"request id", func(p *part) bool {
		return p.path.In == openapi.InHeader && !ofAttempt(p) && p.name.EndsIn("request id")
	},
		"undecided: a key only if clients send the same value again on a retry"},
}

// keyOf finds the part that is the key; nil when none looks like one.
func keyOf(op *openapi.Operation, parts []*part) (*part, keyRule) {
	all := append(parameters(op, openapi.InHeader), parts...)
	for _, r := range keyRules {
		for _, p := range all {
			if p.top && scalar(p) && p.text != openapi.InBody.String() && r.fits(p) {
				return p, r
			}
		}
	}
	return nil, keyRule{}
}

// ofAttempt reports whether p is a header that names the attempt: a new one with every retry, so never a key.
func ofAttempt(p *part) bool { return p.path.In == openapi.InHeader && p.name.RequestHeader() }

// plainKey is the line of the usual key, where somebody could take another header for one; nil where there is none such.
func plainKey(op *openapi.Operation) *Entry {
	for _, p := range parameters(op, openapi.InHeader) {
		if ofAttempt(p) {
			return &Entry{Path: "header.Idempotency-Key", Comment: "not " + p.text + ": clients and proxies fill that in anew with every attempt"}
		}
	}
	return nil
}

// keyEntry is the line of a key.
func keyEntry(p *part, r keyRule) *Entry {
	e := &Entry{Path: p.text, Comment: r.comment}
	members := []string{"from: " + flowText(p.text)}
	if !p.required {
		members = append(members, "required: false")
		if e.Comment == "" {
			e.Comment = "undecided: optional in the document; a request without it is not protected"
		}
	}
	if least, most, ok := keyLength(p.schemas); ok {
		members = append(members, fmt.Sprintf("length: [%d, %d]", least, most))
	}
	if p.any(func(s *openapi.Schema) bool { return s.Format == "uuid" }) {
		members = append(members, "format: uuid")
	}
	if len(members) > 1 {
		e.Value = "{" + strings.Join(members, ", ") + "}"
	}
	return e
}

// keyLength is what the document says, where a key may be so long; ok is false where it says nothing.
func keyLength(schemas []*openapi.Schema) (least, most uint64, ok bool) {
	least, most = 1, 255
	for _, s := range schemas {
		if s.MinLength > 1 {
			least, ok = s.MinLength, true
		}
		if s.MaxLength != nil && *s.MaxLength < most {
			most, ok = *s.MaxLength, true
		}
	}
	return least, most, ok && least <= most && most > 0
}
