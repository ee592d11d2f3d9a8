package contract

import (
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Traits are what a field's line says, part by part, for those who put it in words.
type Traits struct {
	// Head is the normaliser or the kind of the value: exact, list, object, map, union, recursion, view.
	Head string
	// Of is the member that tells the branches of a union apart, the place that a recursion goes back to, or a view's name.
	Of string
	// Element is what an array's elements are, unless they have a line of their own.
	Element *Traits
	// Optional says that the member may be missing. Elements and entries are no members.
	Optional bool
	Null     NullRule
	Unknown  canon.UnknownPolicy // 0: the contract's own
	Default  string              // canonical text of a materialised default
}

// Traits takes the field's line apart. It fails for a line that this version did not write.
func (f Field) Traits() (Traits, error) {
	r, err := parseRule(f.Rule)
	if err != nil {
		return Traits{}, err
	}
	return traitsOf(r), nil
}

func traitsOf(r rule) Traits {
	t := Traits{Optional: r.presence == optionalMember, Null: r.null, Unknown: r.unknown, Default: r.defaultText}
	t.Head, _, _ = strings.Cut(r.head, "/")
	if of, ok := strings.CutPrefix(r.head, "recursion of "); ok {
		t.Head, t.Of = "recursion", of
	} else if label, ok := strings.CutPrefix(r.head, "union("); ok {
		t.Head, t.Of = "union", strings.TrimSuffix(label, ")")
	} else if view, ok := strings.CutPrefix(r.head, viewPrefix); ok {
		name, _, _ := strings.Cut(view, ")")
		t.Head, t.Of = "view", name
	}
	if r.of != nil {
		element := traitsOf(*r.of)
		t.Element = &element
	}
	return t
}
